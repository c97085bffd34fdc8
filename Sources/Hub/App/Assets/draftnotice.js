// What the hub says of a draft, in words: where there is a copy, and what another device did with the same draft.
import * as drafts from './drafts.js';
import * as words from './words.js';
import { button, notice, h, tell } from './ui.js';

const { say } = words;

/** Above the questions of a draft; null where there is nothing to say. `flush` saves what was typed. */
export function draftNotice(draft, flush) {
  const state = drafts.stateOf(draft), lost = drafts.lostFiles(draft);
  const failed = error => tell(words.notChanged(error));
  if (state === 'handedIn') return notice('warn', say('draftHandedIn'));
  if (state === 'elsewhere') {
    return notice('warn', say('draftElsewhere'), h('div', { class: 'actions' },
      button(say('keepDraft'), () => drafts.keepOwn(draft.id).catch(failed), { id: 'keep-own' }),
      button(say('takeDraft'), async () => { if (await flush()) drafts.takeOther(draft.id).then(() => dispatchEvent(new Event('hashchange'))).catch(failed); }, { id: 'take-other' })));
  }
  return lost.length ? notice('warn', words.filesLost(lost)) : null;
}
/** In a list of tests. */
export const draftFact = test => ({ kept: ['here', say('draftAtHub')], elsewhere: ['bad', say('draftElsewhereShort')], handedIn: ['bad', say('draftHandedInShort')], full: ['', say('draftFull')] })[drafts.stateOf(test)];
/** For the settings: whether the hub gets drafts, and why not. */
export const standing = ({ codes, current }) => say(!drafts.isPossible ? 'draftsUnsafe' : current && codes[current.id] ? 'draftsKept' : 'draftsNoCode');
