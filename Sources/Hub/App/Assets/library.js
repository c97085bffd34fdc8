// What comes from the server through the hub: the list, the questionnaires, their pictures and sounds.
import * as kinds from './kinds.js';
import * as store from './store.js';
import * as formatted from './formatted.js';
import { decide } from './removals.js';
import * as sections from './sections.js';
import * as translations from './translations.js';
import * as availability from './availability.js';

export const base = new URL('../../v1/', document.baseURI);
const seconds = number => AbortSignal.timeout?.(number * 1000);
const most = 50000, mostPages = 500, longestDocument = 4 << 20, longestMedium = 50e6;

// Only what lies on the server behind this very hub is followed.
export function within(reference, from = base) {
  try {
    const url = new URL(reference, from);
    return url.origin === base.origin && url.pathname.startsWith(base.pathname) ? url : null;
  } catch { return null; }
}

// As a search sees a text: without case, accents, ё/е, width and punctuation.
export const fold = text => text.normalize('NFKD').replace(/[иИ]\u0306/g, 'й').replace(/\p{M}/gu, '').toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ').trim();

const isText = value => typeof value === 'string';
const isName = value => isText(value) && value.length > 0 && value.length <= 512;

// The status of the last look at the list where it failed; 0 where nobody answered.
export let fault = null;
export const refresh = () => renew().then(() => { fault = null; }, error => { fault = error.status ?? 0; throw error; });

// Brings the list up to date. Throws when there is no way, or what came is no list.
async function renew() {
  const items = [];
  // The very addresses that the hub keeps for times without the server.
  for (let url = within('questionnaires'), pages = 0; url; pages++) {
    const reply = await fetch(url, { cache: 'no-cache', redirect: 'error', signal: seconds(8) });
    if (!reply.ok) throw Object.assign(new Error(String(reply.status)), { status: reply.status });
    const part = await reply.json();
    for (const item of part.questionnaires) {
      if (!isName(item?.id) || !isText(item.title) || !within(item.url)) continue;
      const { id, title, description, locale, questionCount, digest, updatedAt, url, mediaDigests } = item;
      items.push({ mediaDigests, id, title, description: isText(description) ? description : '', locale: isText(locale) ? locale : undefined, questionCount: Number(questionCount) || 0, digest, updatedAt, url });
    }
    if (pages >= mostPages || items.length > most) throw new Error('the list does not end');
    url = isText(part.next) ? within('questionnaires?cursor=' + encodeURIComponent(part.next)) : null;
  }
  const former = await store.fact('list'), pages = await store.pages(), now = Date.now();
  const here = new Map([...pages.map(page => [page.id, null]), ...(former?.items ?? []).map(item => [item.id, item.missingSince ?? null])]);
  const { held } = decide(here, new Set(items.map(item => item.id)), now);
  for (const item of former?.items ?? []) if (held.has(item.id)) items.push({ ...item, missingSince: item.missingSince ?? now });
  const order = new Intl.Collator(undefined, { numeric: true });
  items.sort((a, b) => order.compare(a.title, b.title) || (a.id < b.id ? -1 : 1));
  await store.setFact('list', { items, at: now });
  const kept = new Set([...items.map(item => item.id), ...held]);
  for (const page of pages) if (!kept.has(page.id)) await store.forget(page.id);
  if (JSON.stringify(former?.items) !== JSON.stringify(items)) store.changed('library');
}

// Fetches a questionnaire in the version of the list, unless it is here. What comes back ends when its media are here.
export async function bring(item) {
  const url = within(item.url);
  const here = await store.page(item.id);
  if (here && here.digest === item.digest) return { media: open(here.digest).then(async questionnaire => {
    await keepFormatted(questionnaire, here.digest);
    return keepMedia(questionnaire, url, item.mediaDigests, false);
  }) };
  const reply = await fetch(url, { cache: 'no-cache', redirect: 'error', signal: seconds(30) });
  if (!reply.ok) throw Object.assign(new Error(String(reply.status)), { status: reply.status });
  const bytes = await reply.arrayBuffer();
  const questionnaire = parse(bytes);
  if (questionnaire.id !== item.id) throw new Fault('id');
  const digest = 'sha256:' + await store.sha256(new Uint8Array(bytes));
  // A search sees each language.
  const versions = translations.versions(questionnaire);
  const texts = versions.flatMap(({ title, description, sections, questions }) => [title, description, ...sections.flatMap(({ title, text }) => [title, text]),
    ...questions.flatMap(question => [question.text, ...question.values ? [] : [...question.options, ...question.rows ?? []].map(text => kinds.label(question, text)),
      ...kinds.isStructured(question) ? kinds.parts(question).flatMap(part => part.options.map(text => kinds.label(part, text))) : []])]);
  const titles = Object.fromEntries(versions.slice(1).map(({ locale, title, description }) => [locale, { title, description }]));
  if (here) await keepFormerMedia(here);
  // Without the trees the texts are shown as they are written; the next opening asks for them.
  const trees = isFormatted(questionnaire) ? await formatted.ask(questionnaire).catch(() => undefined) : undefined;
  await store.keepDocument({ id: item.id, digest, url: url.href, texts: fold(texts.join(' ')), titles }, bytes, trees);
  return { media: keepMedia(questionnaire, url, item.mediaDigests, true) };
}

const isFormatted = questionnaire => questionnaire.textFormat === 'markdown';
async function keepFormatted(questionnaire, digest) {
  if (!questionnaire || !isFormatted(questionnaire) || questionnaire.formatted) return;
  try { await store.keepFormatted(digest, await formatted.ask(questionnaire)); } catch { /* The next opening asks again. */ }
}

// Feedback and explanations come with the result. Their formatted forms are stored with those of the questionnaire, one result at a
// time: two results of one questionnaire would overwrite each other's.
let keeping = Promise.resolve();
export const keepResult = test => keeping = keeping.catch(() => {}).then(() => keepNow(test));
async function keepNow({ record, status, receipt }) {
  const texts = status === 'rated' ? translations.saidBy(receipt?.evaluation?.questions ?? receipt?.review ?? []) : [], { digest } = record.questionnaire;
  const questionnaire = texts.length ? await open(digest) : null;
  if (!questionnaire || !isFormatted(questionnaire)) return;
  const known = questionnaire.formatted ?? await formatted.ask(questionnaire), trees = await formatted.withMore(known, texts);
  if (trees !== questionnaire.formatted) await store.keepFormatted(digest, trees);
}

const mediaOf = questionnaire => [...questionnaire?.questions ?? [], ...questionnaire?.sections ?? []].flatMap(({ media }) => media);
// Two spellings of one path are one file.
const spelling = url => { try { return decodeURIComponent(url.pathname); } catch { return url.pathname; } };

// Keeps what a questionnaire shows. digests: of its files as the list names them, where the server knows them.
async function keepMedia(questionnaire, from, digests, isNew) {
  if (!('caches' in window)) return;
  const cache = await caches.open('quire-media');
  const current = new Map(Object.entries(digests ?? {}).map(([reference, digest]) => [spelling(within(reference) ?? base), digest]));
  for (const { path } of mediaOf(questionnaire)) {
    const url = within(path.replaceAll('#', '%23'), from);
    if (!url) continue;
    const here = await cache.match(url, { ignoreVary: true }), digest = current.get(spelling(url))?.replace('sha256:', '');
    // The entity tag of a file is its digest (docs/protocol.md, section 5).
    const isOther = here && digest && !(here.headers.get('ETag') ?? '').includes(digest);
    if (here && !isNew && !isOther) continue;
    try {
      const reply = await fetch(url, { redirect: 'error', cache: isOther ? 'no-cache' : 'default', signal: seconds(120) });
      const isShort = Number(reply.headers.get('Content-Length') ?? 0) <= longestMedium;
      if (reply.status === 200 && isShort && !/no-store/i.test(reply.headers.get('Cache-Control') ?? '')) await cache.put(url, reply);
      else await reply.body?.cancel();
    } catch { /* The question says that it is missing; the next opening tries again. */ }
  }
}

// A newer version may have other pictures under the same names: a draft keeps those of its own version.
const formerURL = (url, digest) => { const former = new URL(url); former.searchParams.set('quire-version', digest); return former; };
async function keepFormerMedia({ digest, url }) {
  if (!('caches' in window)) return;
  try {
    const digests = new Set((await store.tests()).filter(store.isDraft).map(test => test.record.questionnaire.digest));
    const cache = await caches.open('quire-media');
    for (const { url: address } of await cache.keys()) {
      const version = new URL(address).searchParams.get('quire-version');
      if (version && !digests.has(version)) await cache.delete(address);
    }
    if (!digests.has(digest)) return;
    for (const { path } of mediaOf(await open(digest))) {
      const medium = within(path, new URL(url)), stored = medium && await cache.match(medium, { ignoreVary: true });
      if (stored && !await cache.match(formerURL(medium, digest))) await cache.put(formerURL(medium, digest), stored);
    }
  } catch { /* The question says that it is missing. */ }
}
// A picture as a former version had it; null where it is not here. Never as a newer version has it.
export async function formerMedium(url, digest) {
  if (!('caches' in window)) return null;
  try { return await (await (await caches.open('quire-media')).match(formerURL(url, digest)))?.blob() ?? null; } catch { return null; }
}

// The questionnaire that is here under a digest, read; null when it is not here.
export async function open(digest) {
  const stored = await store.documentOf(digest);
  if (!stored) return null;
  const questionnaire = parse(stored.bytes);
  const isUsable = isFormatted(questionnaire) && stored.formatted?.version === formatted.version;
  return { ...questionnaire, formatted: isUsable ? stored.formatted : undefined };
}

// The version of a test as the test shows it: the questions that it has, in its order; null when it is not here.
export const openFor = async record => sections.arranged(await open(record.questionnaire.digest), record);
// The same in the language of the test, or of the interface.
export const openShown = async record => translations.shown(await openFor(record), record);

export class Fault extends Error {}

// The subject, the level and the tags, in the order of Model's `Topics.words`.
function topics({ subject, level, tags }) {
  const isWords = value => typeof value === 'string' && value.trim() !== '';
  const all = Array.isArray(tags) && tags.every(tag => typeof tag === 'string') ? tags : [];
  return [subject, Number.isInteger(level) ? String(level) : level, ...all].filter(isWords);
}

// Reads a questionnaire as docs/questionnaire.schema.json says.
export function parse(bytes) {
  if (bytes.byteLength > longestDocument) throw new Fault('4 MiB');
  let json;
  try { json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)); } catch { throw new Fault('JSON'); }
  const text = (value, field) => { if (!isText(value)) throw new Fault(field); return value; };
  const optional = value => isText(value) ? value : undefined;
  if (!isName(json?.id)) throw new Fault('id');
  const list = (value, field) => { if (!Array.isArray(value)) throw new Fault(field); return value; };
  const mediaIn = value => (Array.isArray(value) ? value : []).filter(medium => isText(medium?.path))
    .map(({ path, type, alt }) => ({ path, type: optional(type), alt: optional(alt) ?? '' }));
  const seen = new Set();
  const questions = list(json.questions, 'questions').map((question, index) => {
    const field = `questions[${index}].`;
    const id = text(question?.id, field + 'id');
    if (seen.has(id)) throw new Fault(field + 'id');
    seen.add(id);
    const options = list(question.options ?? [], field + 'options').map((option, place) => text(option, `${field}options[${place}]`));
    const kind = isText(question.kind) ? question.kind : !options.length ? 'text' : question.multiple === true ? 'choices' : 'choice';
    if (['choice', 'choices'].includes(kind) && !options.length) throw new Fault(field + 'options');
    const media = mediaIn(question.media);
    const read = { id, text: text(question.text, field + 'text'), kind, options, required: question.required === true, media,
      keepLast: Array.isArray(question.keepLast) ? question.keepLast.filter(isText) : undefined };
    return kinds.complete(read, question, optional(json.locale) ?? optional(json.language));
  });
  const parts = sections.read(json, kinds.isCondition, mediaIn);
  return {
    id: json.id, title: text(json.title, 'title'), description: optional(json.description) ?? '',
    locale: optional(json.locale) ?? optional(json.language), textFormat: json.textFormat === 'markdown' ? 'markdown' : 'plain',
    timeLimitSeconds: Number.isInteger(json.timeLimitSeconds) && json.timeLimitSeconds > 0 ? json.timeLimitSeconds : undefined, finishesAtTimeLimit: json.finishAtTimeLimit === true, topics: topics(json), questions,
    availability: availability.read(json.availability, field => new Fault(field)),
    translations: translations.read(json), sections: parts, shuffle: { questions: json.shuffle?.questions === true, options: json.shuffle?.options === true },
    passScore: Number.isFinite(json.passScore) ? json.passScore : undefined, isConditional: parts.some(section => section.condition) || questions.some(question => question.condition),
  };
}

// Texts as answers.

export const isFaulty = (question, answer, files) => kinds.fault(question, answer, files) !== '';
