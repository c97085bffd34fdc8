// The kinds of questions, by the same rules as the program's table in Model/Kinds: reads questions of a document and answers of
// fields, and finds the faults of answers.
import * as numbers from './numbers.js';
import * as rules from './rules.js';
import * as words from './words.js';

const listed = ['choice', 'choices', 'boolean', 'scale'], moments = ['date', 'time', 'dateTime'];
const asked = [...listed, ...moments, 'text', 'number', 'note'];
const mostSteps = 101;

const isText = value => typeof value === 'string';
const texts = value => [value].flat().map(one => isText(one) ? one : one === null || typeof one !== 'object' ? String(one) : JSON.stringify(one));

export function isCondition(condition) {
  if (condition === null || typeof condition !== 'object') return false;
  const { question, all, any, not } = condition;
  if (isText(question)) return all === undefined && any === undefined && not === undefined;
  if (not !== undefined) return isCondition(not);
  const parts = all ?? any;
  return Array.isArray(parts) && parts.every(isCondition);
}

/** The steps of a scale; empty where there are none, or too many. */
function steps(scale) {
  const { min, max, step = 1 } = scale ?? {};
  if (![min, max, step].every(Number.isFinite) || step <= 0 || max < min) return [];
  const count = Math.floor((max - min) / step + 1e-9);
  return count < mostSteps ? Array.from({ length: count + 1 }, (_, place) => Math.round((min + place * step) * 1e6) / 1e6) : [];
}

/** Completes a question with the members that its kind has. */
export function complete(question, source, locale) {
  const stated = isText(source.kind) ? source.kind : question.kind;
  const member = name => isText(source[name]) ? source[name] : undefined;
  const made = { ...question, kind: asked.includes(stated) ? stated : 'text', hint: member('hint'), unit: member('unit'), constraintMessage: member('constraintMessage') };
  if (!asked.includes(stated)) made.askedAsText = [stated, Array.isArray(source.rows) ? source.rows.filter(isText) : []];
  if (source.constraint !== null && typeof source.constraint === 'object' && !Array.isArray(source.constraint)) made.constraint = source.constraint;
  if (isCondition(source.condition)) made.condition = source.condition;
  if (source.other === true) made.other = true;
  if (stated === 'boolean') {
    made.values = [true, false];
    if (made.options.length !== 2) made.options = words.truths(locale);
  } else if (stated === 'scale') {
    const { labels } = source.scale ?? {};
    made.values = steps(source.scale);
    made.options = made.values.map(step => isText(labels?.[step]) ? `${step} – ${labels[step]}` : String(step));
    if (!made.values.length) Object.assign(made, { kind: 'number', values: undefined, options: [] });
  }
  return made;
}

export const isListed = question => listed.includes(question.kind);
export const isMoment = question => moments.includes(question.kind);
export const takesAnswer = question => question.kind !== 'note';

/** An answer as people read it. */
export function shown(question, answer) {
  const place = question?.values?.indexOf(answer.answer) ?? -1;
  return place >= 0 ? [question.options[place]] : texts(answer.answer);
}
export const line = (question, answer) => shown(question, answer).join(', ');

/** The ids of the questions that the answers of a test hide. */
export function hidden(questionnaire, record) {
  if (!questionnaire?.isConditional) return new Set();
  const names = new Map((record.attachments ?? []).map(({ questionId, name }) => [questionId, name]));
  questionnaire.visibility ??= new rules.Visibility(questionnaire);
  return questionnaire.visibility.hidden(id => {
    const given = record.answers.find(answer => answer.questionId === id)?.answer;
    return rules.isBlank(given) ? names.get(id) : given;
  });
}

// Dates and times.

const localOffset = text => -new Date(text).getTimezoneOffset();

/** A written date or time: {text}, {ambiguous} or {}. */
export function readMoment(kind, text) {
  if (kind !== 'dateTime') return kind === 'date' ? rules.readDate(text) : rules.readTime(text);
  const stated = rules.readDateTime(text);
  if (stated.text || stated.ambiguous) return stated;
  const universal = rules.readDateTime(text, 0);
  return universal.text ? rules.readDateTime(text, localOffset(universal.text.slice(0, -1))) : universal;
}

/** The type of the field for an answer, and the answer as that field has it. */
export function momentField(kind, stored) {
  const text = texts(stored ?? '').join(', ');
  if (text && readMoment(kind, text).text !== text) return ['text', text];
  if (kind !== 'dateTime') return [kind, text];
  const moment = new Date(text), two = number => String(number).padStart(2, '0');
  if (!text) return ['datetime-local', ''];
  return ['datetime-local', `${String(moment.getFullYear()).padStart(4, '0')}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}T${two(moment.getHours())}:${two(moment.getMinutes())}`];
}

// The fault of an answer as a sentence; empty for a valid one.

export function fault(question, answer) {
  if (!answer || rules.isBlank(answer.answer)) return '';
  const text = texts(answer.answer).join(', ');
  let value = answer.answer;
  if (question.kind === 'number') {
    value = numbers.read(text).number;
    if (!value) return words.numberFault(text);
  } else if (isMoment(question)) {
    const read = readMoment(question.kind, text);
    if (!read.text) return words.momentFault(question.kind, text, read.ambiguous);
    value = read.text;
  }
  let codes = [];
  // A constraint of another form than ours limits nothing.
  try { codes = rules.violations(question.constraint ?? {}, value); } catch { /* The host says so to the author. */ }
  return codes.length ? question.constraintMessage ?? words.violation(codes[0], question.constraint) : '';
}
