// The instances of repeated sections: added, removed and moved. Each change is one transaction; the rules are those of Model's
// TestRecord. In this browser a question of an instance has one id; a file names it by two members, `questionId` and `instance`.
import * as rules from './rules.js';
import * as store from './store.js';
import * as files from './files.js';
import * as sections from './sections.js';
import * as words from './words.js';
import { h, button, tell } from './ui.js';

const rename = (record, name) => {
  for (const list of [record.answers, record.attachments ?? []]) for (const one of list) one.questionId = name(one.questionId);
};

// Answers without an instance belong to the first one: they get its number before another one is the first.
function nameFirst(record, section) {
  const [first] = rules.instancesOf(section, record);
  if (first) rename(record, id => section.questions.includes(id) ? rules.placeID(id, first) : id);
}

const isOf = (id, section, number) => {
  const place = rules.placeOf(id);
  return place.number === number && section.questions.includes(place.question);
};

const change = (id, act) => store.edit(id, test => {
  if (!store.isDraft(test) || act(test.record) === false) return false;
  test.changedAt = new Date().toISOString();
});

const add = (id, section) => {
  let added = null;
  return change(id, record => {
    const numbers = rules.instancesOf(section, record);
    if (numbers.length >= rules.mostInstancesOf(section)) return false;
    added = Math.max(0, ...numbers, ...rules.answeredInstances(section, record)) + 1;
    record.instances = { ...record.instances, [section.id]: [...numbers, added] };
  }).then(() => added);
};

const move = (id, section, number, by) => change(id, record => {
  const numbers = rules.instancesOf(section, record), spot = numbers.indexOf(number);
  if (spot < 0) return false;
  nameFirst(record, section);
  numbers.splice(spot, 1);
  numbers.splice(Math.min(Math.max(0, spot + by), numbers.length), 0, number);
  record.instances = { ...record.instances, [section.id]: numbers };
}).then(() => number);

async function remove(id, section, number) {
  let next = null;
  const attached = [];
  await change(id, record => {
    const numbers = rules.instancesOf(section, record), spot = numbers.indexOf(number);
    if (spot < 0 || numbers.length <= rules.fewestInstances(section)) return false;
    nameFirst(record, section);
    record.answers = record.answers.filter(({ questionId }) => !isOf(questionId, section, number));
    attached.push(...(record.attachments ?? []).filter(({ questionId }) => isOf(questionId, section, number)));
    const left = numbers.filter(other => other !== number);
    record.instances = { ...record.instances, [section.id]: left };
    next = left[Math.min(spot, left.length - 1)] ?? null;
  });
  for (const file of attached) await files.detach(id, file.id);
  return next;
}

const hasAnswers = (record, section, number) => {
  const isHere = id => isOf(id, section, number) || section.questions.includes(id) && rules.instancesOf(section, record)[0] === number;
  return record.answers.some(answer => !store.blank(answer) && isHere(answer.questionId)) || (record.attachments ?? []).some(({ questionId }) => isHere(questionId));
};

const wordOf = section => rules.instanceWord(section, words.entry());

/** The buttons of the instance that a section is; null for one that is asked once. `then` gets the document's section and the instance to show. */
export function toolbar(id, questionnaire, section, recordNow, settled, then) {
  const { instance } = section ?? {}, document = instance && questionnaire.repeats.find(one => one.id === instance.section);
  if (!document) return null;
  const act = work => async () => {
    if (!await settled()) return;
    try { then(document, await work()); } catch (error) { tell(words.notChanged(error)); }
  };
  const { number, name, place, count } = instance;
  return h('div', { class: 'instance', role: 'group', 'aria-label': name }, h('span', { class: 'quiet', dir: 'auto' }, words.instanceOf(name, count)),
    place > 1 && button('↑', act(() => move(id, document, number, -1)), { class: 'plain', 'aria-label': words.moveWords('up', name), id: `up-${section.id}` }),
    place < count && button('↓', act(() => move(id, document, number, 1)), { class: 'plain', 'aria-label': words.moveWords('down', name), id: `down-${section.id}` }),
    count > rules.fewestInstances(document) && button(words.removeInstance(name), act(() =>
      hasAnswers(recordNow(), document, number) && !confirm(words.removeSure(name)) ? number : remove(id, document, number)), { class: 'quiet-button', id: `remove-${section.id}` }));
}

/** The buttons that add an instance, one for each repeated section; `refresh` shows those whose condition holds. */
export function adding(id, questionnaire, settled, then) {
  const rows = (questionnaire.repeats ?? []).map(section => {
    const count = h('span', { class: 'quiet', dir: 'auto' }), more = button(words.addInstance(wordOf(section)), async () => {
      if (!await settled()) return;
      try { then(section, await add(id, section)); } catch (error) { tell(words.notChanged(error)); }
    }, { class: 'plain', id: `add-${section.id}` });
    return { section, count, more, row: h('div', { class: 'instance adding' }, count, more) };
  });
  // Behind the last question of the section; without an instance, where its questions would be.
  const anchor = (section, seen) => {
    const { questions, document } = questionnaire, last = seen.findLast(index => sections.sectionOf(questionnaire, questions[index].id)?.instance?.section === section.id);
    if (last !== undefined) return last;
    const ids = document.questions.map(({ id }) => id), before = new Set(ids.slice(0, ids.findIndex(id => section.questions.includes(id))));
    return seen.findLast(index => before.has(rules.placeOf(questions[index].id).question)) ?? seen[0];
  };
  // at: the question alone on the screen; undefined where all are on it.
  const refresh = (record, hidden, seen, at) => rows.forEach(({ section, count, more, row }) => {
    const number = rules.instancesOf(section, record).length, known = new Set(questionnaire.questions.map(({ id }) => id));
    count.textContent = `${wordOf(section)}: ${number}`;
    more.hidden = number >= rules.mostInstancesOf(section);
    row.hidden = at !== undefined && anchor(section, seen) !== at || Boolean(section.condition) && !rules.holds(section.condition, one => known.has(one) && !hidden.has(one) ? store.answerTo(record, one)?.answer : undefined);
  });
  const behind = (items, seen) => rows.filter(({ section }) => items.includes(anchor(section, seen))).map(({ row }) => row);
  return { elements: rows.map(({ row }) => row), behind, refresh };
}

/** The place, from 1, of the first question of an instance in a questionnaire that is arranged anew; undefined for none. */
export function placeOf(questionnaire, record, section, number) {
  const now = sections.rearranged(questionnaire, record), id = rules.placeID(section.id, number);
  const spot = number ? now.questions.findIndex(question => sections.sectionOf(now, question.id)?.id === id) : -1;
  return spot < 0 ? undefined : spot + 1;
}

/** Whether a test has other instances by now than a screen shows. */
export const isOutdated = (questionnaire, record) => Boolean(questionnaire.repeats)
  && JSON.stringify(sections.rearranged(questionnaire, record).sections.map(({ id }) => id)) !== JSON.stringify(questionnaire.sections.map(({ id }) => id));

/** A test with its instances numbered by their order, without the answers of those that were removed. */
export function numbered(questionnaire, record) {
  if (!questionnaire?.repeats) return record;
  const made = structuredClone(record);
  for (const section of questionnaire.repeats) {
    nameFirst(made, section);
    const numbers = rules.instancesOf(section, made), isHere = ({ questionId }) => {
      const { question, number } = rules.placeOf(questionId);
      return !section.questions.includes(question) || numbers.includes(number);
    };
    made.answers = made.answers.filter(isHere);
    if (made.attachments) made.attachments = made.attachments.filter(isHere);
    rename(made, id => {
      const { question, number } = rules.placeOf(id);
      return section.questions.includes(question) ? rules.placeID(question, numbers.indexOf(number) + 1) : id;
    });
    made.instances = { ...made.instances, [section.id]: numbers.map((_, spot) => spot + 1) };
  }
  return made;
}

/** A test as its file has it. */
export function inFile(record) {
  const named = ({ questionId, ...more }) => {
    const { question, number } = rules.placeOf(questionId);
    return { questionId: question, ...number ? { instance: number } : {}, ...more };
  };
  const file = ({ id, questionId, ...more }) => ({ id, ...named({ questionId, ...more }) });
  return { ...record, answers: record.answers.map(named), ...record.attachments ? { attachments: record.attachments.map(file) } : {} };
}

/** The verdicts of a receipt, by the ids that questions have here. */
export const verdicts = list => list.map(one => one && { ...one, questionId: rules.placeID(one.questionId, one.instance) });
