// Photos and other files that belong to answers: a part of the test, kept in the browser's storage until the server has them.
import * as store from './store.js';
import * as words from './words.js';
import * as uploads from './uploads.js';
import { h, button } from './ui.js';

const { say } = words;
// The digest is taken of the whole file at once, in memory; over plain http by this program and not by the browser.
export const longest = crypto.subtle ? 64e6 : 16e6;
// What the browser fetches from elsewhere first (a photo in a cloud) may never come.
const patience = 60e3;
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
const typeOf = file => /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(file.type) && file.type.length <= 200 ? file.type : 'application/octet-stream';

// Puts a file into a draft: bytes and test in one transaction. A Refusal says why not.
// `most`: how many files the answer may have.
export async function attach(id, questionId, file, most = Infinity) {
  if (file.size > longest) throw new Refusal(words.fileTooLong(file.name, longest));
  let buffer;
  const tooLate = new Promise((_, reject) => { setTimeout(reject, patience); });
  try { buffer = await Promise.race([file.arrayBuffer(), tooLate]); } catch { throw new Refusal(words.fileUnreadable(file.name)); }
  if (buffer.byteLength > longest) throw new Refusal(words.fileTooLong(file.name, longest));
  const digest = await store.sha256(new Uint8Array(buffer));
  const attachment = { id: store.uuid(), questionId, name: clean(file.name), mediaType: typeOf(file), sizeBytes: buffer.byteLength, digest: 'sha256:' + digest };
  let refusal = null, isPut = false;
  await store.transact(['tests', 'files', 'bytes'], 'readwrite', run => run('tests', test => {
    refusal = null;
    isPut = false;
    if (!test || !store.isDraft(test)) { refusal = words.fileTooLate(file.name, Boolean(test)); return; }
    const here = test.record.attachments ?? [];
    if (here.length >= mostInTest) { refusal = words.filesAtMost(mostInTest); return; }
    // The same photo chosen twice is one.
    if (here.some(other => other.questionId === questionId && other.digest === attachment.digest && other.name === attachment.name)) return;
    if (here.filter(other => other.questionId === questionId).length >= most) { refusal = `${words.atMostFiles(most)} ${say('removeOne')}`; return; }
    test.record.attachments = [...here, attachment];
    test.status = 'in-progress';
    run('tests', null, 'put', test);
    run('files', null, 'put', { id: attachment.id, test: id, status: 'done', frozen: { digest }, size: buffer.byteLength });
    run('bytes', null, 'put', { id: attachment.id, bytes: buffer, type: attachment.mediaType });
    isPut = true;
  }, 'get', id));
  // What a full disk cut is not saved: it is read back before it counts.
  if (isPut && !await isStored(attachment)) {
    await detach(id, attachment.id);
    throw new DOMException('not there', 'DataError');
  }
  store.changed(id);
  if (refusal) throw new Refusal(refusal);
}

async function isStored({ id, sizeBytes, digest }) {
  const blob = await store.bytesOf(id), bytes = await blob?.arrayBuffer().catch(() => null);
  // Gone again: another tab took it away.
  if (blob === undefined) return true;
  return bytes?.byteLength === sizeBytes && 'sha256:' + await store.sha256(new Uint8Array(bytes)) === digest;
}

export async function detach(id, file) {
  await store.transact(['tests', 'files', 'bytes'], 'readwrite', run => run('tests', test => {
    if (!test || !store.isDraft(test)) return;
    test.record.attachments = (test.record.attachments ?? []).filter(other => other.id !== file);
    run('tests', null, 'put', test);
    for (const name of ['files', 'bytes']) run(name, null, 'delete', file);
  }, 'get', id));
  store.changed(id);
}

// Gives up what the server refused: the test still names it, its bytes go.
export const drop = file => store.edit(file, now => now.status === 'rejected' && void (now.isDropped = true), 'files');

// The files of all tests by their ids: where each stands.
export const states = async () => new Map((await store.files()).map(file => [file.id, file]));
// The same with their bytes as long as they are here, for those who show them.
export async function all() {
  const [files, bytes] = await Promise.all([states(), store.allBytes()]);
  for (const stored of bytes) if (files.has(stored.id)) files.get(stored.id).bytes = store.blobOf(stored);
  return files;
}
// How many of a test's files are still to be sent, and how many were refused.
const count = (test, files, keep) => (test.record.attachments ?? []).filter(({ id }) => keep(files.get(id))).length;
export const waiting = (test, files) => count(test, files, file => file?.status === 'done');
export const refused = (test, files) => count(test, files, file => file?.status === 'rejected' && !file.isDropped);

// One address for the bytes of a file as long as they are here.
const addresses = new Map();
function addressOf(file) {
  if (!file?.bytes) {
    if (file && addresses.has(file.id)) URL.revokeObjectURL(addresses.get(file.id));
    if (file) addresses.delete(file.id);
    return null;
  }
  if (!addresses.has(file.id)) addresses.set(file.id, URL.createObjectURL(file.bytes));
  return addresses.get(file.id);
}
function stateOf(file, test) {
  if (!file) return say('missing');
  if (store.isDraft(test)) return say('goesWithTest');
  if (uploads.underWay === file.id) return words.state({ status: 'sending' });
  return words.state(file) + (file.status === 'done' && file.delivery ? `: ${words.reasonOf(file)}` : '');
}

// The files of an answer, with what became of each. `remove` takes one away; `isRemovable` tells which.
export function fileList(test, questionId, files, remove, isRemovable = () => true) {
  const own = (test.record.attachments ?? []).filter(attachment => attachment.questionId === questionId);
  if (!own.length) return null;
  return h('ul', { class: 'files' }, own.map(attachment => {
    const file = files.get(attachment.id), href = addressOf(file);
    const isPicture = href && /^image\/(png|jpeg|gif|webp|avif)$/.test(attachment.mediaType);
    const ending = /\.([^.]{1,4})$/.exec(attachment.name)?.[1].toUpperCase() ?? '…';
    return h('li', {}, isPicture ? h('a', { class: 'thumb', href, 'data-zoom': true, tabindex: -1, 'aria-hidden': 'true' }, h('img', { src: href, alt: '', decoding: 'async', loading: 'lazy' })) : h('span', { class: 'thumb', 'aria-hidden': 'true' }, ending),
      h('span', { class: 'file' },
        href ? h('a', { href, download: attachment.name, dir: 'auto', 'data-zoom': isPicture }, attachment.name) : h('span', { dir: 'auto' }, attachment.name),
        h('span', { class: 'quiet' }, `${words.size(attachment.sizeBytes)} · ${stateOf(file, test)}`)),
      remove && isRemovable(file) && button(say('removeFile'), () => remove(attachment.id), { id: 'r' + attachment.id, class: 'quiet-button', 'aria-label': `${say('removeFile')}: ${attachment.name}` }));
  }));
}
