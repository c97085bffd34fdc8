// Photos and other files that belong to answers: a part of the test, kept in the browser's storage until the server has them.
import * as store from './store.js';
import * as words from './words.js';
import { h, button } from './ui.js';

const { say } = words;
// The digest is taken of the whole file at once, in memory.
export const longest = 64 << 20;
const mostInTest = 500, longestName = 255;

export class Refusal extends Error {}

// What a browser calls a file, as a name that is allowed: its last part, without control characters, not too long.
export function clean(text) {
  let name = (text.split(/[\/\\]/).pop() ?? '').replace(/(?!\u200D)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '');
  const [ending] = /\.[^.]{1,19}$/.exec(name) ?? [''], length = text => new TextEncoder().encode(text).length;
  if (length(name) > longestName) {
    const letters = [...name.slice(0, name.length - ending.length)];
    while (length(letters.join('') + ending) > longestName) letters.pop();
    name = letters.join('') + ending;
  }
  return ['', '.', '..'].includes(name) ? 'file' : name;
}
const typeOf = file => /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(file.type) ? file.type : 'application/octet-stream';

// Puts a file into a draft: bytes and test in one transaction. A Refusal says why not.
export async function attach(id, questionId, file) {
  if (file.size > longest) throw new Refusal(words.fileTooLong(file.name, longest));
  let buffer;
  try { buffer = await file.arrayBuffer(); } catch { throw new Refusal(words.fileUnreadable(file.name)); }
  const digest = await store.sha256(new Uint8Array(buffer));
  const attachment = { id: store.uuid(), questionId, name: clean(file.name), mediaType: typeOf(file), sizeBytes: buffer.byteLength, digest: 'sha256:' + digest };
  let refusal = null;
  await store.transact(['tests', 'files'], 'readwrite', run => run('tests', test => {
    refusal = null;
    if (!test || !store.isDraft(test)) { refusal = say('fileFrozen'); return; }
    const here = test.record.attachments ?? [];
    if (here.length >= mostInTest) { refusal = words.filesAtMost(mostInTest); return; }
    // The same photo chosen twice is one.
    if (here.some(other => other.questionId === questionId && other.digest === attachment.digest && other.name === attachment.name)) return;
    test.record.attachments = [...here, attachment];
    test.status = 'in-progress';
    run('tests', null, 'put', test);
    run('files', null, 'put', { id: attachment.id, test: id, status: 'done', frozen: { digest }, bytes: new Blob([buffer], { type: attachment.mediaType }) });
  }, 'get', id));
  store.changed(id);
  if (refusal) throw new Refusal(refusal);
}

export async function detach(id, file) {
  await store.transact(['tests', 'files'], 'readwrite', run => run('tests', test => {
    if (!test || !store.isDraft(test)) return;
    test.record.attachments = (test.record.attachments ?? []).filter(other => other.id !== file);
    run('tests', null, 'put', test);
    run('files', null, 'delete', file);
  }, 'get', id));
  store.changed(id);
}

// The files of all tests, by their ids; how many of a test's the server has not yet.
export const table = async () => new Map((await store.files()).map(file => [file.id, file]));
export const missing = (test, table) => (test.record.attachments ?? []).filter(({ id }) => table.get(id)?.status !== 'sent').length;

// One address for the bytes of a file as long as the page lives.
const addresses = new Map();
function addressOf(file) {
  if (!addresses.has(file.id)) addresses.set(file.id, URL.createObjectURL(file.bytes));
  return addresses.get(file.id);
}

// The files of an answer, with what became of each. `remove` takes one away.
export function fileList(test, questionId, table, remove) {
  const own = (test.record.attachments ?? []).filter(attachment => attachment.questionId === questionId);
  if (!own.length) return null;
  return h('ul', { class: 'files' }, own.map(attachment => {
    const file = table.get(attachment.id), href = file?.bytes && addressOf(file);
    const isPicture = href && /^image\/(png|jpeg|gif|webp|avif)$/.test(attachment.mediaType);
    const ending = /\.([^.]{1,4})$/.exec(attachment.name)?.[1].toUpperCase() ?? '…';
    return h('li', {}, h('span', { class: 'thumb', 'aria-hidden': 'true' }, isPicture ? h('img', { src: href, alt: '', decoding: 'async' }) : ending),
      h('span', { class: 'file' },
        href ? h('a', { href, download: attachment.name, dir: 'auto' }, attachment.name) : h('span', { dir: 'auto' }, attachment.name),
        h('span', { class: 'quiet' }, `${words.size(attachment.sizeBytes)} · ${!file ? say('missing') : store.isDraft(test) ? say('goesWithTest') : words.state(file)}`)),
      remove && button(say('removeFile'), () => remove(attachment.id), { class: 'quiet-button', 'aria-label': `${say('removeFile')}: ${attachment.name}` }));
  }));
}
