// Finishing a test: by the button of the review, or by itself when its time is over and its author wants that.
import * as store from './store.js';
import * as library from './library.js';
import * as sync from './background-sync.js';
import * as words from './words.js';
import * as kinds from './kinds.js';
import * as sections from './sections.js';
import * as instances from './instances.js';
import * as timing from './timing.js';
import * as drafts from './drafts.js';
import { elapsed } from './limitclock.js';
import { tell } from './ui.js';

const { say } = words;
const longest = 4 << 20;
// The seconds before the end at which a person is warned, the last one first.
const warnings = [60, 300];

// The place is written at once and in one piece, so that a killed browser has it, too.
export const places = {
  get(id) { try { return JSON.parse(localStorage.getItem('quire.place.' + id)) ?? {}; } catch { return {}; } },
  set(id, place) { try { localStorage.setItem('quire.place.' + id, JSON.stringify({ ...this.get(id), ...place })); } catch { /* The answers are safe without it. */ } },
  remove(id) { try { localStorage.removeItem('quire.place.' + id); } catch { /* It is small. */ } },
};

// The seconds that are left.
const timeLeft = ({ timeLimitSeconds }, record) => Math.ceil(timeLimitSeconds - elapsed(record));
const isEnded = (questionnaire, record) => Boolean(questionnaire?.finishesAtTimeLimit && questionnaire.timeLimitSeconds) && timeLeft(questionnaire, record) <= 0;

export async function finish(id, questionnaire, end) {
  await store.finish(id, longest, record => kinds.hidden(questionnaire, record), (record, hidden) => sections.shown(questionnaire, record, hidden), record => instances.numbered(questionnaire, record), instances.inFile, end);
  places.remove(id);
  sync.now();
}

// Whether a draft goes on in a newer version, which is the same attempt: as Swift's TimeLimits.isMoved.
const isMoved = ({ id, record }, tests) => tests.some(({ id: otherId, record: other, status }) => otherId !== id
  && other.dateStarted === record.dateStarted && other.questionnaire.id === record.questionnaire.id
  && (other.parent === id || (other.deviceId === record.deviceId ? other.sequence > record.sequence : !store.isDraft({ status }))));

// The same person may have answered more on another phone: fetch the hub's copy of the draft first, if the hub answers.
function askHub(tests) {
  const people = new Set(tests.flatMap(({ record: { person } }) => person ? [person.id] : []));
  const asked = [...people].map(person => drafts.askAgain(person).catch(() => 0));
  return Promise.race([Promise.all(asked), new Promise(done => setTimeout(done, 5000))]);
}

// A draft that was moved stays: the other one is handed in. So does one of which another phone has answers that its person has not
// chosen between. What is required and wrong is handed in as it is.
async function handIn(id, questionnaire, active = 0) {
  const test = await store.test(id);
  if (!test || !store.isDraft(test) || drafts.stateOf(test) === 'elsewhere' || isMoved(test, await store.tests())) return false;
  await finish(id, questionnaire, ({ dateStarted, timing: known }) => timing.ended(known, questionnaire.timeLimitSeconds, dateStarted, active));
  return true;
}

// Those whose time ended while the app was closed.
export async function handInAll() {
  const ended = [];
  for (const test of await store.tests()) {
    const questionnaire = store.isDraft(test) && await library.openShown(test.record).catch(() => null);
    if (isEnded(questionnaire, test.record)) ended.push({ test, questionnaire });
  }
  await askHub(ended.map(({ test }) => test));
  for (const { test, questionnaire } of ended) await handIn(test.id, questionnaire).catch(() => { /* When it is opened. */ });
}

// Shows what is left, says it in words near the end, and hands in at the end. What is typed is saved by `save` first; `watch` counts
// for how long the test is open; `over` is called where the person goes on instead.
export function countDown(clock, id, questionnaire, { save = async () => true, watch, over, done = () => {} }) {
  // A test with a shorter limit has so much time from its start.
  let warned = places.get(id).warned ?? warnings.find(seconds => questionnaire.timeLimitSeconds <= seconds) ?? Infinity, test;
  const tick = async () => {
    if (!clock.isConnected) return;
    try {
      test ??= await store.test(id);
    } catch {
      return setTimeout(tick, 1000);
    }
    if (!test || !store.isDraft(test)) return;
    const left = timeLeft(questionnaire, test.record), mark = left > 0 && warnings.find(seconds => left <= seconds);
    clock.textContent = words.timeLeft(left);
    // Said once in a test, also to those who do not see the clock.
    if (mark && mark < warned) {
      warned = mark;
      places.set(id, { warned });
      tell(words.timeWarning(mark));
    }
    if (left <= 0 && !isEnded(questionnaire, test.record)) return over();
    if (left <= 0) {
      // How long it takes from now on makes no test late.
      watch.pause();
      try {
        if (await save()) {
          await askHub([test]);
          if (!await handIn(id, questionnaire, watch.take())) return over();
          done();
          tell(say('endedByTimeLimit'));
          location.hash = `#/t/${id}`;
          return dispatchEvent(new Event('hashchange'));
        }
      } catch { /* Once more. */ }
    }
    setTimeout(tick, 1000);
  };
  tick();
}
