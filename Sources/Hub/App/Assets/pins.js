// PINs of the people who share this phone, each with its wrong tries (docs/people.md). They stay in this browser. Whether a PIN was typed
// is known to one tab until it is reloaded. Without https the browser cannot hash, and there are no PINs.
import * as store from './store.js';

export const isPossible = Boolean(globalThis.crypto?.subtle);
export const facts = { pins: 'pins', opened: 'opened', person: 'person' };
/** Of PBKDF2 with SHA-256, for new PINs. */
export const rounds = 600000;
const mostRounds = 1e7, fewestDigits = 4, mostDigits = 12;

/** Why a PIN was refused. `kind`: 'needed', 'wrong', 'wait', 'damaged', 'invalid', 'differ' or 'left'; `seconds` until the next try. A
 * teacher's key: 'noTeacherKey', 'noKeysHere' or 'keyAway'. */
export class PINFault extends Error {
  constructor(kind, seconds = 0) {
    super(kind);
    Object.assign(this, { kind, seconds });
  }
}

// The rules of Quire's PIN and PINTries (Tests/Vectors/pins.json).

// The digits of a script follow one another, and none of two scripts but the mathematical ones.
function value(letter) {
  if (!/^\p{Nd}$/u.test(letter)) return null;
  const point = letter.codePointAt(0);
  if (point >= 0x1D7CE && point <= 0x1D7FF) return (point - 0x1D7CE) % 10;
  let zero = point;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return point - zero;
}
/** The digits of a PIN as people type it; null for what is none. */
export function digits(written) {
  const values = [...written].filter(letter => !/[\s-]/u.test(letter)).map(value);
  return values.includes(null) || values.length < fewestDigits || values.length > mostDigits ? null : values.join('');
}
/** The wait after so many wrong ones. */
export const waitSeconds = wrong => wrong < 5 ? 0 : Math.min(30 * 2 ** Math.min(wrong - 5, 20), 900);
/** The seconds until the next try; 0 for now. Times are in ms. */
export function remainingSeconds(tries, now) {
  const wait = waitSeconds(tries?.wrong ?? 0), past = tries ? (now - tries.at) / 1000 : 0;
  return past < 0 ? wait : Math.max(0, wait - Math.floor(past));
}

const hex = bytes => Array.from(new Uint8Array(bytes), byte => byte.toString(16).padStart(2, '0')).join('');
/** The hash of a PIN, slow to make. */
export async function hash(pin, salt, iterations) {
  const secret = await crypto.subtle.importKey('raw', new TextEncoder().encode(pin), 'PBKDF2', false, ['deriveBits']);
  return hex(await crypto.subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-256', salt: new Uint8Array(salt), iterations }, secret, 256));
}
const isUsable = entry => entry.algorithm === 'pbkdf2-sha256' && Number.isInteger(entry.rounds) && entry.rounds > 0 && entry.rounds <= mostRounds
  && Array.isArray(entry.salt) && /^[0-9a-f]{64}$/.test(entry.hash);

// What this tab knows of who typed their PIN: the same in the storage, until someone else comes.
let own = null;
/** What opens the tests of the person who is there for this tab, and for no other: a part of one change of facts. */
export const opening = () => ({ [facts.opened]: own = store.uuid() });
/** Whether a person's tests are open in this tab. */
export const isOpen = (id, { pins, opened }) => !pins?.[id] || own !== null && opened === own;

/** Forgets wrong tries. */
export const forgive = id => store.changeFacts([facts.pins], ({ pins }) => {
  if (!pins?.[id]?.tries) return {};
  const { tries, ...entry } = pins[id];
  return { [facts.pins]: { ...pins, [id]: entry } };
});

/**
 * Compares what was typed with the PIN of a person; nothing is asked of one without a PIN. `isCode`: it is the code with which they
 * logged in here, which opens too and waits for nothing.
 */
export async function check(id, typed, isCode = false) {
  if (!(await store.fact(facts.pins))?.[id]) return;
  if (!typed?.trim()) throw new PINFault('needed');
  if (isCode) return forgive(id);
  let entry, wait, wrong;
  // Counted before it is compared: a reload in between gives no further try, and neither do two tabs.
  await store.changeFacts([facts.pins], ({ pins }) => {
    entry = pins?.[id];
    if (!entry || !isUsable(entry)) return {};
    const now = Date.now(), { tries } = entry;
    wait = remainingSeconds(tries, now);
    wrong = (tries?.wrong ?? 0) + 1;
    return { [facts.pins]: { ...pins, [id]: { ...entry, tries: wait ? { ...tries, at: Math.min(tries.at, now) } : { wrong, at: now } } } };
  });
  if (!entry) return;
  if (!isUsable(entry)) throw new PINFault('damaged');
  if (wait) throw new PINFault('wait', wait);
  const pin = digits(typed);
  if (!pin || await hash(pin, entry.salt, entry.rounds) !== entry.hash) throw new PINFault('wrong', waitSeconds(wrong));
  await forgive(id);
}

/** Sets or changes the PIN of a person, in the tab that stays open; where another one came meanwhile, in another tab, theirs alone is. */
export async function set(id, typed, again) {
  const pin = digits(typed);
  if (!pin) throw new PINFault('invalid');
  if (pin !== digits(again)) throw new PINFault('differ');
  const salt = [...crypto.getRandomValues(new Uint8Array(16))];
  const entry = { algorithm: 'pbkdf2-sha256', rounds, salt, hash: await hash(pin, salt, rounds) };
  await store.changeFacts([facts.pins, facts.person], ({ pins, person }) => ({ [facts.pins]: { ...pins, [id]: entry }, ...person === id ? opening() : {} }));
}
export const remove = id => store.changeFacts([facts.pins], ({ pins }) => {
  const { [id]: gone, ...others } = pins ?? {};
  return { [facts.pins]: others };
});
