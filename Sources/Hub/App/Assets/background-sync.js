// Brings finished tests to the hub, once: one tab at a time, the same bytes under the same id until there is an answer,
// and shown as sent only on the server's own receipt (docs/protocol.md, sections 6 and 7).
import * as store from './store.js';
import * as uploads from './uploads.js';
import { within, refresh, fault, keepResult } from './library.js';
import { hear } from './timing.js';
import { codeOf } from './people.js';
import { exchange as exchangeDrafts } from './drafts.js';
import { report } from './progress.js';

// online, hub (it is there, the server is away), offline; null until it is known.
export let presence = null;
const watchers = new Set();
export const watch = watcher => watchers.add(watcher);
function see(now) {
  if (presence === now) return;
  presence = now;
  watchers.forEach(watcher => watcher(now));
}

const shortest = 2000, minute = 60e3, longest = 3600e3, longestRetryAfter = 86400e3;
// Whose word a receipt is: a test's, or a file's.
const named = receipt => (receipt?.test ?? receipt?.change)?.toLowerCase?.();

// The marks by which a problem document is known to be a Quire server's or hub's (docs/protocol.md, section 1), as
// `ProtocolMarks` has them.
const prefix = 'urn:quire:problem:', uploadTypes = ['mismatching-upload-offset', 'inconsistent-upload-length'].map(name => 'https://iana.org/assignments/http-problem-types#' + name);
const isText = value => typeof value === 'string' && value !== '';
export function hasMarks({ status, problem }) {
  const type = problem?.type;
  if (!isText(type)) return false;
  if (type.startsWith(prefix)) return type.length > prefix.length;
  return uploadTypes.includes(type)
    || type === 'about:blank' && isText(problem.title) && isText(problem.detail) && problem.status === status && !('instance' in problem);
}

// Whether another page answers in the place of the server: it moves nothing forward, and rejects nothing. As `StrangerRule` has it.
export function isStranger(reply) {
  const { status } = reply;
  if (status >= 200 && status < 300) return /^text\/html/i.test(reply.type ?? '');
  if (status === 401) return !(reply.login == null || /bearer/i.test(reply.login)) && !hasMarks(reply);
  if (status === 304 || [408, 425, 429].includes(status) || status >= 500 && status !== 511) return false;
  return status < 400 || [407, 421, 511].includes(status) || !hasMarks(reply);
}

// A reply as it is judged: its status, its fields by a function, its content as text.
export function read(status, field, text) {
  let body = null;
  try { body = JSON.parse(text); } catch { /* No document: the status has to do. */ }
  const type = field('Content-Type') ?? '', isProblem = type.toLowerCase().startsWith('application/problem+json'), wait = Number(field('Retry-After'));
  return {
    status, type, login: field('WWW-Authenticate'), body: isProblem ? null : body, problem: isProblem && body && typeof body === 'object' ? body : null,
    retryAfter: wait > 0 ? wait * 1000 : 0,
  };
}

// What becomes of a test, or of a file, after a reply, as a value: the fields that change. A reply is {status, body, problem, retryAfter}.
export function decide(test, reply, now, jitter = Math.random()) {
  const past = test.delivery;
  const type = String(reply?.problem?.type ?? ''), kind = type.startsWith(prefix) ? type.slice(prefix.length) : undefined;
  const tried = reason => ({ delivery: { attempts: (past?.attempts ?? 0) + 1, firstAttempt: past?.firstAttempt ?? now, lastAttempt: now, reason, httpStatus: reply?.status, problem: kind } });
  // A random time between the shortest pause and twice as long as it was tried already, so the pause doubles on average. A Retry-After takes the
  // place of a shorter shortest pause.
  const age = now - (past?.firstAttempt ?? now);
  const pause = (least, asked = 0) => now + Math.max(least, asked) + (Math.min(Math.max(2 * age, 4 * least), longest) - least) * jitter;
  const later = (reason, isOver) => ({ status: 'done', ...tried(reason), isOver, notBefore: pause(shortest, Math.min(reply.retryAfter ?? 0, longestRetryAfter)) });
  if (!reply) return { status: 'done', ...tried('noWay'), notBefore: now, isOver: true };
  const { status, body, problem } = reply;
  const isOurs = named(body) === test.id && body?.digest?.toLowerCase?.() === 'sha256:' + test.frozen.digest;
  if (status === 200 || status === 201) {
    if (isOurs && store.delivered.includes(body.status) && body.receivedAt) return { status: body.status, receipt: body };
    return later('cannotUse', true);
  }
  if (status === 202) {
    if (isOurs && body.status === 'kept' && body.keptAt) return { status: 'done', keptAt: body.keptAt, delivery: undefined, notBefore: pause(minute) };
    return later('cannotUse', true);
  }
  const reason = problem?.detail || problem?.title || `HTTP ${status}`;
  if (isStranger(reply)) return later('notTheServer', true);
  if (status < 400) return later('cannotUse', true);
  if (status === 401) return later('wantsToken', true);
  if (status === 409 || status === 412) return { status: 'conflict', keptAt: undefined, ...tried(reason) };
  const isPassing = status >= 500 || [408, 425, 429].includes(status) || ['digest-mismatch', 'test-unknown', 'not-found', 'method-not-allowed'].includes(kind)
    || test.test && (status === 404 || status === 410) && !type.endsWith(':not-attached');
  return isPassing ? later(reason, [429, 503].includes(status)) : { status: 'rejected', keptAt: undefined, ...tried(reason) };
}

// A reply that goes back behind what is known says nothing.
function learn(test, outcome) {
  if (store.delivered.indexOf(outcome.status) < store.delivered.indexOf(test.status) && !test.lostAt) return false;
  const { isOver, ...fields } = outcome;
  if (store.delivered.includes(fields.status)) Object.assign(fields, { keptAt: undefined, delivery: undefined, lostAt: undefined });
  Object.assign(test, fields);
}

// With the key of a person. One that was revoked is no reason to keep a test: it goes without, as one that is not proven.
async function exchangeFor(test, path, options) {
  const code = await codeOf(test).catch(() => undefined);
  if (!code) return exchange(path, options);
  const reply = await exchange(path, { ...options, headers: { ...options?.headers, Authorization: 'Bearer ' + code } });
  return reply?.status === 401 ? exchange(path, options) : reply;
}

async function exchange(path, options) {
  let reply, text;
  try {
    reply = await fetch(within(path), { cache: 'no-store', redirect: 'error', signal: AbortSignal.timeout?.(minute), ...options });
    text = await reply.text();
  } catch (error) {
    // Who is silent is there; it is the server behind that is slow.
    see(error.name === 'TimeoutError' ? 'hub' : 'offline');
    return null;
  }
  if (reply.status === 202) see('hub');
  const field = name => reply.headers.get(name), result = { ...read(reply.status, field, text), headers: reply.headers };
  if (!isStranger(result)) hear(field);
  return result;
}

// What could not be noted, for this tab.
const unnoted = new Map();
const stand = item => ({ ...item, ...unnoted.get(item.id) });
const waits = item => ['done', 'sending'].includes(item.status);

async function note(item, outcome) {
  try {
    await store.edit(item.id, now => waits(now) || outcome.receipt ? learn(now, outcome) : false, item.test ? 'files' : 'tests');
    unnoted.delete(item.id);
    // So that it is shown offline as its author formatted it.
    if (!item.test && outcome.receipt) keepResult({ ...item, ...outcome }).catch(() => { /* The result asks again. */ });
  } catch {
    unnoted.set(item.id, outcome);
    // Without its bytes it gets the same receipt.
    if (item.test && outcome.receipt) await store.letGo(item.id).catch(() => false);
  }
}

async function deliver(test) {
  const known = unnoted.get(test.id);
  if (known && !waits(known)) return note(test, known).then(() => true);
  // It goes, even where that cannot be noted.
  if (await store.edit(test.id, now => waits(now) && void (now.status = 'sending')).catch(() => 0) === false) return true;
  const reply = await exchangeFor(test, 'tests/' + test.id, {
    method: 'PUT', body: test.frozen.bytes,
    headers: { 'Content-Type': 'application/json', 'Content-Digest': uploads.digestField(test.frozen.digest) },
  });
  const outcome = decide(test, reply, Date.now());
  await note(test, outcome);
  return !outcome.isOver;
}

// A test may be rated anew, or more of its result be given out; two weeks later nobody asks any more.
const ratedLately = ({ status, receipt }) => status === 'rated' && receipt
  && Date.now() - Math.max(...[receipt.evaluation?.ratedAt ?? receipt.receivedAt, receipt.releasesAt].map(time => Date.parse(time) || 0)) < 14 * 86400e3;

// Asks what became of what was handed over.
async function ask() {
  const tests = (await store.tests()).filter(test => test.status === 'done' ? test.keptAt : store.awaitsRating(test) || ratedLately(test));
  const files = (await store.files()).filter(file => file.status === 'done' && file.keptAt);
  const own = new Map((await store.tests()).map(test => [test.id, test])), groups = new Map();
  // What people proved with their codes they alone may ask for; what was delivered without it does not exist for a code.
  for (const item of [...tests, ...files]) {
    const test = own.get(item.test ?? item.id), isProven = !test?.receipt || test.receipt.person?.verified === true;
    const code = isProven && await codeOf(test).catch(() => undefined) || '';
    groups.set(code, [...groups.get(code) ?? [], item]);
  }
  for (const [code, asked] of groups) if (!await askFor(asked, code && own.get(asked[0].test ?? asked[0].id))) return;
}

async function askFor(asked, test) {
  for (let start = 0; start < asked.length; start += 100) {
    const part = asked.slice(start, start + 100);
    const reply = await exchangeFor(test, 'tests?ids=' + part.map(item => item.id).join(','));
    // Without a key there may be no answer; with one of a person there may.
    if (reply?.status === 401) return true;
    if (reply?.status !== 200 || !Array.isArray(reply.body?.receipts)) return false;
    // Where a hub alone answers, it may know of a part.
    const isComplete = reply.body.complete ?? !('kept' in reply.body);
    for (const item of part) {
      const receipt = reply.body.receipts.find(receipt => named(receipt) === item.id);
      const outcome = receipt && decide(item, { status: 200, body: receipt }, Date.now());
      if (outcome?.receipt) {
        if (JSON.stringify(receipt) !== JSON.stringify(item.receipt) || item.lostAt) await note(item, outcome);
      } else if (isComplete && !receipt && store.delivered.includes(item.status)) {
        // The server acknowledged it and does not have it any more: the person may send it again.
        if (!item.lostAt) await store.edit(item.id, now => { if (store.delivered.includes(now.status)) now.lostAt = Date.now(); }).catch(() => false);
      } else if (item.status === 'done' && !receipt && !(reply.body.kept ?? []).some(kept => named(kept) === item.id)) {
        // Nobody there knows it any more: it is sent again, with the same bytes.
        await note(item, { status: 'done', keptAt: undefined, notBefore: 0 });
      }
    }
  }
  return true;
}

// Files go after all tests, each when its own test was handed over; those of early tests and small ones first.
async function waitingFiles() {
  const isHanded = test => store.delivered.includes(test.status) || test.status === 'done' && test.keptAt;
  const tests = new Map((await store.tests()).map(stand).filter(isHanded).map(test => [test.id, test.record]));
  // The phone may also hold files of a draft that was set aside; the test does not name them.
  const isNamed = file => tests.get(file.test)?.attachments?.some(({ id }) => id === file.id);
  return (await store.files()).filter(file => file.status === 'done' && isNamed(file))
    .sort((a, b) => tests.get(a.test).sequence - tests.get(b.test).sequence || a.size - b.size);
}

async function exchangeOf(id) {
  const test = await store.test(id);
  return (path, options) => exchangeFor(test, path, options);
}

// So long at a stretch: then tests that were finished meanwhile go first, and ratings are asked for. Another tab
// waits, too, or two would only hold each other up.
const longestStretch = 30e3, ownStretch = 10e3;

async function sendFiles() {
  const begun = Date.now();
  const past = () => Date.now() - begun;
  const mayGoOn = async () => !isPlanned && past() < longestStretch
    && !(past() > ownStretch && await navigator.locks?.query?.().catch(() => null))?.pending?.some(lock => lock.name === 'quire-send');
  for (const file of await waitingFiles()) {
    const known = stand(file);
    if (!waits(known)) await note(file, unnoted.get(file.id));
    if (!waits(known) || (known.notBefore ?? 0) > Date.now()) continue;
    if (!await mayGoOn()) return;
    let end;
    // Where the browser's storage fails, the others go on; the next sweep tries again.
    try { end = await uploads.hand(known, await exchangeOf(file.test), mayGoOn); } catch { continue; }
    if (end.isPaused) return;
    // The pause grows while nothing gets on.
    const { reached } = end, hasGrown = reached > (known.reached ?? 0);
    const outcome = { ...decide(hasGrown ? { ...file, delivery: null } : known, end.reply, Date.now()), reached };
    // Another content under its id, too, is the end of it: there is nothing to decide.
    if (outcome.status === 'conflict') outcome.status = 'rejected';
    if (end.isLost) Object.assign(outcome, { status: 'rejected', isOver: false, delivery: { ...outcome.delivery, reason: 'bytesLost' } });
    else if (!end.reply) outcome.notBefore = Date.now() + Math.min(shortest * 2 ** (end.isHeard ? outcome.delivery.attempts - 1 : 0), minute);
    await note(file, outcome);
    // One that does not get through holds up no other, as long as somebody answers.
    if (outcome.isOver && !(end.isHeard && !end.reply)) return;
  }
}

async function sweep() {
  // Nobody else sends now: what is in sending was left there by a tab that ended.
  for (const test of await store.tests()) if (test.status === 'sending') await store.edit(test.id, now => { now.status = 'done'; }).catch(() => false);
  await ask();
  const due = (await store.tests()).filter(test => waits(test) && (stand(test).notBefore ?? 0) <= Date.now());
  due.sort((a, b) => a.record.sequence - b.record.sequence);
  for (const test of due) if (!await deliver(test)) return;
  // Files may take long. A report that is not heard is no one's loss.
  await report(exchange).catch(() => 0);
  await sendFiles();
}

// One tab at a time. Over plain http there are no locks between tabs; there the server alone sees to it that
// what two tabs send is one test.
let tail = Promise.resolve();
const alone = work => navigator.locks ? navigator.locks.request('quire-send', work) : tail = tail.then(work, work);

let isPlanned = false, timer = null, patience = shortest;

// Looks who is there and sends what is due; then again when it is time.
export function run() {
  if (isPlanned) return;
  isPlanned = true;
  let isThere = false;
  alone(async () => {
    isPlanned = false;
    clearTimeout(timer);
    let next = patience = Math.min(patience * 2, 10000);
    try {
      const wasAway = presence !== null && presence !== 'online';
      const reply = await exchange('.', { signal: AbortSignal.timeout?.(15000) });
      // What the hub passes on from another page in the server's place leaves the hub there.
      const isHub = reply && (reply.status === 504 || isStranger(reply) && /quire-hub/.test(reply.headers.get('Cache-Status') ?? ''));
      if (reply) see(isHub ? 'hub' : isStranger(reply) ? 'offline' : 'online');
      if (presence === 'offline') return;
      // After times without the server; and the list may have failed in a moment that no look saw.
      if (presence === 'online' && (wasAway || fault !== null)) refresh().catch(() => { /* The next look asks again. */ });
      await sweep();
      isThere = true;
      patience = 10000;
      const waiting = [...await store.tests(), ...await waitingFiles()].map(stand).filter(waits);
      next = Math.min(...waiting.map(test => Math.max((test.notBefore ?? 0) - Date.now(), shortest)), patience);
    } finally {
      clearTimeout(timer);
      timer = setTimeout(run, document.hidden ? Math.max(next, minute) : next);
    }
  }).catch(() => { /* The browser's storage failed: the next time it may not. */ })
    // Copies of drafts hold up no answers. They are safe here: the next look tries again.
    .then(() => isThere && exchangeDrafts()).catch(() => 0);
}

// At once, whatever was planned.
export function now() {
  patience = shortest;
  run();
}

const renew = item => {
  if (!['done', 'rejected', 'conflict'].includes(item.status) && !item.lostAt || item.isDropped) return false;
  Object.assign(item, { status: 'done', notBefore: 0, lostAt: undefined });
};

// All at once: what waits for a later time, and what a page that was not the server's refused in an earlier version of the app.
const isRetried = item => item.status === 'done' || ['rejected', 'conflict'].includes(item.status) && !item.delivery?.problem && item.delivery?.reason !== 'bytesLost';
// Whether a test, or a file of it, is one of these. `own`: all files by their ids.
export const hasToSend = (test, own) => !store.isDraft(test)
  && [test, ...(test.record.attachments ?? []).map(({ id }) => own.get(id)).filter(Boolean)].some(item => item.status === 'sending' || isRetried(item));
export async function againAll() {
  unnoted.clear();
  for (const test of (await store.tests()).filter(isRetried)) await store.edit(test.id, renew);
  for (const file of (await store.files()).filter(isRetried)) await store.edit(file.id, renew, 'files');
  now();
}

export async function again(id) {
  unnoted.clear();
  await store.edit(id, renew);
  for (const file of await store.files()) if (file.test === id) await store.edit(file.id, renew, 'files');
  now();
}

addEventListener('online', now);
addEventListener('offline', () => see('offline'));
document.addEventListener('visibilitychange', () => { if (!document.hidden) now(); });
