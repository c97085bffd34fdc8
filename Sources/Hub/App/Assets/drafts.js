// Drafts that the hub keeps for their person: encrypted here, with a key that is made of the person's code, handed over whenever
// the hub is in reach, and brought back after a log-in (docs/hub.md, docs/format.md). Without https the browser cannot
// encrypt, and nothing is handed over.
import * as store from './store.js';
import * as library from './library.js';
import * as people from './people.js';

export const isPossible = Boolean(globalThis.crypto?.subtle);
const root = new URL('../drafts', document.baseURI).href;
const iterations = 600000, longestItem = 8 << 20, mark = [0x51, 0x44, 0x31, 0x0A], headBytes = mark.length + 16 + 12;
const patience = 30e3;

// The envelope: a mark, the salt of the key, the nonce, and what AES-GCM makes of the bytes.

const keys = new Map();
/** The key of a code, slow to make. */
export function keyOf(code, salt) {
  const name = `${code} ${salt}`;
  if (!keys.has(name)) {
    keys.set(name, (async () => {
      const secret = await crypto.subtle.importKey('raw', new TextEncoder().encode(code), 'PBKDF2', false, ['deriveKey']);
      return crypto.subtle.deriveKey({ name: 'PBKDF2', hash: 'SHA-256', salt: new Uint8Array(salt), iterations }, secret,
        { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
    })());
    keys.get(name).catch(() => keys.delete(name));
  }
  return keys.get(name);
}
const bound = ({ person, test, file = '', revision }) => new TextEncoder().encode(`quire-draft 1\n${person}\n${test}\n${file}\n${revision}\n`);

/** Encrypts bytes for a place: {person, test, file, revision}. */
export async function seal(code, salt, place, bytes, iv = crypto.getRandomValues(new Uint8Array(12))) {
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv, additionalData: bound(place) }, await keyOf(code, salt), bytes);
  const envelope = new Uint8Array(headBytes + sealed.byteLength);
  envelope.set([...mark, ...salt, ...iv]);
  envelope.set(new Uint8Array(sealed), headBytes);
  return envelope;
}
/** The bytes of an envelope, with its salt; null where this code does not open it, or it belongs to another place. */
export async function open(code, place, envelope) {
  if (envelope.length < headBytes || mark.some((byte, index) => envelope[index] !== byte)) return null;
  const salt = [...envelope.slice(mark.length, mark.length + 16)], iv = envelope.slice(mark.length + 16, headBytes);
  try {
    const bytes = await crypto.subtle.decrypt({ name: 'AES-GCM', iv, additionalData: bound(place) }, await keyOf(code, salt), envelope.slice(headBytes));
    return { salt, bytes: new Uint8Array(bytes) };
  } catch { return null; }
}

// Decisions, as values.

/**
 * What to do about one test. `local`: undefined where it is not here, else {isDraft, isChanged}; `remote`: the revision at the
 * hub, or undefined; `handed`: the revision that was handed over last; `isRemoved`: whether it was discarded here.
 */
export function decide({ local, remote, handed = 0, isRemoved = false }) {
  if (isRemoved) return 'remove';
  if (!local) return remote === undefined ? 'none' : 'fetch';
  // What is finished goes by itself, and the hub removes its draft.
  if (!local.isDraft) return 'none';
  if (remote === undefined) return 'hand';
  if (remote > handed) return local.isChanged ? 'choose' : 'fetch';
  return local.isChanged || remote < handed ? 'hand' : 'none';
}
/** What the reply to a hand-over means. */
export function outcome(status, kind) {
  if (status >= 200 && status < 300) return 'kept';
  if (status === 401 || status === 403) return 'noCode';
  if (kind === 'handed-in') return 'handedIn';
  if (kind === 'stale-draft') return 'elsewhere';
  if (status === 413 || kind === 'drafts-full') return 'full';
  return 'later';
}

// What is known of each draft: {revision, digest, given, salt, state}, by the test's id. State: 'kept', 'elsewhere', 'handedIn' or 'full'.
// parts: the files that the hub has under this code; isPartial: some are still to go; lost: the attachments that did not come back.
let handed = {};
const names = { handed: 'handed', salts: 'draftSalts', removed: 'draftsRemoved' };
export const load = async () => { handed = await store.fact(names.handed) ?? {}; };
export const stateOf = test => handed[test.id]?.state;
/** The names of files that did not come back with a draft. */
export const lostFiles = test => lostOf(test.id).map(({ name }) => name);
const lostOf = id => handed[id]?.lost ?? [];
const note = async (id, change) => {
  await store.changeFacts([names.handed], values => {
    const all = { ...values[names.handed] };
    if (change) all[id] = { ...all[id], ...change }; else delete all[id];
    handed = all;
    return { [names.handed]: all };
  });
  store.changed('drafts');
};

// The place is a part of the draft, but for what changes with each movement.
const placeOf = id => { try { const { view, question, map } = JSON.parse(localStorage.getItem('quire.place.' + id)) ?? {}; return { view, question, map }; } catch { return {}; } };
// What did not come here is named on: another phone may have it.
const contentOf = test => {
  const lost = lostOf(test.id);
  return new TextEncoder().encode(JSON.stringify({ format: 1, test: { id: test.id, status: test.status, changedAt: test.changedAt, record: test.record }, place: placeOf(test.id), ...lost.length ? { lost } : {} }));
};

// What a person gave, without the time that passed.
const givenIn = ({ record }) => JSON.stringify([record.answers, record.attachments ?? [], record.flagged ?? [],
  ...record.instances || record.language ? [record.instances ?? {}, record.language ?? ''] : []]);
const givenDigest = test => store.sha256(new TextEncoder().encode(givenIn(test)));

async function saltOf(person) {
  const made = [...crypto.getRandomValues(new Uint8Array(16))];
  let salt;
  await store.changeFacts([names.salts], values => {
    salt = values[names.salts]?.[person] ?? made;
    return { [names.salts]: { ...values[names.salts], [person]: salt } };
  });
  return salt;
}
const useSalt = (person, salt) => store.changeFacts([names.salts], values => ({ [names.salts]: { ...values[names.salts], [person]: salt } }));

async function ask(code, path, options = {}) {
  const reply = await fetch(root + path, { cache: 'no-store', redirect: 'error', signal: AbortSignal.timeout?.(patience), ...options, headers: { ...options.headers, Authorization: 'Bearer ' + code } });
  // Another page in the hub's place says nothing about drafts.
  if (!/quire-hub/.test(reply.headers.get('Cache-Status') ?? '')) throw new Error('not the hub');
  return reply;
}
const kindOf = async reply => String((await reply.json().catch(() => null))?.type ?? '').split(':').pop();

/** The id under which the hub keeps the version of a questionnaire: a UUID made of its digest. */
const documentID = digest => digest.replace('sha256:', '').slice(0, 32).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5');

const isAlike = (one, other) => JSON.stringify(one) === JSON.stringify(other);

// Hands one draft over, then its files and its version of the questionnaire. What comes back is the outcome.
// listed: the revisions of what the hub has, by the tests' ids and `<test>/<file>`.
async function hand(person, code, test, listed, former) {
  const salt = await saltOf(person), { digest: version } = test.record.questionnaire, document = await store.documentOf(version);
  const parts = [...(test.record.attachments ?? []).map(({ id }) => ({ id, bytes: () => store.bytesOf(id).then(async blob => blob && new Uint8Array(await blob.arrayBuffer())) })),
    ...document ? [{ id: documentID(version), bytes: async () => new Uint8Array(document.bytes) }] : []];
  // With another code there is another salt, and what the hub has is sent anew.
  const isSameKey = isAlike(former?.salt, salt);
  const kept = parts.map(({ id }) => id).filter(id => isSameKey && listed.has(`${test.id}/${id}`) && (former.parts?.includes(id) ?? true));
  const put = async (place, envelope) => {
    const reply = await ask(code, `/${test.id}${place.file ? '/' + place.file : ''}`, { method: 'PUT', body: envelope,
      headers: { 'Content-Type': 'application/octet-stream', 'Quire-Revision': String(place.revision) } });
    const result = outcome(reply.status, reply.ok ? '' : await kindOf(reply));
    return result === 'elsewhere' ? { revision: Number(reply.headers.get('Quire-Revision')) || place.revision } : result;
  };
  // Only files were left.
  const isThere = former?.state === 'kept' && listed.get(test.id) === former.revision && !await isOther(test, former, salt);
  if (!isThere) {
    const bytes = contentOf(test), digest = await store.sha256(bytes), revision = (former?.revision ?? 0) + 1, place = { person, test: test.id, revision };
    const envelope = await seal(code, salt, place, bytes), now = { revision, digest, given: await givenDigest(test), salt, parts: kept };
    if (envelope.length > longestItem) return settle(test, 'full', now);
    // A reply that is lost leaves it open whether the hub has it: its list tells by the digest.
    await note(test.id, { sending: { ...now, envelope: 'sha256:' + await store.sha256(envelope) } });
    const result = await put(place, envelope);
    if (typeof result === 'object') { await note(test.id, { state: 'elsewhere', remote: result.revision }); return 'elsewhere'; }
    if (result !== 'kept') return settle(test, result, now);
    await note(test.id, { ...now, state: 'kept', isOwn: true, isPartial: true, remote: undefined, sending: undefined });
  }
  let isLeft = false;
  for (const { id, bytes: load } of parts) {
    if (kept.includes(id)) continue;
    const content = await load();
    // A file that is too large stays on the phone alone.
    if (!content || content.length > longestItem - 1024) continue;
    const place = { person, test: test.id, file: id, revision: (listed.get(`${test.id}/${id}`) ?? 0) + 1 };
    const result = await put(place, await seal(code, salt, place, content));
    if (['noCode', 'later', 'handedIn'].includes(result)) return settle(test, result);
    if (result === 'kept') {
      kept.push(id);
      await note(test.id, { parts: [...kept] });
    }
    // Another revision came in between: the next list has it.
    if (typeof result === 'object') isLeft = true;
  }
  // Files that the draft no longer names are deleted at the hub, unless a draft that was set aside names them.
  const asides = asidesIn(handed[test.id]).flatMap(part => part.attachments ?? []);
  const wanted = new Set([documentID(version), ...[...parts, ...lostOf(test.id), ...asides].map(({ id }) => id)]);
  for (const key of listed.keys()) {
    const [whose, file] = key.split('/');
    if (whose !== test.id || !file || wanted.has(file)) continue;
    if ((await ask(code, '/' + key, { method: 'DELETE' })).status !== 204) isLeft = true;
  }
  await note(test.id, { isPartial: isLeft || undefined });
  return isLeft ? 'later' : 'kept';
}
async function settle(test, result, { digest, salt, parts } = {}) {
  // The same draft is not tried again.
  if (result === 'full') await note(test.id, { digest, salt, parts, state: 'full', isPartial: undefined });
  if (result === 'handedIn') await note(test.id, { state: 'handedIn' });
  return result;
}

// A draft as the hub has it: {revision, opened, draft}, or 'later', 'gone', 'noCode' or 'locked'.
async function readDraft(person, code, id) {
  const reply = await ask(code, '/' + id);
  if (reply.status !== 200) return reply.status === 404 ? 'gone' : outcome(reply.status) === 'noCode' ? 'noCode' : 'later';
  const revision = Number(reply.headers.get('Quire-Revision'));
  const opened = await open(code, { person, test: id, revision }, new Uint8Array(await reply.arrayBuffer()));
  if (!opened) return 'locked';
  let draft;
  try { draft = JSON.parse(new TextDecoder().decode(opened.bytes)); } catch { return 'locked'; }
  const { test } = draft ?? {}, record = test?.record;
  if (draft?.format !== 1 || test?.id !== id || record?.id !== id || record.person?.id !== person || !Array.isArray(record.answers) || !store.isDraft(test)) return 'locked';
  return { revision, opened, draft };
}

// Brings one draft back, or its newer state, with the files that the hub has.
async function fetchDraft(person, code, item, listed) {
  const read = await readDraft(person, code, item.test);
  if (typeof read === 'string') return read;
  const { revision, opened, draft } = read, { test, place } = draft, { record } = test;
  // The bytes of a file; null where the hub has none that this code opens, and 'later' where it cannot give them now.
  const part = async file => {
    if (!listed.has(`${test.id}/${file}`)) return null;
    const reply = await ask(code, `/${test.id}/${file}`);
    if (reply.status !== 200) return reply.status === 404 ? null : 'later';
    const revision = Number(reply.headers.get('Quire-Revision'));
    return (await open(code, { person, test: test.id, file, revision }, new Uint8Array(await reply.arrayBuffer())))?.bytes ?? null;
  };
  const here = await store.files(), brought = [], lost = [], came = [];
  // What did not come to another phone may be here, or at the hub by now.
  const named = [...record.attachments ?? [], ...(Array.isArray(draft.lost) ? draft.lost : []).filter(one => one?.id && !record.attachments?.some(({ id }) => id === one.id))];
  for (const attachment of named) {
    if (here.some(({ id }) => id === attachment.id)) continue;
    const bytes = await part(attachment.id);
    if (bytes === 'later') return 'later';
    if (bytes && 'sha256:' + await store.sha256(bytes) === attachment.digest) {
      brought.push({ attachment, bytes });
      came.push(attachment.id);
    } else lost.push(attachment);
  }
  const { digest: version, id } = record.questionnaire;
  if (!await store.documentOf(version)) {
    const bytes = await part(documentID(version));
    if (bytes === 'later') return 'later';
    if (bytes && 'sha256:' + await store.sha256(bytes) === version) {
      await store.transact(['documents'], 'readwrite', run => run('documents', null, 'put', { digest: version, bytes: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) }));
      came.push(documentID(version));
    }
    const listed = (await store.fact('list'))?.items.find(item => item.id === id);
    if (listed) await library.bring(listed).catch(() => { /* Its screen asks for it again. */ });
  }
  if (named.length) record.attachments = named.filter(attachment => !lost.includes(attachment));
  const digest = await store.sha256(opened.bytes);
  let isPut = false;
  await store.transact(['tests', 'files', 'bytes', 'facts'], 'readwrite', run => run('facts', removed => run('tests', local => {
    // What changed here meanwhile is not overwritten, and what was discarded meanwhile does not come back.
    isPut = !removed?.[test.id] && (local ? store.isDraft(local) && givenIn(local) === item.seen : item.seen === undefined);
    if (!isPut) return;
    run('tests', null, 'put', { id: test.id, status: test.status, changedAt: test.changedAt, record });
    if (item.isChosen && local) run('facts', all => run('facts', null, 'put', { ...all, [test.id]: { ...all?.[test.id], ...withAside(all?.[test.id], wholeOf(all?.[test.id], local.record)) } }, names.handed), 'get', names.handed);
    for (const { attachment, bytes } of brought) {
      run('files', null, 'put', { id: attachment.id, test: test.id, status: 'done', frozen: { digest: attachment.digest.replace('sha256:', '') }, size: bytes.length });
      run('bytes', null, 'put', { id: attachment.id, bytes: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength), type: attachment.mediaType });
    }
  }, 'get', test.id), 'get', names.removed));
  if (!isPut) return 'later';
  if (place && typeof place === 'object') try { localStorage.setItem('quire.place.' + test.id, JSON.stringify(place)); } catch { /* The answers are safe without it. */ }
  const former = handed[test.id], isSameKey = former?.salt && isAlike(former.salt, (await store.fact(names.salts))?.[person]);
  await useSalt(person, opened.salt);
  // Files that are on this phone alone are still to go.
  const isPartial = record.attachments?.some(({ id }) => !listed.has(`${test.id}/${id}`)) || undefined;
  await note(test.id, { revision, digest, given: await givenDigest(test), salt: opened.salt, state: 'kept', isOwn: false, isPartial, parts: isSameKey ? former.parts && [...former.parts, ...came] : came, remote: undefined, sending: undefined, lost });
  store.changed(test.id);
  return 'fetched';
}

// One person's drafts: what was discarded here is removed, what is new there comes, what changed here goes.
async function exchangeFor(person, code) {
  const removed = Object.entries(await store.fact(names.removed) ?? {}).filter(([, owner]) => owner === person).map(([id]) => id);
  const drafts = (await store.tests()).filter(test => test.record.person?.id === person && store.isDraft(test));
  const isKnown = brought.has(person) && !removed.length;
  const changed = [];
  for (const test of drafts) if (await isChanged(test)) changed.push(test);
  if (isKnown && !changed.length) return;
  const reply = await ask(code, '');
  if (reply.status === 401 || reply.status === 403) return refuse(code);
  if (reply.status !== 200) return;
  const items = (await reply.json()).drafts ?? [];
  const listed = revisionsIn(items), all = new Map((await store.tests()).map(test => [test.id, test]));
  let locked = 0, fetched = 0, isComplete = true;
  // What fails of one test holds up no other: the next round tries it again.
  const orLater = work => work().catch(() => 'later');
  for (const id of removed) {
    const result = await orLater(async () => {
      if ((await ask(code, '/' + id, { method: 'DELETE' })).status !== 204) return 'later';
      await store.changeFacts([names.removed], values => { const rest = { ...values[names.removed] }; delete rest[id]; return { [names.removed]: rest }; });
      await note(id, null);
    });
    if (result === 'later') isComplete = false;
  }
  const exchangeOne = async id => {
    const item = items.find(({ test, file }) => test === id && !file), test = all.get(id), sending = handed[id]?.sending;
    if (sending && item?.revision === sending.revision && item.digest === sending.envelope) {
      const { envelope, ...now } = sending;
      await note(id, { ...now, state: 'kept', isOwn: true, isPartial: true, remote: undefined, sending: undefined });
    }
    const former = handed[id];
    if (former?.state === 'handedIn' && test) return;
    // The person has not chosen yet: neither of the two is overwritten.
    if (former?.state === 'elsewhere' && test && item) {
      if (item.revision !== former.remote) await note(id, { remote: item.revision });
      return;
    }
    const isDue = changed.some(one => one.id === id), isNewer = item?.revision > (former?.revision ?? 0);
    // The time that a test was open is no change for which anyone is to be asked.
    const isChanged = isNewer ? test && former?.given !== await givenDigest(test) : isDue || former?.state === 'full';
    const local = test && { isDraft: store.isDraft(test), isChanged };
    const step = decide({ local, remote: item?.revision, handed: former?.revision, isRemoved: removed.includes(id) });
    // A file that did not come back may be at the hub by now.
    const isAtHub = lostOf(id).some(lost => listed.has(`${id}/${lost.id}`)), isBack = step === 'none' && local?.isDraft && item && isAtHub;
    if (step === 'fetch' || isBack) return fetchDraft(person, code, { ...item, seen: test && givenIn(test) }, listed);
    if (step === 'choose') await note(id, { state: 'elsewhere', remote: item.revision });
    // The same draft that had no room is not tried again before it changes.
    if (step === 'hand' && (isDue || former?.state !== 'full')) {
      const result = await hand(person, code, test, listed, former);
      // The next round brings them.
      return result === 'kept' && isAtHub ? 'later' : result;
    }
  };
  for (const id of new Set([...items.map(({ test }) => test), ...drafts.map(({ id }) => id)])) {
    const result = await orLater(() => exchangeOne(id));
    if (result === 'locked') locked += 1;
    if (result === 'fetched') fetched += 1;
    if (result === 'later' || result === 'gone') isComplete = false;
    if (result === 'noCode') { refuse(code); return fetched; }
  }
  if (isComplete) brought.add(person);
  lockedDrafts.set(person, locked);
  if (locked) store.changed('drafts');
  return fetched;
}
const revisionsIn = items => new Map(items.map(({ test, file, revision }) => [file ? `${test}/${file}` : test, revision]));
/** Whether a draft is another one than the hub has, or files of it are still to go. */
export async function isChanged(test) {
  const former = handed[test.id];
  if (['handedIn', 'elsewhere'].includes(former?.state)) return false;
  return Boolean(former?.isPartial) || isOther(test, former, (await store.fact(names.salts))?.[test.record.person.id]);
}
async function isOther(test, former, salt) {
  if (!former?.digest || !isAlike(former.salt, salt)) return true;
  // A phone that only looks at the draft of another one, in another place of it, leaves it to that one.
  return former.isOwn === false ? former.given !== await givenDigest(test) : former.digest !== await store.sha256(contentOf(test));
}

// Whose drafts were asked for since the app was opened, and codes that were not accepted.
const brought = new Set(), refused = new Set();
const refuse = code => { refused.add(code); store.changed('drafts'); };
/** Whether the server does not accept a code any more. */
export const isRefused = code => refused.has(code);
/** How many drafts at the hub the code of a person does not open, by their id. */
export const lockedDrafts = new Map();

// One tab at a time, and apart from the tests that are sent.
let tail = Promise.resolve();
const alone = work => navigator.locks ? navigator.locks.request('quire-drafts', work) : tail = tail.then(work, work);
let underWay = null;
/** Exchanges all drafts with the hub; how many came back. */
export const exchange = () => underWay ??= alone(exchangeAll).finally(() => { underWay = null; });
async function exchangeAll() {
  let fetched = 0;
  if (!isPossible) return fetched;
  await load();
  // What is finished or gone is no draft any more.
  const drafts = new Set((await store.tests()).filter(store.isDraft).map(({ id }) => id));
  for (const id of Object.keys(handed)) if (!drafts.has(id)) await forget(id);
  const { codes } = await people.state();
  for (const [person, code] of Object.entries(codes)) if (!refused.has(code)) fetched += await exchangeFor(person, code) ?? 0;
  return fetched;
}
/** After a log-in: with a code that was refused before, or another one, too. */
export async function loggedIn(person) {
  await alone(async () => {
    brought.delete(person);
    refused.clear();
  });
  return exchangeAnew();
}
/** Asks the hub once more for the drafts of a person, with nothing changed here, too. */
export async function askAgain(person) {
  brought.delete(person);
  return exchangeAnew();
}
async function exchangeAnew() {
  await underWay?.catch(() => { /* It is tried again now. */ });
  return exchange();
}

// With what was set aside go its files that the test does not have.
async function forget(id) {
  if (asidesIn(handed[id]).length) {
    const named = new Set(((await store.test(id))?.record.attachments ?? []).map(file => file.id));
    const left = (await store.files()).filter(file => file.test === id && !named.has(file.id));
    await store.transact(['files', 'bytes'], 'readwrite', run => { for (const file of left) for (const name of ['files', 'bytes']) run(name, null, 'delete', file.id); });
  }
  await note(id, null);
}

// Of two drafts that differ, the one that the person did not choose is set aside in this browser until the test is handed in; of
// each further choice, too.
const given = ['answers', 'attachments', 'flagged', 'instances', 'language'];
const partOf = record => Object.fromEntries(given.filter(name => name in record).map(name => [name, record[name]]));
const asidesIn = entry => entry?.asides ?? [];
// With the files that did not come back.
const wholeOf = ({ lost = [] } = {}, record) => partOf(lost.length ? { ...record, attachments: [...record.attachments ?? [], ...lost] } : record);
const withAside = (entry, part) => {
  const asides = asidesIn(entry);
  return { asides: asides.some(one => isAlike(one, part)) ? asides : [...asides, part] };
};
/** What was set aside of a draft, as records. */
export const asidesOf = ({ id, record }) => asidesIn(handed[id]).map(part => withPart(record, part));
const withPart = (record, part) => {
  const others = Object.fromEntries(Object.entries(record).filter(([name]) => !given.includes(name)));
  return { ...others, answers: [], ...part };
};
const others = new Map();
/** Why what another device made of a draft is not to be had: 'later', 'gone' or 'noCode'. */
export class DraftFault extends Error {
  constructor(kind) {
    super(kind);
    this.kind = kind;
  }
}
/** What another device made of a draft, as the hub has it now: its record, or null where this code does not open it. A DraftFault says why not. */
export async function other(test) {
  const key = `${test.id} ${handed[test.id]?.remote}`;
  if (!others.has(key)) {
    const read = await readDraft(test.record.person.id, await people.codeOf(test), test.id);
    if (typeof read === 'string' && read !== 'locked') throw new DraftFault(read);
    others.set(key, read === 'locked' ? null : read.draft.test.record);
  }
  return others.get(key);
}
/** Takes what was set aside, the one at this place of them, and sets aside what there was instead. */
export async function takeAside(id, place) {
  const here = new Set((await store.files()).map(file => file.id));
  await store.transact(['tests', 'facts'], 'readwrite', run => run('tests', test => run('facts', all => {
    const asides = asidesIn(all?.[id]), aside = asides[place];
    if (!aside || !test || !store.isDraft(test)) return;
    const record = withPart(test.record, aside), lost = (record.attachments ?? []).filter(file => !here.has(file.id));
    if (record.attachments) record.attachments = record.attachments.filter(file => here.has(file.id));
    run('tests', null, 'put', { ...test, status: 'in-progress', changedAt: store.now(), record });
    run('facts', null, 'put', { ...all, [id]: { ...all[id], asides: asides.map((one, index) => index === place ? wholeOf(all[id], test.record) : one), lost } }, names.handed);
  }, 'get', names.handed), 'get', id));
  await load();
  store.changed(id);
}

const listOf = async code => (await (await ask(code, '')).json()).drafts ?? [];
/** Goes on with the draft of this phone, in the place of the hub's. */
export async function keepOwn(id) {
  await alone(async () => {
    await load();
    const test = await store.test(id), items = await listOf(await people.codeOf(test));
    const revision = items.find(({ test, file }) => test === id && !file)?.revision ?? handed[id]?.remote;
    // The other device may have gone on since the person saw its answers: what is there now is set aside.
    if (revision !== handed[id]?.remote) await note(id, { remote: revision });
    const record = await other(test).catch(error => { if (error.kind !== 'gone') throw error; });
    await note(id, { ...record && withAside(handed[id], partOf(record)), revision, digest: undefined, state: undefined, remote: undefined, sending: undefined });
  });
  return exchangeAnew();
}
/** Takes the draft of the hub, in the place of this phone's. */
export async function takeOther(id) {
  const result = await alone(() => fetchOther(id));
  if (result === 'gone') return goOn(id);
  if (result === 'later' || result === 'noCode') throw new DraftFault(result);
}
async function fetchOther(id) {
  await load();
  const test = await store.test(id), code = await people.codeOf(test);
  return fetchDraft(test.record.person.id, code, { test: id, seen: givenIn(test), isChosen: true }, revisionsIn(await listOf(code)));
}
/** Continues with the draft of this phone after the hub has lost the other one. */
export async function goOn(id) {
  await note(id, { state: undefined, remote: undefined, digest: undefined });
  return exchangeAnew();
}
