// A draft and a newer version of its questionnaire: what becomes of the answers, and the screen that moves them.
// The rules are those of Model's AnswerTransfer; both are held to Tests/Vectors/answer-transfer.json.
import * as store from './store.js';
import * as library from './library.js';
import * as words from './words.js';
import * as sections from './sections.js';
import { h, $, put, button, notice, foreign } from './ui.js';
import { testHash, titleOf } from './screens.js';
import * as kinds from './kinds.js';
import * as rules from './rules.js';

const { say } = words;

// How many letters must be put in, taken out or replaced (Levenshtein).
function distance(one, other) {
  const row = [...other.keys(), other.length];
  one.forEach((letter, place) => {
    let diagonal = row[0];
    row[0] = place + 1;
    other.forEach((another, index) => {
      const replaced = diagonal + (letter === another ? 0 : 1);
      diagonal = row[index + 1];
      row[index + 1] = Math.min(replaced, row[index] + 1, diagonal + 1);
    });
  });
  return row[other.length];
}
const letters = text => [...library.fold(text)].slice(0, 400);
// A spelling was corrected: a letter in five at most.
const isNear = (one, other) => { const length = Math.max(one.length, other.length); return length > 0 && distance(one, other) * 5 <= length; };
const isSameQuestion = (one, other) => one === other || isNear(letters(one), letters(other));
function isSameOption(one, other) {
  const [first, second] = [letters(one), letters(other)], digits = text => text.filter(letter => /\p{N}/u.test(letter)).join('');
  return first.length > 0 && first[0] === second[0] && digits(first) === digits(second) && isNear(first, second);
}

// The option that says what a former one said; -1 where none does.
function placeOf(text, former, before, now, taken) {
  const only = isSame => {
    const found = [...now.keys()].filter(place => !taken.includes(place) && isSame(now[place]));
    return found.length === 1 ? found[0] : found.includes(former) ? former : -1;
  };
  const exact = only(option => option === text);
  if (exact >= 0) return exact;
  // What was another option before is not this one now.
  const others = new Set(before.filter(option => option.normalize() !== text.normalize())), folded = library.fold(text);
  const similar = folded ? only(option => !others.has(option) && library.fold(option) === folded) : -1;
  if (similar >= 0) return similar;
  return former in now && !taken.includes(former) && !others.has(now[former]) && isSameOption(text, now[former]) ? former : -1;
}

// Whether a question asks as before; whether it must be answered, and the order of a test, affect no answer.
const isUnchanged = (one, other) => JSON.stringify({ ...one, required: 0, order: 0 }) === JSON.stringify({ ...other, required: 0, order: 0 });
const stays = ['text text', 'decimal decimal', 'decimal text', 'moment text', 'nothing nothing', 'files files', 'location location'];
const chosen = ['order order', 'option option', 'options options', 'option options', 'options option'];
function move(answer, former, question) {
  if (isUnchanged(former, question)) return { answer };
  if (!isSameQuestion(former.text, question.text)) return { reason: 'otherQuestion' };
  const isSameKind = former.kind === question.kind, [input, pair] = [kinds.inputOf(question), `${kinds.inputOf(former)} ${kinds.inputOf(question)}`];
  // Words that were given where another form belongs stay the person's own.
  if (isSameKind && kinds.isStructured(former) && kinds.ownText(former, answer.answer) !== undefined) return { answer };
  if (stays.includes(pair) || pair === 'moment moment' && isSameKind) return { answer };
  const made = fields => ({ answer: { questionId: answer.questionId, ...fields } }), texts = kinds.texts(answer.answer);
  if (pair === 'option text') return made({ answer: kinds.shown(former, answer)[0] ?? '' });
  // Options that stand for values: the value is the same, or there is none.
  if (pair === 'option option' && (former.values || question.values)) {
    return question.values?.includes(answer.answer) ? { answer } : { reason: isSameKind ? 'noOption' : 'otherKind' };
  }
  if (pair === 'option options' && former.values || pair === 'options option' && (question.values || texts.length > 1)) return { reason: 'otherKind' };
  if (pair === 'rows rows' || pair === 'gaps gaps') return moveParts(answer, former, question, input === 'gaps');
  if (!chosen.includes(pair)) return { reason: 'otherKind' };
  const places = [], own = [], isOwn = text => question.other && former.other && !former.options.some(option => option.normalize() === text.normalize());
  for (const [index, text] of texts.entries()) {
    const place = placeOf(text, answer.optionIndexes?.[index], former.options, question.options, places);
    if (place >= 0) places.push(place); else if (isOwn(text)) own.push(text); else return { reason: 'noOption' };
  }
  if (input === 'order') return made({ answer: places.map(place => question.options[place]) });
  places.sort((a, b) => a - b);
  const all = [...places.map(place => question.options[place]), ...own];
  return made({ answer: input === 'options' ? all : all[0] ?? '', ...places.length > 0 && { optionIndexes: places } });
}

// Rows and gaps are found by their names; all that have an answer must still be there and take it. A gap must be of its kind, too:
// its name alone says nothing about what it asks.
function moveParts({ questionId, answer, optionIndexes, ...others }, former, question, areEqual) {
  const now = new Map(kinds.parts(question).map(part => [part.id, part])), moved = {};
  const before = kinds.parts(former), names = new Set(before.map(({ id }) => id)), given = kinds.isObject(answer) ? answer : {};
  // Of an even older version: it is shown at no row of this one.
  if (Object.keys(given).some(name => !names.has(name) && !rules.isBlank(given[name]))) return { reason: 'noOption' };
  for (const old of before) {
    if (rules.isBlank(given[old.id])) continue;
    const part = now.get(old.id);
    if (!part) return { reason: 'noOption' };
    if (areEqual && part.kind !== old.kind) return { reason: 'otherKind' };
    const result = move({ questionId: old.id, answer: given[old.id] }, old, part);
    if (!result.answer) return result;
    moved[part.id] = result.answer.answer;
  }
  return { answer: { questionId, answer: moved, ...others } };
}

const wordsOf = (question, answer) => kinds.isStructured(question) ? kinds.line(question, answer) : kinds.texts(answer.answer).join(', ');
// Several choices and rows follow the order of the document, which is irrelevant; a ranking's lines have numbers.
const trace = (question, answer) => JSON.stringify((kinds.isStructured(question) ? kinds.shown(question, answer) : kinds.texts(answer.answer)).sort());

// What is carried over, what the person is to look at, and what is left with its reason.
export function transfer(answers, old, now) {
  const result = { carried: [], changes: [], left: [] }, find = sections.questionOf;
  for (const answer of answers) {
    const former = find(old, answer.questionId), question = find(now, answer.questionId);
    const moved = former && question ? move(answer, former, question) : { reason: 'noQuestion' };
    if (!moved.answer) { result.left.push({ answer, question: former?.text ?? answer.questionId, reason: moved.reason }); continue; }
    result.carried.push(moved.answer);
    const isReworded = former.text !== question.text || JSON.stringify(former.media) !== JSON.stringify(question.media);
    const isSame = trace(former, answer) === trace(question, moved.answer);
    if (isReworded || !isSame) {
      result.changes.push({ questionId: answer.questionId, formerQuestion: isReworded ? former.text : undefined, question: question.text,
        formerAnswer: isSame ? undefined : wordsOf(former, answer), answer: wordsOf(question, moved.answer) });
    }
  }
  return result;
}

// What did not fit when a draft was moved to its version, as long as the former draft is here.
export async function leftBehind(record, questionnaire) {
  const former = record.parent && await store.test(record.parent);
  if (!former || !store.isDraft(former) || former.record.questionnaire.digest === record.questionnaire.digest) return [];
  const old = await library.openFor(former.record).catch(() => null);
  return old ? transfer(former.record.answers, old, questionnaire).left.filter(({ answer }) => !store.isAnswered(record, answer.questionId)) : [];
}

export async function updateScreen(main, id) {
  const region = h('div', { id: 'update' });
  put(main, region);
  const draft = await store.test(id), digest = draft.record.questionnaire.digest;
  const old = await library.open(digest).catch(() => null);
  const item = (await store.fact('list'))?.items.find(item => item.id === draft.record.questionnaire.id);
  const head = [h('p', { class: 'crumb' }, foreign('a', titleOf(draft), null, { href: testHash(id) })), h('div', { class: 'head' }, h('h1', {}, say('updateTitle')))];
  const screen = { classes: 'review', title: say('updateTitle') };
  if (item) await library.bring(item).catch(() => null);
  const page = await store.page(draft.record.questionnaire.id);
  const now = page && page.digest !== digest ? await library.open(page.digest).catch(() => null) : null;
  if (!old || !now) { put(region, ...head, notice('warn', say(item && item.digest !== digest ? 'notHere' : 'newestAlready'))); return screen; }
  const { carried, changes, left } = transfer(draft.record.answers, old, now);
  // A draft that moves to another version keeps its questions.
  const orderOf = now => {
    if (!sections.isArranged(now)) return {};
    const { instances } = draft.record, own = { orderOf: sections.orderID(draft.record), ...instances && { instances } };
    return { ...own, shown: sections.shown(now, { ...own, answers: carried }) };
  };
  const moveNow = async event => {
    const pressed = event.currentTarget;
    pressed.disabled = true;
    try {
      location.replace(testHash(await store.carryOver(draft, { id: page.id, title: now.title, digest: page.digest }, carried, sections.idsFor(now, draft.record), orderOf(now))));
    } catch {
      pressed.disabled = false;
      put($('#fault', region), notice('bad', say('notSaved')));
    }
  };
  put(region, ...head, h('p', { class: 'lead' }, words.carriedOver(carried.length, draft.record.answers.length)),
    changes.length > 0 && h('section', { class: 'card', 'aria-labelledby': 'changed' }, h('h2', { id: 'changed' }, say('lookAt')),
      h('ul', {}, changes.flatMap(words.transferChange).map(text => foreign('li', text, now.locale)))),
    left.length > 0 && h('section', { class: 'card', 'aria-labelledby': 'left-behind' }, h('h2', { id: 'left-behind' }, say('staysBehind')),
      h('dl', { class: 'difference' }, left.flatMap(({ answer, question, reason }) => [foreign('dt', question, old.locale),
        h('dd', {}, foreign('span', kinds.line(old.questions.find(({ id }) => id === answer.questionId), answer), old.locale), ' ', h('span', { class: 'quiet' }, `(${say(reason)})`))]))),
    h('div', { class: 'final' }, h('p', { class: 'quiet' }, say('updateAbout')), h('div', { id: 'fault' }),
      h('div', { class: 'actions' }, h('a', { class: 'button plain', href: testHash(id) }, say('backToTest')), button(say('moveToNewest'), moveNow, { class: 'main', id: 'move' }))));
  return screen;
}
