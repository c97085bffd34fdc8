// Questions that consist of parts: orders, rows, gaps. Each makes its elements, reads them, and shows an answer.
import * as kinds from './kinds.js';
import * as words from './words.js';
import { h, $, all, button, foreign } from './ui.js';

const { say } = words;

/** The fields of a question: {elements, given, show, clear}. `changed` is called when a button has changed the answer. */
export function make(question, index, texts, locale, changed) {
  return question.kind === 'ranking' ? order(question, index, texts, locale, changed) : composed(question, index, texts, locale);
}

// An answer in words, as programs give it that do not know the kind: it stays until there is another one.
const inWords = (question, stored) => stored && kinds.ownText(question, stored.answer) !== undefined;

function order(question, index, texts, locale, changed) {
  let stored, own = [];
  const said = h('p', { class: 'unseen', role: 'status' }), list = h('ol', { class: 'ranking', role: 'list', 'aria-labelledby': `h${index}`, 'aria-describedby': `f${index}` });
  const others = h('div'), keeping = h('p', { class: 'quiet keeping' }, say('notOrdered') + ' ', button(say('keepOrder'), () => { place(); changed(); $('button', list).focus(); }, { class: 'plain' }));
  const items = question.options.map((text, option) => {
    const name = texts.optionLine(kinds.label(question, text)), item = h('li', { id: `o${index}-${option}` }, h('span', { class: 'grip', 'aria-hidden': 'true', onpointerdown: event => drag(event, item) }), h('span', { class: 'rank' }),
      h('span', { class: 'words' }, texts.option(kinds.label(question, text))),
      ...['up', 'down'].map(way => button(way === 'up' ? '↑' : '↓', event => move(item, way, event.currentTarget), { class: 'plain', 'aria-label': words.moveWords(way, name) })));
    item.option = option;
    return item;
  });
  list.append(...items);
  const now = () => [...list.children], isPlaced = item => !item.classList.contains('unplaced');
  function tell() {
    now().forEach((item, place) => {
      $('.rank', item).textContent = place + 1;
      all('button', item).forEach((one, way) => { if (place === (way ? items.length - 1 : 0)) one.setAttribute('aria-disabled', 'true'); else one.removeAttribute('aria-disabled'); });
    });
    keeping.hidden = now().every(isPlaced);
  }
  const place = () => { for (const item of items) item.classList.remove('unplaced'); tell(); };
  function moved(item) {
    place();
    said.textContent = words.movedTo(texts.optionLine(kinds.label(question, question.options[item.option])), now().indexOf(item) + 1, items.length);
    changed();
  }
  function move(item, way, pressed) {
    const other = way === 'up' ? item.previousElementSibling : item.nextElementSibling;
    if (!other) return;
    if (way === 'up') other.before(item); else other.after(item);
    pressed.focus();
    moved(item);
  }
  function drag(event, item) {
    if (event.button) return;
    event.preventDefault();
    const grip = event.currentTarget, before = now().indexOf(item);
    grip.setPointerCapture(event.pointerId);
    item.classList.add('dragged');
    const follow = ({ clientY }) => {
      for (const other of now()) {
        if (other === item) continue;
        const { top, height } = other.getBoundingClientRect(), isAbove = item.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_PRECEDING;
        if (isAbove && clientY < top + height / 2) { other.before(item); break; }
        if (!isAbove && clientY > top + height / 2) other.after(item);
      }
    };
    grip.addEventListener('pointermove', follow);
    grip.addEventListener('lostpointercapture', () => {
      grip.removeEventListener('pointermove', follow);
      item.classList.remove('dragged');
      if (now().indexOf(item) !== before) moved(item);
    }, { once: true });
  }
  return {
    elements: [list, others, keeping, said],
    given() {
      const ranked = now().filter(isPlaced).map(item => question.options[item.option]);
      return ranked.length || own.length ? [...ranked, ...own] : inWords(question, stored) ? stored.answer : '';
    },
    show(answer) {
      stored = answer;
      const ranking = kinds.ranking(question, answer?.answer), ranks = [...ranking.places, ...ranking.rest];
      own = ranking.own;
      for (const item of items) item.classList.toggle('unplaced', ranking.rest.includes(item.option));
      list.append(...ranks.map(option => items[option]));
      others.replaceChildren(...own.map(text => h('p', { class: 'quiet' }, foreign('q', text, locale), ' ' + say('ownAnswer'))));
      tell();
    },
  };
}

function composed(question, index, texts, locale) {
  let stored;
  const parts = kinds.parts(question), gap = number => words.gapWords(number + 1, parts.length);
  const shownAs = new Map();
  // A list of options; an own answer of another version stays there as one more.
  const select = (part, fields) => h('select', { ...fields, lang: locale }, h('option', { value: '' }, '…'), kinds.optionPlaces(part).map(place => h('option', { value: place }, texts.optionLine(kinds.label(part, part.options[place])))));
  const controls = parts.map((part, number) => {
    const id = `a${index}-${number}`;
    if (question.kind === 'matching') return [select(part, { id, 'aria-describedby': `f${index}` })];
    if (question.kind === 'matrix') {
      return part.options.map((_, place) => h('input', { type: question.multiple ? 'checkbox' : 'radio', name: id, id: `${id}-${place}`, value: place, 'aria-labelledby': `m${index}-r${number} m${index}-c${place}` }));
    }
    const fields = { id, class: 'gap', 'aria-label': gap(number), 'aria-describedby': `f${index}` };
    if (kinds.isListed(part)) return [select(part, fields)];
    return [h('input', { ...fields, dir: 'auto', maxlength: 1000, inputmode: kinds.isNumber(part) ? 'decimal' : null, type: kinds.isMoment(part) ? kinds.momentField(part.kind, undefined)[0] : null })];
  });
  const others = parts.map(() => h('span'));
  const elements = { matching: rows, matrix: table, gaps }[question.kind]();

  function rows() {
    return [h('div', { class: 'rows', role: 'group', 'aria-labelledby': `h${index}` }, parts.map((part, number) => h('p', {}, h('label', { for: `a${index}-${number}` }, texts.option(part.text)), controls[number])))];
  }
  function table() {
    const head = h('tr', {}, h('td'), question.options.map((text, place) => h('th', { scope: 'col', id: `m${index}-c${place}` }, texts.option(kinds.label(question, text)))));
    const body = parts.map((part, number) => h('tr', {}, h('th', { scope: 'row', id: `m${index}-r${number}` }, texts.option(part.text), others[number]),
      controls[number].map((field, place) => h('td', {}, h('label', { class: 'option' }, field, h('span', { class: 'words' }, texts.option(kinds.label(question, question.options[place]))))))));
    return [h('fieldset', { class: 'matrix' }, h('legend', { class: 'unseen' }, say('yourAnswers')), h('table', {}, h('thead', {}, head), h('tbody', {}, body)))];
  }
  function gaps() {
    const box = texts.gapText(question.text), seen = new Set(), walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT), found = [];
    while (walker.nextNode()) if (!walker.currentNode.parentElement.closest('code, pre, math')) found.push(walker.currentNode);
    for (const node of found) {
      node.replaceWith(...kinds.gapPieces(node.data).map(piece => {
        const number = parts.findIndex(part => part.id === piece.gap);
        if (piece.gap === undefined) return piece.text;
        if (number < 0) return `{{${piece.gap}}}`;
        if (seen.has(number)) return h('span', { class: 'gap', 'data-of': number }, '____');
        seen.add(number);
        return controls[number][0];
      }));
    }
    return [box, parts.map((part, number) => seen.has(number) ? '' : h('p', {}, `${part.text}: `, controls[number]))].flat(2).filter(Boolean);
  }

  const isTicked = field => /radio|checkbox/.test(field.type);
  const fieldsOf = number => [...controls[number], ...all('input', others[number])];
  // What the fields of a part hold: places of options, own texts, or a written value.
  const read = number => fieldsOf(number).filter(field => isTicked(field) ? field.checked : field.value !== '').map(field => field.own ?? field.selectedOptions?.[0].own ?? field.value);
  function fill(number, answer) {
    const part = parts[number];
    others[number].replaceChildren();
    if (!kinds.isListed(part)) {
      const [type, value] = kinds.isMoment(part) ? kinds.momentField(part.kind, answer) : ['text', [answer ?? ''].flat().join(', ')];
      const [field] = controls[number];
      if (kinds.isMoment(part)) field.type = type;
      field.value = value;
      return;
    }
    const { places, own } = kinds.matched(part, answer);
    for (const field of controls[number]) {
      if (isTicked(field)) { field.checked = places.includes(Number(field.value)); continue; }
      for (const option of all('option', field)) if (option.own !== undefined) option.remove();
      for (const text of own) field.append(Object.assign(h('option', { value: '=' + text }, text), { own: { text } }));
      field.value = own.length ? '=' + own[0] : places[0] ?? '';
    }
    if (isTicked(controls[number][0])) {
      others[number].append(...own.map(text => {
        const field = h('input', { type: controls[number][0].type, name: controls[number][0].name });
        Object.assign(field, { checked: true, own: { text } });
        return h('label', { class: 'option' }, field, foreign('span', text, locale), h('small', { class: 'quiet' }, say('ownAnswer')));
      }));
    }
  }
  function answerOf(number) {
    const part = parts[number], held = read(number);
    if (kinds.isListed(part)) {
      const chosen = held.map(one => one.text ?? (part.values ? part.values[one] : part.options[one]));
      return kinds.takesSeveral(part) ? chosen : chosen[0];
    }
    return held.length ? kinds.settled(part, held[0]) : undefined;
  }
  const isEmpty = value => value === undefined || value === '' || Array.isArray(value) && !value.length;
  return {
    elements,
    given() {
      const isOwn = inWords(question, stored), answer = !isOwn && kinds.isObject(stored?.answer) ? { ...stored.answer } : {};
      let isSame = true;
      for (const [number, part] of parts.entries()) {
        if (JSON.stringify(read(number)) === shownAs.get(number)) continue;
        isSame = false;
        const value = answerOf(number);
        // A row may have any name, also __proto__.
        if (isEmpty(value)) delete answer[part.id]; else Object.defineProperty(answer, part.id, { value, enumerable: true, writable: true, configurable: true });
      }
      if (isSame) return stored?.answer ?? '';
      return Object.keys(answer).length ? answer : '';
    },
    show(answer) {
      stored = answer;
      for (const [number, part] of parts.entries()) {
        fill(number, inWords(question, answer) ? undefined : kinds.partOf(answer?.answer, part.id));
        shownAs.set(number, JSON.stringify(read(number)));
      }
    },
    clear() { for (const number of parts.keys()) fill(number, undefined); },
  };
}
