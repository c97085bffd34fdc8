// What the hub says of a draft, in words: where there is a copy, and what another device did with the same draft.
import * as drafts from './drafts.js';
import * as store from './store.js';
import * as words from './words.js';
import { button, notice, h, $, put, foreign, tell } from './ui.js';

const { say } = words;

// The first answers that differ, side by side: `rows` makes the lines of a record, as of a report.
const mostShown = 6;
async function differences(own, other, rows) {
  const [mine, theirs] = await Promise.all([own, other].map(record => rows({ record }))), lines = new Map();
  for (const [side, list] of [['mine', mine], ['theirs', theirs]]) for (const { question, given } of list) lines.set(question.id, { ...lines.get(question.id), question, [side]: given });
  const named = (record, { id }) => (record.attachments ?? []).filter(({ questionId }) => questionId === id).map(({ name }) => name).join(', ');
  const text = (record, question, given) => [store.blank(given) ? '' : question.texts.answerLine(question, given), named(record, question)].filter(Boolean).join(' · ') || say('notAnswered');
  const found = [...lines.values()].filter(({ question, mine, theirs }) => store.mark(mine) !== store.mark(theirs) || named(own, question) !== named(other, question));
  return found.length > 0 ? [h('ul', { class: 'differences' }, found.slice(0, mostShown).map(({ question, mine, theirs }) => h('li', {}, foreign('strong', question.texts.line(question.text) || question.place, question.locale),
    h('dl', {}, h('div', {}, h('dt', {}, say('hereAnswer')), foreign('dd', text(own, question, mine), null)), h('div', {}, h('dt', {}, say('elsewhereAnswer')), foreign('dd', text(other, question, theirs), null)))))),
  found.length > mostShown && h('p', { class: 'quiet' }, words.moreDiffer(found.length - mostShown))] : [h('p', {}, say('noAnswerDiffers'))];
}

/** Above the questions of a draft; nothing where there is nothing to say. `settled` waits until what was typed, chosen or drawn is saved. */
export function draftNotice(draft, settled, rows) {
  const state = drafts.stateOf(draft), lost = drafts.lostFiles(draft);
  const away = error => error.kind === 'noCode' ? say('draftsRefused') : say('draftOtherAway');
  const failed = error => tell(error instanceof drafts.DraftFault ? away(error) : words.notChanged(error)), again = () => dispatchEvent(new Event('hashchange'));
  const act = work => async () => { if (await settled()) await work().then(again).catch(failed); };
  if (state === 'handedIn') return notice('warn', say('draftHandedIn'));
  if (state === 'elsewhere') {
    const region = h('div'), box = notice('warn', say('draftElsewhere'), region);
    put(region, h('p', { class: 'quiet' }, say('fetching')));
    (async () => {
      const other = await drafts.other(draft), own = await store.test(draft.id);
      const keep = button(say('keepDraft'), act(() => drafts.keepOwn(draft.id)), { id: 'keep-own' });
      if (!other) return put(region, h('p', {}, words.draftsLocked(1)), h('div', { class: 'actions' }, keep));
      put(region, await differences(own.record, other, rows), h('div', { class: 'actions' }, keep, button(say('takeDraft'), act(() => drafts.takeOther(draft.id)), { id: 'take-other' })));
    })().catch(error => error.kind === 'gone' ? drafts.goOn(draft.id) : put(region, h('p', {}, away(error)))).catch(() => { /* The next round asks again. */ });
    return box;
  }
  const aside = (other, place) => {
    const region = h('div'), number = place ? '-' + (place + 1) : '';
    store.test(draft.id).then(async own => put(region, await differences(own.record, other, rows))).catch(() => put(region));
    return h('details', { class: 'notice', id: 'aside' + number, open: $('#aside' + number)?.open === true }, h('summary', {}, say('draftAside')), region,
      h('p', {}, button(say('takeDraft'), act(() => drafts.takeAside(draft.id, place)), { class: 'plain', id: 'take-aside' + number })));
  };
  return [lost.length > 0 && notice('warn', words.filesLost(lost)), drafts.asidesOf(draft).map(aside)];
}
/** In a list of tests. */
export const draftFact = test => ({ kept: ['here', say('draftAtHub')], elsewhere: ['bad', say('draftElsewhereShort')], handedIn: ['bad', say('draftHandedInShort')], full: ['', say('draftFull')] })[drafts.stateOf(test)];
/** For the settings: whether the hub gets drafts, and why not. */
export const standing = ({ codes, current }) => say(!drafts.isPossible ? 'draftsUnsafe' : !current || !codes[current.id] ? 'draftsNoCode' : drafts.isRefused(codes[current.id]) ? 'draftsRefused' : 'draftsKept');
