// What a test has of its questionnaire: the questions that were drawn, in the test's order, and the passages of sections. The
// rules are those of Model's Questionnaire.arranged.
import * as rules from './rules.js';
import * as kinds from './kinds.js';
import * as store from './store.js';
import { say, entry } from './words.js';
import { h, foreign } from './ui.js';
import { directionOf } from './formatted.js';

const isText = value => typeof value === 'string';
const shuffles = ['choice', 'choices', 'ranking', 'matching'];

const wholeOf = value => Number.isInteger(value) ? value : undefined;
const repeatOf = repeat => repeat && typeof repeat === 'object' && !Array.isArray(repeat)
  ? { min: wholeOf(repeat.min), max: wholeOf(repeat.max), label: isText(repeat.label) ? repeat.label : '' } : undefined;

/** The sections of a document, as far as they can be read. */
export const read = (json, isCondition, media) => (Array.isArray(json.sections) ? json.sections : []).filter(section => isText(section?.id)).map(section => ({
  id: section.id, title: isText(section.title) ? section.title : '', text: isText(section.text) ? section.text : '', media: media(section.media),
  condition: isCondition(section.condition) ? section.condition : undefined, pick: Number.isInteger(section.pick) ? section.pick : undefined,
  questions: Array.isArray(section.questions) ? section.questions.filter(isText) : [], repeat: repeatOf(section.repeat),
}));

/** Whether a test may have the questions in another order than the document, or not all of them. */
export const isArranged = ({ sections, shuffle }) => sections.some(section => section.questions.length) || shuffle.questions || shuffle.options;

/** The test whose UUID gives the order. */
export const orderID = record => record.orderOf ?? record.id;

/** The questionnaire as a test shows it. Options stay in the document's order; `order` has their places in the order shown. */
export function arranged(questionnaire, record) {
  if (!questionnaire || !isArranged(questionnaire) || questionnaire.notDrawn) return questionnaire;
  const test = orderID(record), byID = new Map(questionnaire.questions.map(question => [question.id, question]));
  const ids = rules.questionOrder(test, questionnaire), drawn = new Set(ids);
  const questions = ids.map(id => {
    const question = byID.get(id);
    if (!questionnaire.shuffle.options || !shuffles.includes(question.kind)) return question;
    return { ...question, order: rules.optionOrder(test, question) };
  });
  const drawnNow = { ...questionnaire, questions, visibility: undefined, notDrawn: questionnaire.questions.map(({ id }) => id).filter(id => !drawn.has(id)) };
  return rules.repeated(drawnNow, record, entry());
}

/** The questionnaire with the instances that a test has by now. */
export const rearranged = (questionnaire, record) => questionnaire.document ? rules.repeated(questionnaire.document, record, entry()) : questionnaire;

/** The ids of the questions in the order shown, where the document alone does not say it. */
export const shown = (questionnaire, record, hidden = new Set()) => questionnaire && isArranged(questionnaire)
  ? [...new Set(arranged(questionnaire, record).questions.map(({ id }) => id).filter(id => !hidden.has(id)).map(id => rules.placeOf(id).question))] : undefined;

export { optionPlaces } from './kinds.js';

/** The section of a question; undefined for none. */
export const sectionOf = (questionnaire, id) => questionnaire?.sections?.find(section => section.questions.includes(id));
const hasPassage = section => Boolean(section && (section.title || section.text || section.media.length));

/** Items as they stand together: [{section, items}]. */
export function groups(questionnaire, items, idOf) {
  const found = [];
  for (const item of items) {
    const section = sectionOf(questionnaire, idOf(item));
    if (!found.length || found.at(-1).section !== section) found.push({ section, items: [] });
    found.at(-1).items.push(item);
  }
  return found;
}

/** What is read above the questions of a section, or null. */
export function passage(section, { locale }, texts, name, isOpen, media = []) {
  if (!hasPassage(section)) return null;
  const fields = { dir: directionOf(locale), lang: locale };
  const title = section.title && h('h2', fields, texts.line(section.title));
  if (!section.text && !media.length) return h('h2', { ...fields, class: 'part-title' }, texts.line(section.title));
  const details = h('details', { class: 'card passage' }, h('summary', {}, title || name),
    h('div', { class: 'passage-text', tabindex: 0, role: 'group', 'aria-label': name }, section.text && texts.passage(section.text), media));
  details.open = isOpen;
  return details;
}

/** The options as the test showed them, with those that were chosen; nothing for other kinds. */
export function taken(question, given) {
  if (!['choice', 'choices'].includes(question.kind)) return null;
  const chosen = given ? store.match(question, given).places : [];
  return h('details', { class: 'taken' }, h('summary', {}, say('allOptions')), h('ul', {}, kinds.optionPlaces(question).map(place =>
    h('li', { class: chosen.includes(place) && 'chosen' }, question.texts.option(kinds.label(question, question.options[place])), chosen.includes(place) && [' ', h('small', {}, say('yourAnswer'))]))));
}

/** A section's title above lines; nothing for one without. */
export const heading = (section, { locale }, texts) => section?.title ? foreign('h2', texts.line(section.title), locale) : null;

/** The question of an id; a document has that of each instance, too. */
export function questionOf(questionnaire, id) {
  const found = questionnaire.questions.find(question => question.id === id), { question, number } = rules.placeOf(id);
  if (found || !number || questionnaire.document || !sectionOf(questionnaire, question)?.repeat) return found;
  const once = questionnaire.questions.find(one => one.id === question);
  return once && { ...once, id };
}

/** The ids of all questions, and of the instances that a test has. */
export const idsFor = (questionnaire, record) => [...questionnaire.questions, ...rules.repeated(questionnaire, record).questions].map(({ id }) => id);
