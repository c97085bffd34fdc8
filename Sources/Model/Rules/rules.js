// The rules of questionnaires, the same as the Swift files beside this one: conditions, constraints, dates, order and points.
// Pure functions of JSON values, without a dependency; the vectors in Tests/Vectors hold both to the same results.

// MARK: Decimal numbers

const longest = 400;

/** A number in plain form, or the number of a JSON value, as {value, exponent}: value × 10^exponent. */
export function decimal(value) {
  if (typeof value === 'number') value = String(value);
  if (typeof value !== 'string' || value.length > longest) return null;
  const parts = /^([+-]?)([0-9]*)(?:(\.)([0-9]*))?(?:[eE]([+-]?[0-9]{1,4}))?$/.exec(value);
  if (!parts) return null;
  const [, sign, whole, , fraction = '', power = '0'] = parts;
  let digits = (whole + fraction).replace(/^0+/, ''), exponent = Number(power) - fraction.length;
  if (!(whole + fraction)) return null;
  const end = /0*$/.exec(digits)[0].length;
  digits = digits.slice(0, digits.length - end);
  exponent = digits ? exponent + end : 0;
  if (Math.abs(exponent) > longest) return null;
  const number = BigInt(digits || '0');
  return { value: sign === '-' ? -number : number, exponent };
}

const scaled = (number, exponent) => number.value * 10n ** BigInt(number.exponent - exponent);
const difference = (left, right) => {
  const exponent = Math.min(left.exponent, right.exponent);
  return { value: scaled(left, exponent) - scaled(right, exponent), exponent };
};
const compareDecimals = (left, right) => {
  const { value } = difference(left, right);
  return value < 0n ? -1 : value > 0n ? 1 : 0;
};
const isMultiple = (number, step) => {
  const exponent = Math.min(number.exponent, step.exponent);
  return step.value !== 0n && scaled(number, exponent) % scaled(step, exponent) === 0n;
};
const absolute = number => ({ ...number, value: number.value < 0n ? -number.value : number.value });
const zero = { value: 0n, exponent: 0 };

/** The plain form of a decimal: 0.25, 1200, 1e-30. */
export function plainDecimal({ value, exponent }) {
  if (value === 0n) return '0';
  const sign = value < 0n ? '-' : '', digits = String(value < 0n ? -value : value);
  if (exponent >= 0 && digits.length + exponent <= 21) return sign + digits + '0'.repeat(exponent);
  if (exponent < 0 && -exponent <= 21) {
    const padded = digits.padStart(1 - exponent, '0');
    return sign + padded.slice(0, exponent) + '.' + padded.slice(exponent);
  }
  return `${sign}${digits}e${exponent}`;
}

// MARK: Values

const isObject = value => value !== null && typeof value === 'object' && !Array.isArray(value);
const isScalar = value => value === null || typeof value !== 'object';

/** Nothing chosen and nothing written. */
export const isBlank = value => value === undefined || value === null
  || (typeof value === 'string' ? !value.trim() : typeof value === 'object' && !Object.keys(value).length);

/** Whether an answer is a value; lists have the same elements in any order. */
export function isSame(answer, value) {
  if (Array.isArray(answer)) {
    if (Array.isArray(value)) return answer.length === value.length && counts(answer) === counts(value);
    return answer.length === 1 && isScalar(value) && isSame(answer[0], value);
  }
  if (isObject(answer) && isObject(value)) {
    const names = Object.keys(value);
    return Object.keys(answer).length === names.length && names.every(name => Object.hasOwn(answer, name) && isSame(answer[name], value[name]));
  }
  const kinds = [typeof answer, typeof value];
  if (kinds[0] === 'string' && kinds[1] === 'string') return answer.normalize('NFC') === value.normalize('NFC');
  if (kinds.includes('boolean')) return (kinds[0] === kinds[1] || kinds.includes('string')) && String(answer) === String(value);
  if (!kinds.includes('number')) return false;
  const left = decimal(answer), right = decimal(value);
  return Boolean(left && right) && compareDecimals(left, right) === 0;
}

/** One text for lists that have the same elements. */
function counts(values) {
  const key = value => {
    if (typeof value === 'number') return 's' + plainDecimal(decimal(value));
    if (typeof value === 'string') return 's' + value.normalize('NFC');
    if (Array.isArray(value)) return JSON.stringify(value.map(key));
    if (isObject(value)) return JSON.stringify(Object.keys(value).sort().map(name => [name, key(value[name])]));
    return String(value);
  };
  return JSON.stringify(values.map(key).sort());
}

/** Whether a list has an element, an object a member of this value, or a text this part. */
export function contains(answer, value) {
  if (Array.isArray(answer)) return answer.some(one => isSame(one, value));
  if (isObject(answer)) return Object.values(answer).some(one => isSame(one, value) || (!isScalar(one) && contains(one, value)));
  if (typeof answer === 'string' && typeof value === 'string') return value !== '' && answer.includes(value);
  return isSame(answer, value);
}

/** The order of two numbers, or of two dates or times of one form; null for others. */
export function order(answer, value) {
  const left = decimal(answer), right = decimal(value);
  if (left && right) return compareDecimals(left, right);
  const [first, second] = [dateOrder(answer), dateOrder(value)];
  return first && second && first.form === second.form ? Math.sign(first.value - second.value) : null;
}

function matches(answer, pattern) {
  if (typeof answer === 'string') return pattern.matches(answer);
  if (typeof answer === 'number') return pattern.matches(plainDecimal(decimal(answer)));
  return Array.isArray(answer) && answer.some(one => isScalar(one) && matches(one, pattern));
}

// MARK: Conditions

const tests = {
  is: isSame,
  above: (answer, value) => order(answer, value) > 0,
  atLeast: (answer, value) => (order(answer, value) ?? -1) >= 0,
  below: (answer, value) => order(answer, value) < 0,
  atMost: (answer, value) => (order(answer, value) ?? 1) <= 0,
  contains,
  matches: (answer, value) => matches(answer, compiled(value) ?? { matches: () => false }),
};

/**
 * Whether a condition holds.
 * @param answer gives the answer to a question that is shown.
 */
export function holds(condition, answer) {
  if (condition.all) return condition.all.every(one => holds(one, answer));
  if (condition.any) return condition.any.some(one => holds(one, answer));
  if (condition.not) return !holds(condition.not, answer);
  const given = answer(condition.question), isAnswered = !isBlank(given);
  if ('answered' in condition) return isAnswered === condition.answered;
  if ('isNot' in condition) return !(isAnswered && isSame(given, condition.isNot));
  const name = Object.keys(tests).find(one => one in condition);
  return name !== undefined && isAnswered && tests[name](given, condition[name]);
}

/** The ids that a condition asks about. */
function asked(condition) {
  const parts = condition.all ?? condition.any ?? (condition.not ? [condition.not] : null);
  return parts ? parts.flatMap(asked) : [condition.question];
}

/** Which questions are shown: made once of a questionnaire, asked at each change. */
export class Visibility {
  constructor({ questions, sections = [] }) {
    const ids = [], conditions = new Map();
    for (const { id, condition } of questions) {
      ids.push(id);
      conditions.set(id, [...(conditions.get(id) ?? []), ...(condition ? [condition] : [])]);
    }
    for (const section of sections) {
      if (section.condition) for (const id of section.questions ?? []) conditions.get(id)?.push(section.condition);
    }
    const needs = new Map(ids.map(id => [id, new Set(conditions.get(id).flatMap(asked).filter(one => conditions.has(one)))]));
    let sorted = inOrder(ids, needs);
    if (sorted.length < conditions.size) {
      const rest = new Set(ids.filter(id => !sorted.includes(id)));
      const reversed = new Map([...rest].map(id => [id, new Set()]));
      for (const id of rest) for (const other of needs.get(id)) reversed.get(other)?.add(id);
      const free = new Set(inOrder([...rest], reversed));
      // A question of a circle is shown: none is lost because of a condition that cannot be decided.
      for (const id of rest) if (!free.has(id)) { conditions.set(id, []); needs.set(id, new Set()); }
      sorted = inOrder(ids, needs);
    }
    this.order = sorted;
    this.conditions = conditions;
  }

  /** The ids of the questions that are hidden; the answer to a hidden question counts as none. */
  hidden(answer) {
    const hidden = new Set(), shown = id => hidden.has(id) || !this.conditions.has(id) ? undefined : answer(id);
    for (const id of this.order) if (!this.conditions.get(id).every(one => holds(one, shown))) hidden.add(id);
    return hidden;
  }
}

function inOrder(ids, needs) {
  const missing = new Map(ids.map(id => [id, needs.get(id).size])), dependents = new Map();
  for (const id of missing.keys()) {
    for (const other of needs.get(id)) {
      if (!dependents.has(other)) dependents.set(other, []);
      dependents.get(other).push(id);
    }
  }
  const ready = [...missing.keys()].filter(id => missing.get(id) === 0);
  for (const id of ready) {
    for (const dependent of dependents.get(id) ?? []) {
      missing.set(dependent, missing.get(dependent) - 1);
      if (missing.get(dependent) === 0) ready.push(dependent);
    }
  }
  return ready;
}

// MARK: Constraints

/** The codes of everything that is wrong with an answer: names of members, `number` or `date`. */
export function violations(constraint, answer) {
  if (isBlank(answer)) return [];
  const { min, max, step, integer, minLength, maxLength, pattern, minCount, maxCount, before, after } = constraint;
  const found = [], check = (isWrong, code) => { if (isWrong) found.push(code); };
  if (min !== undefined || max !== undefined || step !== undefined || integer) {
    const number = decimal(answer);
    if (!number) {
      found.push('number');
    } else {
      const [least, most, by] = [min, max, step].map(one => one === undefined ? null : decimal(one));
      check(least && compareDecimals(number, least) < 0, 'min');
      check(most && compareDecimals(number, most) > 0, 'max');
      check(by && by.value > 0n && !isMultiple(difference(number, least ?? zero), by), 'step');
      check(integer && number.exponent < 0, 'integer');
    }
  }
  if (typeof answer === 'string') {
    const length = [...answer].length;
    check(length < minLength, 'minLength');
    check(length > maxLength, 'maxLength');
    check(pattern !== undefined && compiled(pattern)?.matches(answer) === false, 'pattern');
  } else if (typeof answer === 'object') {
    const count = Object.keys(answer).length;
    check(count < minCount, 'minCount');
    check(count > maxCount, 'maxCount');
  }
  if (before !== undefined || after !== undefined) {
    const given = dateOrder(answer);
    if (!given) {
      found.push('date');
    } else {
      const [limit, start] = [before, after].map(one => dateOrder(one)).map(one => one?.form === given.form ? one : null);
      check(limit && given.value >= limit.value, 'before');
      check(start && given.value <= start.value, 'after');
    }
  }
  return found;
}

// MARK: Regular expressions

class PatternFault extends Error {}
const cache = new Map();

/** An expression, compiled once; null where it is none. */
export function compiled(source) {
  if (!cache.has(source)) {
    if (cache.size > 500) cache.clear();
    try { cache.set(source, new TextPattern(source)); } catch (error) {
      if (!(error instanceof PatternFault)) throw error;
      cache.set(source, null);
    }
  }
  return cache.get(source);
}

const mostStates = 2000, mostLength = 1000, mostDepth = 32, mostText = 10000;
const properties = { L: /^\p{L}$/u, Lu: /^\p{Lu}$/u, Ll: /^\p{Ll}$/u, N: /^\p{N}$/u };
const ranges = { d: [[0x30, 0x39]], w: [[0x30, 0x39], [0x41, 0x5A], [0x5F, 0x5F], [0x61, 0x7A]], s: [[9, 13], [32, 32], [0xA0, 0xA0]] };
const inside = (list, code) => list.some(([first, last]) => first <= code && code <= last);

/** The subset of regular expressions that TextPattern.swift describes, matched in linear time. */
export class TextPattern {
  constructor(source) {
    const scalars = [...source];
    if (scalars.length > mostLength) throw new PatternFault();
    let place = scalars[0] === '^' ? 1 : 0, end = scalars.length;
    if (scalars.at(-1) === '$' && /(\\*)\$$/.exec(source)[1].length % 2 === 0) end -= 1;
    const fail = () => { throw new PatternFault(); };
    const next = () => place < end ? scalars[place] : undefined;
    const skip = scalar => next() === scalar && ++place > 0;
    const single = scalar => [scalar.codePointAt(0), scalar.codePointAt(0)];

    const choice = depth => {
      if (depth > mostDepth) fail();
      const branches = [sequence(depth)];
      while (skip('|')) branches.push(sequence(depth));
      return branches.length === 1 ? branches[0] : { choice: branches };
    };
    const sequence = depth => {
      const items = [];
      while (next() !== undefined && next() !== '|' && next() !== ')') items.push(repeated(atom(depth)));
      return { sequence: items };
    };
    const repeated = node => {
      const bounds = { '*': [0], '+': [1], '?': [0, 1] }[next()] ?? (next() === '{' ? countBounds() : null);
      if (!bounds) return node;
      place += 1;
      skip('?');
      if (next() !== undefined && '*+?{'.includes(next())) fail();
      return { node, least: bounds[0], most: bounds[1] };
    };
    const countBounds = () => {
      const close = scalars.indexOf('}', place);
      const text = close < 0 || close >= end ? '' : scalars.slice(place, close + 1).join('');
      const parts = /^\{([0-9]+)(,?)([0-9]*)\}$/.exec(text);
      if (!parts || (!parts[2] && parts[3])) fail();
      const least = Number(parts[1]), most = parts[2] ? (parts[3] ? Number(parts[3]) : undefined) : least;
      if (most < least || Math.max(least, most ?? 0) > mostStates) fail();
      place = close;
      return [least, most];
    };
    const atom = depth => {
      const scalar = next();
      if (skip('(')) {
        if (skip('?') && !skip(':')) fail();
        const node = choice(depth + 1);
        return skip(')') ? node : fail();
      }
      if (scalar === '[') return { one: characterClass() };
      if (skip('.')) return { one: code => code !== 10 && code !== 13 };
      if (scalar === '\\') return { one: union([escape()]) };
      if ('*+?{^$'.includes(scalar)) fail();
      place += 1;
      return { one: union([single(scalar)]) };
    };
    /** A range, or a test of a code point. */
    const escape = () => {
      place += 1;
      const scalar = next() ?? fail();
      place += 1;
      const list = ranges[scalar.toLowerCase()];
      if (list && /^[dwsDWS]$/.test(scalar)) return code => inside(list, code) === (scalar === scalar.toLowerCase());
      const control = { n: 10, r: 13, t: 9 }[scalar];
      if (control) return [control, control];
      if (scalar === 'p' || scalar === 'P') {
        if (!skip('{')) fail();
        let name = '';
        while (next() !== undefined && next() !== '}') name += scalars[place++];
        if (!skip('}') || !Object.hasOwn(properties, name)) fail();
        return code => properties[name].test(String.fromCodePoint(code)) === (scalar === 'p');
      }
      return /^[0-9a-zA-Z]$/.test(scalar) ? fail() : single(scalar);
    };
    const characterClass = () => {
      place += 1;
      const isNegated = skip('^'), items = [];
      const item = () => next() === '\\' ? escape() : next() === '[' ? fail() : single(scalars[place++]);
      while (next() !== undefined && next() !== ']') {
        const first = item();
        if (Array.isArray(first) && next() === '-' && place + 1 < end && scalars[place + 1] !== ']') {
          place += 1;
          const last = item();
          if (!Array.isArray(last) || last[0] < first[0]) fail();
          items.push([first[0], last[0]]);
        } else {
          items.push(first);
        }
      }
      if (!items.length || !skip(']')) fail();
      const test = union(items);
      return isNegated ? code => !test(code) : test;
    };
    const union = items => code => items.some(one => Array.isArray(one) ? inside([one], code) : one(code));

    const node = choice(0);
    if (place < end) fail();
    this.steps = [];
    this.#emit(node);
    this.#push({ isMatch: true });
  }

  #push(step) {
    if (this.steps.length >= mostStates) throw new PatternFault();
    return this.steps.push(step) - 1;
  }

  #emit(node) {
    const { steps } = this;
    if (node.one) {
      this.#push(node);
    } else if (node.sequence) {
      for (const one of node.sequence) this.#emit(one);
    } else if (node.choice) {
      const ends = [], last = node.choice.length - 1;
      node.choice.forEach((branch, index) => {
        const split = index < last ? this.#push({}) : null;
        this.#emit(branch);
        if (split === null) return;
        ends.push(this.#push({}));
        steps[split] = { next: [split + 1, steps.length] };
      });
      for (const end of ends) steps[end] = { next: [steps.length] };
    } else {
      for (let count = 0; count < node.least; count += 1) this.#emit(node.node);
      if (node.most === undefined) {
        const split = this.#push({});
        this.#emit(node.node);
        this.#push({ next: [split] });
        steps[split] = { next: [split + 1, steps.length] };
      } else {
        const splits = [];
        for (let count = node.least; count < node.most; count += 1) {
          splits.push(this.#push({}));
          this.#emit(node.node);
        }
        for (const split of splits) steps[split] = { next: [split + 1, steps.length] };
      }
    }
  }

  /** Whether the complete text matches. */
  matches(text) {
    const { steps } = this, scalars = [...text], seen = new Int32Array(steps.length);
    if (scalars.length > mostText) return false;
    let generation = 1, current = [], next = [];
    /** Adds a state and all that it leads to without a character. */
    const add = (first, list) => {
      const open = [first];
      while (open.length) {
        const place = open.pop();
        if (seen[place] === generation) continue;
        seen[place] = generation;
        if (steps[place].next) open.push(...steps[place].next); else list.push(place);
      }
    };
    add(0, current);
    for (const scalar of scalars) {
      if (!current.length) return false;
      const code = scalar.codePointAt(0);
      generation += 1;
      next.length = 0;
      for (const place of current) if (steps[place].one?.(code)) add(place + 1, next);
      [current, next] = [next, current];
    }
    return current.some(place => steps[place].isMatch);
  }
}

// MARK: Dates and times

const two = number => String(number).padStart(2, '0');
const isLeap = year => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
const daysInMonth = (month, year) => month === 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;

function written(text) {
  if (typeof text !== 'string' || new TextEncoder().encode(text).length > 200) return '';
  return text.replace(/[\u200E\u200F\u061C]/g, '')
    .replace(/[\u0660-\u0669\u06F0-\u06F9\uFF10-\uFF19]/g, one => String(one.charCodeAt(0) - (one < '\u06F0' ? 0x660 : one < '\uFF10' ? 0x6F0 : 0xFF10)))
    .replace(/[\u2010-\u2015\u2212]/g, '-').replace(/\uFF1A/g, ':').replace(/[\t\n\r\u00A0\u2009\u202F]/g, ' ')
    .replace(/[A-Z]/g, one => one.toLowerCase()).replace(/^ +| +$/g, '');
}

function day(year, month, date) {
  [year, month, date] = [year, month, date].map(Number);
  if (year < 1 || month < 1 || month > 12 || date < 1 || date > daysInMonth(month, year)) return null;
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(date)}`;
}

/** A written date as {text}, {ambiguous: [two dates]}, or {}. */
export function readDate(text) {
  const parts = /^([0-9]+)([-/.])([0-9]{1,2})\2([0-9]+)(\.?)$/.exec(written(text));
  if (!parts || (parts[5] && parts[2] !== '.')) return {};
  const [, first, separator, second, third] = parts;
  if (first.length === 4) return third.length <= 2 && day(first, second, third) ? { text: day(first, second, third) } : {};
  if (third.length !== 4 || first.length > 2) return {};
  const dayFirst = day(third, second, first), monthFirst = separator === '.' ? null : day(third, first, second);
  if (dayFirst && monthFirst && dayFirst !== monthFirst) return { ambiguous: [dayFirst, monthFirst] };
  return dayFirst || monthFirst ? { text: dayFirst ?? monthFirst } : {};
}

function clock(text, hasFraction) {
  const parts = /^([0-9]{1,2})(?:([:.])([0-9]{2})(?:\2([0-9]{2})(?:\.([0-9]+))?)?)?([^0-9]+)?$/.exec(text);
  if (!parts) return null;
  let [, hour, , minute, second, fraction, half] = parts;
  if (fraction !== undefined && !hasFraction) return null;
  hour = Number(hour);
  if (half !== undefined) {
    half = half.replace(/[ .]/g, '');
    if ((half !== 'am' && half !== 'pm') || hour < 1 || hour > 12) return null;
    hour = hour % 12 + (half === 'pm' ? 12 : 0);
  } else if (minute === undefined) {
    return null;
  }
  if (hour > 23 || Number(minute ?? 0) > 59 || Number(second ?? 0) > 59) return null;
  fraction = (fraction ?? '').slice(0, 3).replace(/0+$/, '');
  return `${two(hour)}:${minute ?? '00'}:${second ?? '00'}${fraction && '.' + fraction}`;
}

/** A written time of the day as {text} or {}. */
export function readTime(text) {
  const time = clock(written(text), false);
  return time ? { text: time.endsWith(':00') ? time.slice(0, 5) : time } : {};
}

function minutesOf(offset) {
  const parts = /^([0-9]{2})(?::?([0-9]{2}))?$/.exec(offset);
  if (!parts) return null;
  const hours = Number(parts[1]), minutes = Number(parts[2] ?? 0);
  return hours < 24 && minutes < 60 ? hours * 60 + minutes : null;
}

/** A written date with a time as {text}, {ambiguous} or {}; `offset` is in minutes east of UTC. */
export function readDateTime(text, offset = null) {
  const all = written(text), gap = all.search(/[t ,]/);
  if (gap < 0) return {};
  let rest = all.slice(gap + 1).replace(/^ +/, '');
  const sign = Math.max(rest.lastIndexOf('+'), rest.lastIndexOf('-'));
  if (rest.endsWith('z')) {
    rest = rest.slice(0, -1);
    offset = 0;
  } else if (sign >= 0) {
    const minutes = minutesOf(rest.slice(sign + 1));
    if (minutes === null) return {};
    offset = rest[sign] === '-' ? -minutes : minutes;
    rest = rest.slice(0, sign);
  }
  const time = clock(rest.replace(/ +$/, ''), true);
  if (offset === null || Math.abs(offset) >= 1440 || !time) return {};
  const size = Math.abs(offset), zone = offset === 0 ? 'Z' : `${offset < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
  const date = readDate(all.slice(0, gap));
  if (date.ambiguous) return { ambiguous: date.ambiguous.map(one => `${one}T${time}${zone}`) };
  return date.text ? { text: `${date.text}T${time}${zone}` } : {};
}

/**
 * What a field for a date with a time (`datetime-local`) shows of a canonical text, and gives back as exactly that; null for any other text:
 * one with a fraction of a second, or with another offset than the local one. offset: of a local time, in minutes.
 */
export function localText(text, offset) {
  const local = text.slice(0, text.slice(16, 19) === ':00' ? 16 : 19);
  return text.length >= 20 && readDateTime(local, 0).text && readDateTime(local, offset(local)).text === text ? local : null;
}

/** What canonical forms of one kind are compared by; null for any other text. */
export function dateOrder(text) {
  if (typeof text !== 'string' || !/^[-0-9T:Z.+]{5,40}$/.test(text)) return null;
  const milliseconds = time => {
    const [hour, minute, second = '0'] = time.split(':');
    return Number(hour) * 3600000 + Number(minute) * 60000 + Math.round(Number(second) * 1000);
  };
  const days = date => {
    const [year, month, one] = date.split('-').map(Number), whole = new Date(0);
    whole.setUTCFullYear(year, month - 1, one);
    return whole.getTime() / 86400000;
  };
  if (readDate(text).text === text) return { form: 'date', value: days(text) };
  if (readTime(text).text === text) return { form: 'time', value: milliseconds(text) };
  if (readDateTime(text).text !== text) return null;
  const zone = text.endsWith('Z') ? 'Z' : text.slice(-6);
  const offset = zone === 'Z' ? 0 : (zone[0] === '-' ? -1 : 1) * minutesOf(zone.slice(1));
  return { form: 'dateTime', value: days(text.slice(0, 10)) * 86400000 + milliseconds(text.slice(11, -zone.length)) - offset * 60000 };
}

// MARK: Locations

const isNumeral = text => /^[0-9]+([.,][0-9]+)?$/.test(text), numberOf = text => isNumeral(text) ? Number(text.replace(',', '.')) : null;

// A number of degrees, with a sign or a letter.
function degreesOf(text, positive, negative) {
  let rest = text.trim();
  const letter = rest.endsWith(positive) || rest.endsWith(negative) ? rest.at(-1) : '';
  rest = rest.slice(0, rest.length - letter.length).trim().replace(/°$/, '').trim();
  const sign = /^[-+]/.test(rest) ? rest[0] : '', size = numberOf(rest.slice(sign.length));
  if (size === null || sign && letter) return null;
  return (sign === '-' || letter === negative) && size !== 0 ? -size : size;
}

// Parts that a semicolon separates, a comma with a space, a comma alone beside a decimal point, or else a space.
function halvesOf(text) {
  if (text.includes(';')) return text.split(';');
  if (text.includes(', ')) return text.split(', ');
  if (text.includes(',') && text.includes('.')) return text.split(',');
  const words = [];
  // A letter or a sign of degrees belongs to the number before it.
  for (const word of text.split(' ').filter(Boolean)) if (words.length && !/\p{N}/u.test(word)) words.push(`${words.pop()} ${word}`); else words.push(word);
  return words;
}

/** Whether numbers are a place on the earth. */
export const isOnEarth = ({ latitude, longitude, accuracyMeters = null }) => Number.isFinite(latitude) && Number.isFinite(longitude)
  && Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 && (accuracyMeters === null || Number.isFinite(accuracyMeters) && accuracyMeters >= 0);

/** Coordinates as people write them, `55.75, 37.62`: {location}, {isOutOfRange} or {}. */
export function readLocation(written) {
  if (new TextEncoder().encode(written).length > 100) return {};
  let text = written.toLowerCase().replace(/[\u2212–]/g, '-').replace(/\s/g, ' ').trim(), accuracy = null, parts;
  if (text.startsWith('geo:')) {
    const [numbers, ...fields] = text.slice(4).split(';');
    parts = numbers.split(',');
    if (parts.length === 3) parts.pop();
    accuracy = numberOf(fields.find(field => field.startsWith('u='))?.slice(2) ?? '');
  } else {
    const mark = /^(.*?)\(±(.*) m\)$/.exec(text);
    if (mark) {
      accuracy = numberOf(mark[2]);
      if (accuracy === null) return {};
      text = mark[1].trim();
    }
    parts = halvesOf(text);
  }
  if (parts.length !== 2) return {};
  const latitude = degreesOf(parts[0], 'n', 's'), longitude = degreesOf(parts[1], 'e', 'w');
  if (latitude === null || longitude === null) return {};
  const location = accuracy === null ? { latitude, longitude } : { latitude, longitude, accuracyMeters: accuracy };
  return isOnEarth(location) ? { location } : { isOutOfRange: true };
}

// MARK: Order

const roundConstants = [], startValues = [];
for (let candidate = 2; roundConstants.length < 64; candidate += 1) {
  let isPrime = true;
  for (let divisor = 2; divisor * divisor <= candidate; divisor += 1) if (candidate % divisor === 0) isPrime = false;
  if (!isPrime) continue;
  const fraction = root => Math.floor((root - Math.floor(root)) * 2 ** 32) >>> 0;
  if (startValues.length < 8) startValues.push(fraction(Math.sqrt(candidate)));
  roundConstants.push(fraction(Math.cbrt(candidate)));
}

/** SHA-256 (FIPS 180-4) of a text, as eight numbers. The browser's own needs a secure context, which a hub's page is not. */
export function sha256(text) {
  const bytes = new TextEncoder().encode(text), length = (bytes.length + 72 >> 6) << 6, padded = new DataView(new ArrayBuffer(length));
  bytes.forEach((byte, index) => padded.setUint8(index, byte));
  padded.setUint8(bytes.length, 0x80);
  padded.setUint32(length - 4, bytes.length * 8);
  const hash = [...startValues], words = new Uint32Array(64), turn = (word, count) => word >>> count | word << 32 - count;
  for (let block = 0; block < length; block += 64) {
    for (let index = 0; index < 64; index += 1) {
      if (index < 16) { words[index] = padded.getUint32(block + index * 4); continue; }
      const [early, late] = [words[index - 15], words[index - 2]];
      words[index] = words[index - 16] + words[index - 7] + (turn(early, 7) ^ turn(early, 18) ^ early >>> 3) + (turn(late, 17) ^ turn(late, 19) ^ late >>> 10);
    }
    let [a, b, c, d, e, f, g, h] = hash;
    for (let index = 0; index < 64; index += 1) {
      const first = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + (e & f ^ ~e & g) + roundConstants[index] + words[index];
      const second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + (a & b ^ a & c ^ b & c);
      [h, g, f, e, d, c, b, a] = [g, f, e, d + first | 0, c, b, a, first + second | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, index) => { hash[index] = hash[index] + word >>> 0; });
  }
  return hash;
}

/** The places 0 … count - 1 in the order of a test for a purpose; TestOrder.swift describes the algorithm. */
export function permutation(test, count, purpose) {
  const seed = `quire-order-1\n${test.toLowerCase()}\n${purpose}`, places = [...Array(Math.max(0, count)).keys()];
  let block = 0, numbers = [];
  const below = bound => {
    const limit = Math.floor(2 ** 32 / bound) * bound;
    for (;;) {
      if (!numbers.length) numbers = sha256(`${seed}\n${block++}`);
      const number = numbers.shift();
      if (number < limit) return number % bound;
    }
  };
  for (let place = count - 1; place > 0; place -= 1) {
    const other = below(place + 1);
    [places[place], places[other]] = [places[other], places[place]];
  }
  return places;
}

/** The places of a question's options in the order shown: those of keepLast stay at the end. */
export function optionOrder(test, { id, options, keepLast = [] }) {
  const all = [...options.keys()], free = all.filter(place => !keepLast.includes(options[place]));
  return permutation(test, free.length, `options\n${id}`).map(place => free[place]).concat(all.filter(place => keepLast.includes(options[place])));
}

/** The ids of a test's questions in the order shown, without those that a pool did not draw. */
export function questionOrder(test, { questions, sections = [], shuffle = {} }) {
  const items = new Map(), sectionOf = new Map(), result = [], done = new Set();
  for (const question of questions) if (!items.has(question.id)) items.set(question.id, question);
  const isFree = id => items.get(id).kind !== 'note';
  sections.forEach((section, index) => {
    for (const id of section.questions ?? []) if (items.has(id) && !sectionOf.has(id)) sectionOf.set(id, index);
  });
  const arranged = (ids, purpose) => {
    if (!shuffle.questions) return ids;
    const free = [...ids.keys()].filter(place => isFree(ids[place])), arranged = [...ids];
    permutation(test, free.length, purpose).forEach((other, index) => { arranged[free[index]] = ids[free[other]]; });
    return arranged;
  };
  let run = [];
  const flush = () => {
    if (run.length) result.push(...arranged(run, `run\n${run[0]}`));
    run = [];
  };
  for (const { id } of questions) {
    const index = sectionOf.get(id);
    if (index === undefined) { run.push(id); continue; }
    if (done.has(index)) continue;
    done.add(index);
    flush();
    const section = sections[index];
    let members = [...new Set(section.questions)].filter(one => sectionOf.get(one) === index);
    const pool = members.filter(isFree);
    if (section.pick !== undefined && section.pick < pool.length) {
      const places = permutation(test, pool.length, `pick\n${section.id}`).slice(0, Math.max(0, section.pick));
      const drawn = new Set(places.map(place => pool[place]));
      members = members.filter(one => !isFree(one) || drawn.has(one));
    }
    result.push(...arranged(members, `section\n${section.id}`));
  }
  flush();
  return result;
}

// MARK: Points

const unrated = ['file', 'location', 'note'];
const elements = value => Array.isArray(value) ? value : [value];

/** The points of an answer as {points, maximum, matched, verdict}, by PointsRule.swift; null where a person gives them. */
export function points({ kind, points: maximum = 1, gaps = {} }, key, answer) {
  if (!key || unrated.includes(kind) || !key.accept?.length) return null;
  const worth = accepted => accepted.points ?? maximum;
  const same = (given, value, form) => {
    if (form === 'number' || form === 'scale') {
      const left = decimal(given), right = decimal(value);
      return Boolean(left && right) && compareDecimals(absolute(difference(left, right)), decimal(key.tolerance ?? 0)) <= 0;
    }
    if (form === 'date' || form === 'time' || form === 'dateTime') {
      const left = dateOrder(given), right = dateOrder(value);
      return Boolean(left && right) && left.form === right.form && left.value === right.value;
    }
    if (form !== 'text' || typeof given !== 'string' || typeof value !== 'string') return isSame(given, value);
    return key.comparison === 'exact' ? isSame(given.trim(), value.trim()) : isSameText(given, value);
  };
  const share = (right, wrong, count, matched) => right === count && wrong === 0 ? [maximum, matched]
    : [key.partial === true && count > 0 ? maximum * (right - wrong) / count : 0, matched];
  const single = () => {
    const index = key.accept.findIndex(one => 'pattern' in one ? matches(answer, compiled(one.pattern) ?? { matches: () => false }) : same(answer, one.value, kind));
    return index < 0 ? [0, []] : [worth(key.accept[index]), [index]];
  };
  const choices = () => {
    const chosen = elements(answer), options = [];
    for (const [index, one] of key.accept.entries()) {
      if (!('value' in one)) continue;
      if (isScalar(one.value)) options.push({ ...one, index });
      else if (isSame(chosen, one.value)) return [worth(one), [index]];
    }
    const matched = options.filter(one => chosen.some(given => isSame(given, one.value))), places = matched.map(one => one.index);
    if (options.some(one => one.points !== undefined)) return [matched.reduce((sum, one) => sum + (one.points ?? 0), 0), places];
    if (options.length) return share(matched.length, chosen.length - matched.length, options.length, places);
    const values = key.accept[0].value;
    if (!Array.isArray(values)) return [0, []];
    const right = values.filter(value => chosen.some(given => isSame(given, value))).length;
    return share(right, chosen.length - right, values.length, places);
  };
  const best = (isFit, rate) => {
    let [most, places] = [0, []];
    for (const [index, one] of key.accept.entries()) {
      if (!isFit(one.value)) continue;
      const { isRight, part } = rate(one.value), points = isRight ? worth(one) : worth(one) * part;
      if (points > most) [most, places] = [points, isRight ? [index] : []];
    }
    return [most, places];
  };
  const ranking = () => best(value => Array.isArray(value) && value.length > 1, values => {
    const given = elements(answer), places = values.map(value => given.findIndex(one => isSame(one, value)));
    let ordered = 0;
    for (const [first, left] of places.entries()) for (const right of places.slice(first + 1)) if (left >= 0 && right >= 0 && left < right) ordered += 1;
    const isRight = given.length === values.length && places.every((place, index) => place === index);
    return { isRight, part: key.partial === true ? ordered / (values.length * (values.length - 1) / 2) : 0 };
  });
  const parts = () => !isObject(answer) ? [0, []] : best(value => isObject(value) && Object.keys(value).length > 0, expected => {
    const form = name => gaps[name]?.kind ?? (gaps[name]?.options?.length ? 'choice' : 'text');
    const isRightPart = ([name, value]) => Object.hasOwn(answer, name)
      && (kind === 'gaps' ? elements(value).some(one => same(answer[name], one, form(name))) : isSame(answer[name], value));
    const all = Object.entries(expected), right = all.filter(isRightPart).length;
    return { isRight: right === all.length, part: key.partial === false ? 0 : right / all.length };
  });
  const rules = { choices, ranking, matching: parts, matrix: parts, gaps: parts };
  const [sum, matched] = isBlank(answer) ? [0, []] : (rules[kind] ?? single)();
  const least = key.belowZero ? -maximum : 0, bounded = number => Math.min(Math.max(number, least), maximum);
  const rounded = isBlank(answer) ? 0 : bounded(Math.floor(bounded(sum) * 1e6 + 0.5) / 1e6);
  return { points: rounded, maximum, matched, verdict: rounded >= maximum ? 'right' : rounded > 0 ? 'partly' : 'wrong' };
}

// MARK: Free texts, as AnswerText.swift compares them

const signs = new Map([['\u2026', '...'], ['\u2044', '/'], ['\u2215', '/'], ['\u00D7', '*']]);
for (const dash of '\u2010\u2011\u2012\u2013\u2014\u2015\u2212\uFE58\uFE63\uFF0D') signs.set(dash, '-');
for (const quote of '\u00AB\u00BB\u201C\u201D\u201E\u201F') signs.set(quote, '"');
for (const apostrophe of '\u2018\u2019\u201A\u201B\u02BC\u02B9\u2032`\u00B4\'') signs.set(apostrophe, "'");
const raised = new Map([...'⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻'].map((one, index) => [one, '0123456789+-'[index]]));

function folded(text) {
  return text.normalize('NFKD').toUpperCase().toLowerCase().normalize('NFKD').replace(/ς/g, 'σ')
    .replace(/и\u0306/g, 'й').replace(/у\u0306/g, 'ў').replace(/і\u0308/g, 'ї').replace(/\p{M}/gu, '')
    .replace(/[\s\u0085]+/g, ' ').replace(/^ | $/g, '');
}

function form(text) {
  let result = '', words = '', isAfterPower = false;
  const sign = one => {
    result += folded(words) + one;
    words = '';
  };
  const append = one => {
    if (/\p{Default_Ignorable_Code_Point}/u.test(one)) return;
    if (raised.has(one)) {
      sign((isAfterPower ? '' : '^') + raised.get(one));
      isAfterPower = true;
      return;
    }
    isAfterPower = false;
    if (signs.has(one)) return sign(signs.get(one));
    if (one >= '\uFF01' && one <= '\uFF5E') return append(String.fromCharCode(one.charCodeAt(0) - 0xFEE0));
    const isMark = /\p{M}/u.test(one);
    if (isMark && !words && result) return sign(one);
    if (isMark || /\s|\u0085/.test(one) || !/[\p{S}\p{P}\p{Cc}\p{No}]/u.test(one)) {
      words += one;
    } else {
      const plain = /[\p{So}\p{No}]/u.test(one) ? folded(one) : one;
      sign(plain && !/[ \u2044]/.test(plain) ? plain : one);
    }
  };
  for (const one of text) append(one);
  result += folded(words);
  const end = /[.!?]+$/.exec(result)?.[0] ?? '', rest = result.slice(0, result.length - end.length);
  if (end && (/\p{L}\p{L}$/u.test(rest) || (end === '.' && /\p{N}$/u.test(rest)))) result = rest;
  return result.replace(/^([+-]?[0-9]+),([0-9]+)$/, '$1.$2');
}

/** Whether two free texts are the same answer. */
export function isSameText(left, right) {
  if (left.normalize('NFC') === right.normalize('NFC')) return true;
  const compared = form(left);
  return compared !== '' && compared === form(right);
}

// MARK: Instances of repeated sections

const instanceMark = '\u2060[';
const mostInstances = 100;

/** A question of an instance, as its id in memory has it: {question, number}; the number is null for one that is asked once. */
export function placeOf(id) {
  const parts = /^([^]*)\u2060\[([1-9][0-9]{0,8})\]$/.exec(id);
  return parts ? { question: parts[1], number: Number(parts[2]) } : { question: id, number: null };
}

/** The id in memory of a question in an instance. */
export const placeID = (question, number) => number ? `${question}${instanceMark}${number}]` : question;

/** The id as people read it: name[2]. */
export const writtenID = id => {
  const { question, number } = placeOf(id);
  return number ? `${question}[${number}]` : question;
};

const within = (value, least, most) => Math.min(Math.max(value, least), most);
export const fewestInstances = ({ repeat }) => within(repeat?.min ?? 1, 0, mostInstances);
export const mostInstancesOf = section => within(Math.max(section.repeat?.max ?? mostInstances, fewestInstances(section), 1), 0, mostInstances);
const answered = record => [...record?.answers ?? [], ...record?.attachments ?? []].map(({ questionId }) => questionId);

/** The numbers of instances that have answers or files, in rising order. */
export const answeredInstances = (section, record) => [...new Set(answered(record).map(placeOf)
  .filter(({ question, number }) => number && section.questions.includes(question)).map(({ number }) => number))].sort((left, right) => left - right);

/** The numbers of the instances that a test has, in the order shown. */
export function instancesOf(section, record) {
  const numbers = new Set(), add = number => { if (number > 0 && numbers.size < mostInstances) numbers.add(number); };
  const stated = record?.instances?.[section.id], fewest = fewestInstances(section);
  if (stated) stated.forEach(add);
  else {
    for (let number = 1; number <= fewest; number++) add(number);
    answeredInstances(section, record).forEach(add);
  }
  for (let next = 1; numbers.size < fewest; next++) add(next);
  return [...numbers];
}

const renamed = (condition, name) => condition && {
  ...condition, ...condition.question === undefined ? {} : { question: name(condition.question) },
  ...condition.all && { all: condition.all.map(one => renamed(one, name)) }, ...condition.any && { any: condition.any.map(one => renamed(one, name)) },
  ...condition.not && { not: renamed(condition.not, name) },
};

/** The label of an instance without its number. */
export const instanceWord = ({ repeat, title }, entry) => repeat?.label || title || entry;

/** The questionnaire with the questions of each instance that a test has, as Model's Questionnaire.repeated makes it. */
export function repeated(questionnaire, record, entry = 'Entry') {
  const known = new Set(questionnaire.questions.map(({ id }) => id)), has = new Set(answered(record)), sectionOf = new Map();
  const sections = questionnaire.sections ?? [];
  sections.forEach((section, index) => section.questions.forEach(id => { if (!sectionOf.has(id)) sectionOf.set(id, index); }));
  const repeats = sections.filter(section => section.repeat && section.questions.some(id => known.has(id)));
  if (!repeats.length) return questionnaire;
  const parts = sections.map((section, index) => {
    if (!repeats.includes(section)) return null;
    const numbers = instancesOf(section, record), own = section.questions.filter(id => sectionOf.get(id) === index);
    return numbers.map((number, spot) => {
      const ids = new Map(own.map(id => {
        const full = placeID(id, number);
        return [id, !spot && has.has(id) && !has.has(full) ? id : full];
      }));
      const name = id => ids.get(id) ?? id, called = `${instanceWord(section, entry)} ${spot + 1}`;
      return {
        ids, section: {
          ...section, id: placeID(section.id, number), title: section.title && section.repeat.label ? `${section.title} · ${called}` : called,
          questions: section.questions.map(name), condition: renamed(section.condition, name),
          instance: { section: section.id, number, place: spot + 1, count: numbers.length, name: called },
        },
      };
    });
  });
  const done = new Set(), questions = questionnaire.questions.flatMap(question => {
    const index = sectionOf.get(question.id), found = parts[index];
    if (!found) return [question];
    if (done.has(index)) return [];
    done.add(index);
    return found.flatMap(({ ids }) => questionnaire.questions.filter(({ id }) => sectionOf.get(id) === index).map(one => ({
      ...one, id: ids.get(one.id), condition: renamed(one.condition, id => ids.get(id) ?? id),
    })));
  });
  return { ...questionnaire, questions, sections: sections.flatMap((section, index) => parts[index]?.map(part => part.section) ?? [section]), repeats, document: questionnaire };
}
