// The browser's own storage: what was fetched, and the tests. Each change of a test is one transaction; it is said to
// be saved when the transaction is complete.
import { noted } from './timing.js';

// The statuses of a test that the server has, in the order in which it goes through them.
export const delivered = ['sent', 'checking', 'rated'];
export const awaitsRating = test => delivered.includes(test.status) && test.status !== 'rated';

let current = null, wasThere = false;
const open = () => new Promise((resolve, reject) => {
  const request = indexedDB.open('quire', 2);
  request.onupgradeneeded = event => {
    const database = request.result;
    // The browser has removed it all: the screen stays, not saved.
    if (wasThere && !event.oldVersion) return request.transaction.abort();
    if (event.oldVersion < 1) {
      database.createObjectStore('tests', { keyPath: 'id' });
      // Of each questionnaire the version that is here: {id, digest, url, texts}.
      database.createObjectStore('pages', { keyPath: 'id' });
      // The bytes as the server sent them: {digest, bytes}. A test keeps the version that it was begun with.
      database.createObjectStore('documents', { keyPath: 'digest' });
      database.createObjectStore('facts');
    }
    if (event.oldVersion < 2) {
      // The files of answers: where each stands, and its bytes until the server has them.
      database.createObjectStore('files', { keyPath: 'id' });
      database.createObjectStore('bytes', { keyPath: 'id' });
    }
  };
  request.onsuccess = () => {
    wasThere = true;
    request.result.onversionchange = () => {
      request.result.close();
      dispatchEvent(new Event('quire-outdated'));
    };
    resolve(request.result);
  };
  request.onerror = () => { current = null; reject(request.error); };
  // A tab with a former version gives way, unless it is frozen.
  request.onblocked = () => dispatchEvent(new Event('quire-blocked'));
});

// Where the storage is full, the pictures and sounds give way to the answers.
const giveWay = async () => 'caches' in window && caches.delete('quire-media').catch(() => false);

// A transaction that makes no progress for so long has failed: in some private windows one with a Blob never ends.
export const patience = { milliseconds: 30000 };

// What fails is undone and tried again: on another connection (a full disk closes one), with more space.
export async function transact(names, mode, work) {
  let isAnother = false, hasSpace = false;
  for (;;) {
    const connection = current ??= open(), database = await connection;
    try {
      return await once(database, names, mode, work);
    } catch (error) {
      if (!isAnother && /^(InvalidState|Abort|Unknown|Timeout)Error$/.test(error.name)) {
        isAnother = true;
        if (current === connection) current = null;
        database.close();
      } else if (!hasSpace && error.name === 'QuotaExceededError' && await giveWay()) {
        hasSpace = true;
      } else throw error;
    }
  }
}
function once(database, names, mode, work) {
  return new Promise((resolve, reject) => {
    // Strict: the browser has flushed it when it says that it is complete.
    const transaction = database.transaction(names, mode, { durability: 'strict' });
    let result, fault, timer;
    const end = () => {
      // Its end counts, whether the browser undoes it now or never says anything again.
      reject(fault = new DOMException('no reply', 'TimeoutError'));
      try { transaction.abort(); } catch { /* It ended in this moment. */ }
    };
    const wait = () => { clearTimeout(timer); timer = setTimeout(end, patience.milliseconds); };
    // The browser says AbortError of each.
    const orUndo = act => { try { act(); } catch (error) { fault = error; transaction.abort(); } };
    transaction.oncomplete = () => { clearTimeout(timer); resolve(result); };
    transaction.onabort = () => { clearTimeout(timer); reject(fault ?? transaction.error ?? new DOMException('aborted', 'AbortError')); };
    wait();
    orUndo(() => work((name, then, method, ...values) => {
      transaction.objectStore(name)[method](...values).onsuccess = event => { wait(); orUndo(() => then?.(event.target.result)); };
    }, value => { result = value; }));
  });
}
const read = (name, method, ...values) => transact([name], 'readonly', (run, give) => run(name, give, method, ...values));
const write = (name, method, ...values) => transact([name], 'readwrite', run => run(name, null, method, ...values));

export const fact = name => read('facts', 'get', name);
export const setFact = (name, value) => write('facts', 'put', value, name);
// Several facts as they are at one time, by their names.
export const factsNamed = names => transact(['facts'], 'readonly', (run, give) => {
  const values = {};
  names.forEach((name, place) => run('facts', value => {
    values[name] = value;
    if (place === names.length - 1) give(values);
  }, 'get', name));
});
// Changes several facts in one transaction: `change` gets their values by name, and returns those that are new.
export function changeFacts(names, change) {
  const values = {};
  return transact(['facts'], 'readwrite', run => names.forEach((name, place) => run('facts', value => {
    values[name] = value;
    if (place < names.length - 1) return;
    for (const [key, value] of Object.entries(change(values))) run('facts', null, 'put', value, key);
  }, 'get', name)));
}
export const tests = () => read('tests', 'getAll');
export const test = id => read('tests', 'get', id);
export const files = () => read('files', 'getAll');
export const allBytes = () => read('bytes', 'getAll');
// The bytes of a file: an ArrayBuffer, which every browser stores in every window; a Blob by former versions.
export const blobOf = stored => stored?.bytes ? new Blob([stored.bytes], { type: stored.type }) : stored?.blob;
export const bytesOf = id => read('bytes', 'get', id).then(blobOf);
export const pages = () => read('pages', 'getAll');
export const page = id => read('pages', 'get', id);
export const documentOf = digest => read('documents', 'get', digest);

// Who looks at a test, in this tab and in others, is told that it changed.
const listeners = new Set();
const channel = 'BroadcastChannel' in window ? new BroadcastChannel('quire') : null;
export const listen = listener => listeners.add(listener);
const tell = id => listeners.forEach(listener => listener(id));
if (channel) channel.onmessage = event => tell(event.data);
export function changed(id) {
  tell(id);
  channel?.postMessage(id);
}

// What is here.

// formatted: the trees of its texts, where its author formatted them.
export function keepDocument(page, bytes, formatted) {
  return transact(['pages', 'documents', 'tests'], 'readwrite', run => run('pages', former => {
    run('pages', null, 'put', page);
    run('documents', null, 'put', { digest: page.digest, bytes, formatted });
    if (!former || former.digest === page.digest) return;
    // The former version goes, unless a test was taken with it.
    run('tests', all => {
      if (!all.some(test => test.record.questionnaire.digest === former.digest)) run('documents', null, 'delete', former.digest);
    }, 'getAll');
  }, 'get', page.id)).then(() => changed('library'));
}
export const keepFormatted = (digest, formatted) => transact(['documents'], 'readwrite', run => run('documents', stored => {
  if (stored) run('documents', null, 'put', { ...stored, formatted });
}, 'get', digest)).then(() => changed('library'));
export const forget = id => write('pages', 'delete', id);

// Tests.

const isEmptyObject = value => value !== null && typeof value === 'object' && !Array.isArray(value) && !Object.keys(value).length;
export const blank = answer => !answer || isEmptyObject(answer.answer) || !(answer.optionIndexes?.length) && [answer.answer].flat().every(text => !String(text ?? '').trim());
export const mark = answer => blank(answer) ? '-' : JSON.stringify([answer.answer, answer.optionIndexes ?? []]);
export const answerTo = (record, question) => record.answers.find(answer => answer.questionId === question);
// Chosen, written, or attached as a file: the rule of Model's TestRecord.isAnswered.
export const isAnswered = (record, question) => !blank(answerTo(record, question)) || (record.attachments ?? []).some(({ questionId }) => questionId === question);
/** The same for those who ask about many questions of a test: each answer is looked up once. */
export function byQuestion({ answers: given, attachments = [] }) {
  const answers = new Map(), files = new Map();
  for (const answer of given) if (!answers.has(answer.questionId)) answers.set(answer.questionId, answer);
  for (const { questionId } of attachments) files.set(questionId, (files.get(questionId) ?? 0) + 1);
  return { answerTo: id => answers.get(id), files: id => files.get(id) ?? 0, isAnswered: id => !blank(answers.get(id)) || files.has(id) };
}
// Where an answer stands among the options, by its text: `Question.match` of the program.
export function match(question, answer) {
  const value = blank(answer) ? -1 : question.values?.indexOf(answer.answer) ?? -1;
  if (value >= 0) return { places: [value], own: [] };
  const texts = blank(answer) ? [] : [answer.answer].flat().map(String), named = answer?.optionIndexes ?? [], places = [], own = [];
  texts.forEach((text, number) => {
    if (!text && !named.length) return;
    const free = question.options.flatMap((option, place) => option.normalize() === text.normalize() && !places.includes(place) ? [place] : []);
    const place = free.includes(named[number]) ? named[number] : free[0];
    if (place === undefined) own.push(text); else places.push(place);
  });
  return question.kind === 'choice' && texts.length > 1 ? { places: [], own: texts } : { places: places.sort((one, other) => one - other), own };
}
export const isDraft = test => test.status === 'empty' || test.status === 'in-progress';

// shown: gives the ids of the questions of the new test, where they are known. more: further members, such as its person.
export async function begin(questionnaire, shown = () => undefined, more = {}) {
  const id = uuid(), device = uuid();
  await transact(['tests', 'facts'], 'readwrite', run => run('facts', known => {
    const own = { id: known?.id ?? device, sequence: (known?.sequence ?? 0) + 1 };
    run('facts', null, 'put', own, 'device');
    const record = { id, questionnaire, dateStarted: now(), answers: [], deviceId: own.id, sequence: own.sequence, ...more }, ids = shown(record);
    run('tests', null, 'add', { id, status: 'empty', record: ids ? { ...record, shown: ids } : record });
  }, 'get', 'device'));
  changed(id);
  return id;
}

// Moves a draft to another version: a new draft with these answers, the files of these questions and the time that was
// spent. Done again, it finds the draft that it made.
// more: further members of the new draft.
export async function carryOver(draft, questionnaire, answers, questions, more = {}) {
  const id = uuid(), device = uuid(), { record } = draft;
  const files = (record.attachments ?? []).filter(({ questionId }) => questions.includes(questionId)).map(file => ({ ...file, id: uuid(), former: file.id }));
  let made = id;
  await transact(['tests', 'facts', 'files', 'bytes'], 'readwrite', run => run('tests', all => {
    const known = all.find(test => isDraft(test) && test.record.parent === draft.id && test.record.questionnaire.digest === questionnaire.digest);
    made = known?.id ?? id;
    if (known) return;
    run('facts', known => {
      const own = { id: known?.id ?? device, sequence: (known?.sequence ?? 0) + 1 };
      run('facts', null, 'put', own, 'device');
      const attachments = files.map(({ former, ...file }) => file);
      // It is the same attempt: its time limit does not start again.
      run('tests', null, 'add', { id, status: answers.length || files.length ? 'in-progress' : 'empty', changedAt: now(), record: {
        id, questionnaire, dateStarted: record.dateStarted, answers, ...(files.length ? { attachments } : {}), deviceId: own.id, sequence: own.sequence,
        parent: draft.id, ...(record.person ? { person: record.person } : {}), ...(record.language ? { language: record.language } : {}), ...more, ...(record.timing ? { timing: record.timing } : {}) } });
      for (const file of files) {
        for (const [name, fields] of [['files', { id: file.id, test: id }], ['bytes', { id: file.id }]]) {
          run(name, stored => { if (stored) run(name, null, 'put', { ...stored, ...fields }); }, 'get', file.former);
        }
      }
    }, 'get', 'device');
  }, 'getAll'));
  changed(made);
  return made;
}

// The finished tests that a test revises, as far as they are here, the first of them first: as Model's RevisionChain.
export function earlier({ id, parent }, tests) {
  const known = new Map(tests.map(test => [test.id, test])), seen = new Set([id]), found = [];
  for (let next = parent; known.has(next) && !seen.has(next); next = known.get(next).record.parent) {
    seen.add(next);
    if (!isDraft(known.get(next))) found.unshift(known.get(next));
  }
  return found;
}

// The tests that revise a test, and those that revise them.
export function later({ id }, tests) {
  const found = [], seen = new Set([id]);
  for (const open = [id]; open.length > 0;) {
    const parent = open.shift();
    for (const test of tests.filter(({ record }) => record.parent === parent)) if (!seen.has(test.id)) { seen.add(test.id); open.push(test.id); found.push(test); }
  }
  return found;
}

// The finished test that a draft revises: no server sees the draft that it goes on from in a newer version.
function finishedParent({ id, parent }, tests) {
  const known = new Map(tests.map(test => [test.id, test])), seen = new Set([id]);
  while (known.has(parent) && isDraft(known.get(parent)) && !seen.has(parent)) { seen.add(parent); parent = known.get(parent).record.parent; }
  return parent;
}

export const letGo = id => write('bytes', 'delete', id);

// Changes a test, or a file, in one transaction. What `change` returns comes back; false leaves it as it is.
export async function edit(id, change, name = 'tests') {
  let outcome = false, whose = id;
  await transact(name === 'files' ? ['files', 'bytes'] : [name], 'readwrite', run => run(name, item => {
    if (!item) return;
    whose = item.test ?? id;
    outcome = change(item);
    if (outcome === false) return;
    run(name, null, 'put', item);
    // What the server has, or nobody wants, need not take the browser's space any more.
    if (name === 'files' && (item.receipt || item.isDropped)) run('bytes', null, 'delete', id);
  }, 'get', id));
  if (outcome !== false) changed(whose);
  return outcome;
}

// Saves one answer, where nobody was quicker than who saw the answer with the mark `was`.
// `active`: how many seconds the test was open since that was last saved.
export async function record(id, answer, was, active = 0) {
  let outcome = { kind: 'gone' };
  await edit(id, test => {
    if (!isDraft(test)) { outcome = { kind: 'frozen' }; return false; }
    const stored = answerTo(test.record, answer.questionId);
    outcome = { kind: 'unchanged', stored };
    if (mark(stored) === mark(answer)) return false;
    if (mark(stored) !== was) { outcome.kind = 'conflict'; return false; }
    test.record.answers = test.record.answers.filter(other => other !== stored);
    if (!blank(answer)) test.record.answers.push(answer);
    test.status = 'in-progress';
    test.changedAt = now();
    addTime(test.record, active);
    outcome = { kind: 'saved', stored: answer };
  });
  // Said to be saved is what was read back, unless somebody changed it in between.
  if (outcome.kind === 'saved') {
    const stored = await test(id);
    if (stored && isDraft(stored) && mark(answerTo(stored.record, answer.questionId)) === was && was !== mark(answer)) throw new DOMException('not there', 'DataError');
  }
  return outcome;
}

function addTime(record, active) {
  const timing = noted(record.timing, active, record.dateStarted);
  if (timing) record.timing = timing;
}
// Flags a question of a draft to come back to, or takes the flag away.
export const toggleFlag = (id, question) => edit(id, test => {
  if (!isDraft(test)) return false;
  const flagged = test.record.flagged ?? [], others = flagged.filter(one => one !== question);
  test.record.flagged = others.length < flagged.length ? others : [...flagged, question];
  if (!test.record.flagged.length) delete test.record.flagged;
});
export const setLanguage = (id, language) => edit(id, test => {
  if (!isDraft(test)) return false;
  test.record.language = language;
});
// The time that passed without an answer.
export const spend = (id, active) => active >= 0.001 ? edit(id, test => {
  if (!isDraft(test)) return false;
  addTime(test.record, active);
}) : Promise.resolve(false);

// Freezes a test: these very bytes are sent, as often as it takes. `longest` is in bytes.
// Leaves out the answers to questions that were not asked: `hidden` returns their ids.
// numbered, inFile: the test with its instances in order, and as its file names them; end: how it is ended by itself.
export async function finish(id, longest, hidden = () => new Set(), shown = () => undefined, numbered = record => record, inFile = record => record, end) {
  for (;;) {
    const draft = await test(id);
    if (!draft || !isDraft(draft)) return;
    const seen = JSON.stringify(draft.record);
    const left = hidden(draft.record), ids = shown(draft.record, left);
    const { flagged, parent, ...kept } = draft.record, revised = parent && finishedParent(draft.record, await tests());
    const record = { ...numbered({ ...kept, ...(revised ? { parent: revised } : {}), answers: draft.record.answers.filter(answer => !left.has(answer.questionId)) }), dateFinished: now(), ...(ids ? { shown: ids } : {}) };
    if (end) Object.assign(record, end(record)); else addTime(record, 0);
    const bytes = new TextEncoder().encode(JSON.stringify(inFile(record), null, 2) + '\n');
    if (bytes.length > longest) throw new RangeError('too long');
    const digest = await sha256(bytes);
    const isFrozen = await edit(id, test => {
      // Another tab may have answered or finished meanwhile.
      if (!isDraft(test) || JSON.stringify(test.record) !== seen) return false;
      test.status = 'done';
      test.frozen = { bytes, digest };
      test.record = numbered(test.record);
      if (parent) test.record.parent = revised;
      test.notBefore = 0;
    });
    if (isFrozen !== false) return;
  }
}

export async function discard(id) {
  await transact(['tests', 'files', 'bytes', 'facts'], 'readwrite', run => run('tests', test => {
    // What is on its way, or was delivered, is not taken back.
    if (!test || test.status === 'sending' || delivered.includes(test.status)) return;
    run('tests', null, 'delete', id);
    // Drafts that go on from this one revise what it revised: no server will see it.
    if (isDraft(test)) run('tests', others => {
      for (const other of others) if (isDraft(other) && other.record.parent === id) {
        const { parent, ...record } = other.record;
        run('tests', null, 'put', { ...other, record: test.record.parent && test.record.parent !== other.id ? { ...record, parent: test.record.parent } : record });
      }
    }, 'getAll');
    for (const file of test.record.attachments ?? []) for (const name of ['files', 'bytes']) run(name, null, 'delete', file.id);
    // The hub is to remove its draft, too, when it is in reach.
    const { person } = test.record;
    if (person) run('facts', removed => run('facts', null, 'put', { ...removed, [id]: person.id }, 'draftsRemoved'), 'get', 'draftsRemoved');
  }, 'get', id));
  changed(id);
}

// Names and digests.

export const now = () => new Date().toISOString();

// A page over plain http has no crypto.subtle and no randomUUID.
export function uuid() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = bytes[6] & 15 | 64;
  bytes[8] = bytes[8] & 63 | 128;
  return hex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
const hex = bytes => Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');

export async function sha256(bytes) {
  const digest = crypto.subtle ? new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)) : sha256Here(bytes);
  return hex(digest);
}

// FIPS 180-4. The constants are the roots of the first primes, as it says.
export function sha256Here(bytes) {
  const primes = [];
  for (let number = 2; primes.length < 64; number++) if (primes.every(prime => number % prime)) primes.push(number);
  const fraction = root => (root - Math.floor(root)) * 2 ** 32 | 0;
  const constants = primes.map(prime => fraction(Math.cbrt(prime)));
  const state = Int32Array.from(primes.slice(0, 8), prime => fraction(Math.sqrt(prime)));
  const padded = new Uint8Array((bytes.length + 72) & ~63);
  padded.set(bytes);
  padded[bytes.length] = 128;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, bytes.length * 8);
  const turn = (word, by) => word >>> by | word << 32 - by, words = new Int32Array(64);
  for (let block = 0; block < padded.length; block += 64) {
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i++) {
      const x = words[i - 15], y = words[i - 2];
      words[i] = i < 16 ? view.getInt32(block + 4 * i)
        : words[i - 16] + (turn(x, 7) ^ turn(x, 18) ^ x >>> 3) + words[i - 7] + (turn(y, 17) ^ turn(y, 19) ^ y >>> 10);
      const one = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + (e & f ^ ~e & g) + constants[i] + words[i] | 0;
      const two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + (a & b ^ a & c ^ b & c) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, d + one | 0, c, b, a, one + two | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => { state[i] += word; });
  }
  const result = new DataView(new ArrayBuffer(32));
  state.forEach((word, i) => result.setInt32(4 * i, word));
  return new Uint8Array(result.buffer);
}
