// The screens around a test: library, questionnaire, outbox, results, settings, and what became of a test.
import * as kinds from './kinds.js';
import * as store from './store.js';
import * as library from './library.js';
import * as sync from './background-sync.js';
import * as words from './words.js';
import * as files from './files.js';
import * as sections from './sections.js';
import * as instances from './instances.js';
import * as rules from './rules.js';
import * as translations from './translations.js';
import { textsOf, sideOfAll } from './formatted.js';
import * as people from './people.js';
import { lockedDrafts } from './drafts.js';
import { draftFact, standing as standingOf } from './draftnotice.js';
import { begin as beginTest, standing } from './beginning.js';
import { isRefused as mayNotBegin, nextChange } from './availability.js';
import { whose } from './person.js';
import { h, $, put, card, facts, button, head, nothing, notice, foreign, tell } from './ui.js';

const { say } = words;
const link = (hash, text, fields = {}) => h('a', { href: hash, ...fields }, text);
const crumb = (hash, text) => h('p', { class: 'crumb' }, link(hash, text));
export const testHash = (id, ...more) => '#/' + ['t', id, ...more].join('/');
const pageHash = id => '#/q/' + encodeURIComponent(id);
const time = (text, fields) => h('time', { datetime: text, ...fields }, words.moment(text));
export const titleOf = test => words.name(test.record.questionnaire);

// What was searched for stays while one looks into a questionnaire and comes back.
let query = sessionStorage.getItem('quire.query') ?? '', shown = 100;

export async function libraryScreen(main) {
  const field = h('input', { id: 'search', type: 'search', value: query, autocomplete: 'off', dir: 'auto', oninput: event => {
    query = event.target.value;
    shown = 100;
    sessionStorage.setItem('quire.query', query);
    fill();
  } });
  const region = h('div', { id: 'list' });
  let shelf = null;
  const keepAll = async event => {
    const pressed = event.currentTarget;
    pressed.disabled = true;
    let isWhole = true;
    for (const item of shelf.list?.items ?? []) await library.bring(item).then(brought => brought.media).catch(() => { isWhole = false; });
    pressed.disabled = false;
    tell(say(isWhole ? 'keptAll' : 'keptSome'));
  };
  put(main, head(say('library'), button(say('keepAll'), keepAll, { class: 'plain' })),
    h('form', { class: 'search', role: 'search', onsubmit: event => event.preventDefault() }, h('label', { for: 'search' }, say('search')), field), region,
    !isSecureContext && h('div', { id: 'unsafe' }, notice('', say('unsafe'))));
  const look = async () => {
    const [list, pages, tests] = await Promise.all([store.fact('list'), store.pages(), store.tests().then(people.shown)]);
    shelf = { list, pages: new Map(pages.map(page => [page.id, page])), drafts: new Set(tests.filter(store.isDraft).map(test => test.record.questionnaire.id)) };
    fill();
  };
  function fill() {
    if (!shelf?.list) return put(region, nothing(say(library.fault === 401 ? 'wantsToken' : 'noList')));
    const wanted = library.fold(query).split(' ').filter(Boolean);
    const found = shelf.list.items.filter(item => {
      const text = library.fold(item.title + ' ' + item.description) + ' ' + (shelf.pages.get(item.id)?.texts ?? '');
      return wanted.every(word => text.includes(word));
    });
    put(region,
      h('div', { class: 'listbar' }, h('p', { class: 'quiet', role: 'status' }, words.found(found.length, wanted.length > 0)),
        h('p', { class: 'quiet' }, words.updated((Date.now() - shelf.list.at) / 1000))),
      !found.length && nothing(say(shelf.list.items.length ? 'nothingFound' : 'noTests')),
      h('ul', { class: 'cards' }, found.slice(0, shown).map(item => {
        const page = shelf.pages.get(item.id), tag = Object.keys(page?.titles ?? {}).find(tag => tag.toLowerCase().split(/[-_]/)[0] === words.language), shownAs = { ...item, ...tag && { ...page.titles[tag], locale: tag } };
        return card({}, h('div', { class: 'grow' },
          h('h2', {}, foreign('a', words.name(shownAs), shownAs.locale, { href: pageHash(item.id) })),
          shownAs.description && foreign('p', shownAs.description, shownAs.locale, { class: 'quiet clamp' }),
          facts(['', words.questions(item.questionCount)], page ? ['here', say('here')] : ['away', say('away')],
            page && page.digest !== item.digest && ['newer', say('newer')], shelf.drafts.has(item.id) && ['draft', say('draft')])));
      })),
      found.length > shown && h('p', { class: 'actions' }, button(say('more'), () => { shown += 200; fill(); }, { id: 'more' })));
  }
  await look();
  return { classes: 'library', title: say('library'), live: look };
}

export async function questionnaireScreen(main, id) {
  const region = h('div', { id: 'report' });
  put(main, crumb('#/', say('library')), region);
  let item = null, timer = null, isFetching = false, isBegun = false, isRefused = false, fault = null;
  // Asks for the newest version once the list has it, and again when the connection is back.
  const bring = () => {
    isFetching = true;
    fault = null;
    library.bring(item).catch(error => { fault = error; }).then(() => { isFetching = false; return look(); });
  };
  const look = async what => {
    const former = item;
    item = (await store.fact('list'))?.items.find(item => item.id === id) ?? null;
    if (item && (item.digest !== former?.digest || what === 'presence' && fault && !isFetching)) bring();
    const page = await store.page(id), isListed = (await store.fact('list')) !== undefined;
    const all = await store.tests(), own = (await people.shown(all)).filter(test => test.record.questionnaire.id === id).sort((a, b) => b.record.sequence - a.record.sequence);
    // What left the library is still known by the tests that were taken of it.
    const isGone = isListed && !item && own.length > 0, digest = page?.digest ?? own[0]?.record.questionnaire.digest;
    let questionnaire = null;
    if (digest) try { questionnaire = translations.shown(await library.open(digest)); } catch (error) { fault = error; }
    const draft = own.find(store.isDraft), order = await orders(own);
    const begin = async event => {
      if (isBegun) return;
      isBegun = event.currentTarget.disabled = true;
      try {
        const next = await beginTest(id);
        if (next === location.hash) { isBegun = false; await look(); } else location.hash = next;
      } catch {
        isRefused = true;
        isBegun = false;
        await look();
      }
    };
    const { attempt, access } = await standing(questionnaire, all), refusal = words.refusal(access);
    clearTimeout(timer);
    const change = nextChange(questionnaire?.availability, Date.now());
    if (change !== undefined) timer = setTimeout(look, Math.min(change - Date.now() + 50, 3600e3));
    const about = questionnaire ?? item, required = questionnaire?.questions.filter(question => question.required).length;
    put(region,
      h('div', { class: 'head' }, foreign('h1', words.name({ title: about?.title, id }), about?.locale)),
      about?.description && textsOf(about).description(about.description),
      facts((questionnaire || item) && ['', words.questions(questionnaire?.questions.length ?? item.questionCount)], page ? ['here', say('here')] : !isGone && ['away', say('away')],
        questionnaire?.timeLimitSeconds && ['limit', words.limit(questionnaire.timeLimitSeconds)], questionnaire?.timeLimitSeconds && questionnaire.finishesAtTimeLimit && ['limit', words.endsByItself()],
        ...(questionnaire?.topics ?? []).map(topic => ['', topic]), required > 0 && ['', words.required(required)], ...words.availability(questionnaire?.availability, Date.now(), attempt).map(fact => ['', fact])),
      refusal && notice('warn', refusal),
      isRefused && notice('bad', say('notBegun')),
      fault instanceof library.Fault ? notice('bad', `${say('unreadable')} ${fault.message}`)
        : isGone ? notice('warn', say('gone')) : item?.missingSince ? notice('warn', say('unlisted')) : !questionnaire && (isFetching ? notice('', say('fetching')) : notice('warn', say('notHere'))),
      h('div', { class: 'actions' }, draft && link(testHash(draft.id), say('goOn'), { class: 'button main' }),
        questionnaire && page && !isGone && !mayNotBegin(access) && button(say(draft ? 'beginAnother' : 'begin'), begin, { class: draft ? 'plain' : 'main', id: 'begin' })),
      own.length > 0 && h('section', { 'aria-labelledby': 'earlier' }, h('h2', { id: 'earlier' }, say('yourTests')), h('ul', { class: 'cards' }, own.map(test => line(test, 'h3', undefined, order(test), all)))));
  };
  await look();
  return { classes: 'questionnaire', title: words.name({ title: item?.title, id }), live: look, leave: () => clearTimeout(timer) };
}

// An answer where its question is not at hand.
function shownWithoutQuestion({ answer }) {
  if (typeof answer === 'boolean') return words.truths(words.language)[answer ? 0 : 1];
  if (!kinds.isObject(answer) || kinds.isPlace(answer)) return kinds.shown(null, { answer }).join(', ');
  return Object.keys(answer).sort().map(name => `${name}: ${kinds.texts(answer[name]).join(', ')}`).join(', ');
}

// The first answers, shortened: what tells tests of one questionnaire apart. The rule of Model's TestRecord.summary.
export function firstAnswers(record, order) {
  const place = ({ questionId }) => { const at = order.indexOf(questionId); return at < 0 ? Infinity : at; };
  const short = text => { const plain = text.split(/\s+/u).filter(Boolean).join(' '), all = [...plain]; return all.length > 40 ? all.slice(0, 39).join('') + '…' : plain; };
  const given = record.answers.filter(answer => !store.blank(answer)).map((answer, index) => ({ answer, index, at: place(answer) }))
    .sort((a, b) => a.at === b.at ? a.index - b.index : a.at - b.at);
  let summary = '';
  for (const text of [...given.map(({ answer }) => shownWithoutQuestion(answer)), ...(record.attachments ?? []).map(({ name }) => name)]) {
    const longer = summary ? summary + ' · ' + short(text) : short(text);
    if ([...longer].length > 80) break;
    summary = longer;
  }
  return summary;
}
// The ids of the questions in their order, by version, where a list has several tests of it.
async function orders(tests) {
  const counts = new Map();
  for (const { record } of tests) counts.set(record.questionnaire.digest, (counts.get(record.questionnaire.digest) ?? 0) + 1);
  const known = new Map();
  for (const [digest, count] of counts) if (count > 1) known.set(digest, (await library.open(digest).catch(() => null))?.questions.map(({ id }) => id) ?? []);
  return test => known.get(test.record.questionnaire.digest) ?? [];
}

// A test in a list, below a heading.
function line(test, name, own = new Map(), order = [], all = []) {
  const evaluation = ratingOf(test), first = firstAnswers(test.record, order), revision = words.revision(store.earlier(test.record, all));
  return card({}, h('div', { class: 'grow' }, h(name, {}, foreign('a', titleOf(test), null, { href: testHash(test.id) })),
    facts([words.tone(test.status), words.state(test)], test.lostAt && ['bad', say('lostShort')], revision && ['', revision], ['', words.answers(test.record.answers.length)], store.isDraft(test) && draftFact(test),
      test.record.attachments?.length && ['', words.fileCount(test.record.attachments.length)], !store.isDraft(test) && files.waiting(test, own) > 0 && ['busy', words.filesWait(files.waiting(test, own))],
      test.receipt?.late === true && ['bad', say('late')], formerOf(test) && ['', say('ratingChanged')], test.receipt?.returned && ['newer', say('returned')], files.refused(test, own) > 0 && ['bad', words.filesRefused(files.refused(test, own))]),
    first && foreign('p', first, null, { class: 'quiet first' }),
    h('p', { class: 'quiet' }, time(test.receipt?.receivedAt ?? test.changedAt ?? test.record.dateStarted))),
  evaluation && scoreLine(evaluation, 'small'));
}
// A test that waits for a person has no rating yet, whatever was rated by then.
const ratingOf = test => test.status === 'rated' ? test.receipt?.evaluation : undefined;
// The rating that the current one replaced.
const formerOf = test => ratingOf(test) && test.receipt.former;

// A test that a teacher sent back is corrected in a new one, which begins with its answers and files.
async function correct(test) {
  const { record } = test;
  const files = (record.attachments ?? []).map(({ questionId }) => questionId);
  location.hash = testHash(await store.carryOver(test, record.questionnaire, record.answers, files, {
    dateStarted: new Date().toISOString(), ...(record.person ? { person: record.person } : {}),
    ...(record.shown ? { shown: record.shown, orderOf: sections.orderID(record) } : {}) }));
}

const returnedOf = ({ receipt }) => receipt?.returned && [h('p', {}, h('strong', {}, receipt.returned.by ? words.returnedBy(receipt.returned.by) : say('returned'))),
  foreign('p', receipt.returned.comment, null, { class: 'comment' })];

const scoreLine = (evaluation, kind) => {
  const [score, of] = words.score(evaluation);
  return h('p', { class: 'score ' + kind }, h('strong', {}, score), ' ', h('span', {}, of));
};

function listScreen(name, keep, empty) {
  return async main => {
    const region = h('div', { id: 'list' });
    const actions = h('div', { class: 'actions' });
    put(main, head(say(name), name === 'outbox' && actions), region);
    const look = async () => {
      const own = await files.states();
      const tests = await store.tests(), found = (await people.shown(tests)).filter(test => keep(test, files.waiting(test, own) + files.refused(test, own))).sort((a, b) => b.record.sequence - a.record.sequence);
      // Drafts alone leave nothing to send.
      put(actions, found.some(test => sync.hasToSend(test, own)) && [button(say('retryAll'), sync.againAll, { class: 'plain', id: 'again-all' }),
        button(say('syncNow'), sync.now, { class: 'plain', id: 'send-now' })]);
      const order = await orders(found);
      put(region, found.length ? h('ul', { class: 'cards' }, found.map(test => line(test, 'h2', own, order(test), tests))) : nothing(say(empty), h('p', {}, link('#/', say('toLibrary')))),
        name === 'outbox' && found.length > 0 && h('p', { class: 'quiet' }, await storageWords()));
    };
    await look();
    return { classes: name, title: say(name), live: look };
  };
}
const isDelivered = test => store.delivered.includes(test.status);
export const outboxScreen = listScreen('outbox', (test, files) => !isDelivered(test) || files > 0 || test.lostAt, 'nothingWaits');
export const resultsScreen = listScreen('results', isDelivered, 'noResults');

const storageWords = async () => say(await navigator.storage?.persisted?.().catch(() => false) ? 'storageFirm' : 'storageLoose');

export async function settingsScreen(main, speak) {
  const languages = words.languages.map(([code, name]) =>
    button(name, () => speak(code), { lang: code, 'aria-pressed': String(words.language === code), id: 'speak-' + code, class: words.language === code ? 'main' : 'plain' }));
  const about = h('div', {}), look = async () => {
    const now = await people.state(), locked = lockedDrafts.get(now.current?.id) ?? 0;
    put(about, h('p', { id: 'drafts' }, standingOf(now)), locked > 0 && notice('warn', words.draftsLocked(locked)));
  };
  await look();
  put(main, head(say('settings')),
    h('section', { class: 'card' }, h('h2', {}, say('language')), h('div', { class: 'actions' }, languages)),
    h('section', { class: 'card' }, h('h2', {}, say('storage')), h('p', {}, await storageWords()),
      h('p', { id: 'worker' }, say('serviceWorker' in navigator ? 'worker' : 'noWorker'))),
    h('section', { class: 'card' }, h('h2', {}, say('draftsTitle')), about));
  return { classes: 'settings', title: say('settings'), live: what => what === 'drafts' && look() };
}

// What became of a finished test.
export async function reportScreen(main, id) {
  const region = h('div', { id: 'report' }), below = h('section', { 'aria-labelledby': 'your' });
  const first = await store.test(id);
  put(main, crumb(isDelivered(first) ? '#/results' : '#/outbox', say(isDelivered(first) ? 'results' : 'outbox')), region, below);
  const look = async () => {
    const test = await store.test(id), all = await store.tests();
    if (!test) { location.hash = '#/outbox'; return; }
    const isOpen = test.status === 'conflict' || test.status === 'rejected';
    const wait = Math.ceil(((test.notBefore ?? 0) - Date.now()) / 1000);
    const next = isOpen ? 'nextOpen' : test.lostAt ? 'lost' : isDelivered(test) ? test.status === 'rated' ? null : 'nextSent'
      : test.keptAt ? 'nextKept' : sync.presence === 'offline' ? 'nextWaits' : wait > 0 ? 'nextRetry' : 'nextSoon';
    const evaluation = ratingOf(test), questionnaire = await library.openShown(test.record).catch(() => null), own = await files.all(), waiting = files.waiting(test, own), refused = files.refused(test, own);
    const failed = error => tell(words.notChanged(error));
    const drop = file => confirm(say('dropSure')) && files.drop(file).catch(failed);
    put(region, h('div', { class: 'head' }, foreign('h1', titleOf(test)), whose(test)),
      h('div', { class: 'card state ' + words.tone(test.status) },
        h('p', { class: 'state-words', role: 'status' }, words.state(test)), next && h('p', {}, say(next)),
        test.status === 'conflict' && test.delivery?.problem === 'different-content' && h('p', {}, say('sentElsewhere')),
        test.receipt?.late === true && h('p', { class: 'late' }, words.late(test.receipt.timeTaken)), versionsOf(test, all), returnedOf(test),
        !isOpen && waiting > 0 && h('p', {}, words.filesWait(waiting)), refused > 0 && h('p', {}, words.filesRefused(refused)),
        !isOpen && test.delivery && h('p', { class: 'quiet' }, `${say('lastTry')}: ${words.reasonOf(test)}`),
        h('div', { class: 'actions' },
          isDelivered(test) && test.receipt?.returned && !store.later(test, all).some(one => !store.isDraft(one)) && button(say('correct'), () => correct(test).catch(failed), { class: 'main', id: 'correct' }),
          (isOpen || test.lostAt || test.status === 'done' || waiting + refused > 0) && button(say('retryNow'), () => sync.again(id).catch(failed), { class: 'main', id: 'again' }),
          h('a', { class: 'button plain', download: id + '.test.json', href: copyOf(test) }, say('copy')),
          (isOpen || test.status === 'done') && button(say('discard'), async () => {
            if (confirm(say('discardSure') + words.filesGo(test.record.attachments?.length) + (test.keptAt ? ' ' + say('discardKept') : ''))) await store.discard(id).catch(failed);
          }, { class: 'plain', id: 'discard' })),
        isOpen && test.record.attachments?.length > 0 && h('p', { class: 'quiet' }, say('copyFiles'))),
      evaluation && rating(evaluation, questionnaire, formerOf(test)), laterOf(test), proof(test, $('#proof')?.open));
    put(below, h('h2', { id: 'your' }, say('yourAnswers')), h('div', { id: 'answers', dir: questionnaire && sideOfAll(questionnaire) }, byPassages(questionnaire, await rows(test), ({ question, given }, index) => {
      const verdict = translations.verdict(ratedQuestions(test).find(verdict => verdict?.questionId === question.id), questionnaire?.locale);
      return answerCard(index, question, given, verdict, store.isAnswered(test.record, question.id), files.fileList(test, question.id, own, drop, file => file?.status === 'rejected' && !file.isDropped));
    })));
  };
  await look();
  if (first) library.keepResult(first).catch(() => { /* Its texts are shown as they are written. */ });
  return { classes: 'report', room: isDelivered(first) ? 'results' : 'outbox', title: titleOf(first), live: look };
}

// Cards of answers, below the passages that they belong to.
function byPassages(questionnaire, list, cardOf) {
  const texts = textsOf(questionnaire);
  return sections.groups(questionnaire, [...list.entries()], ([, { question }]) => question.id).map(({ section, items }) => [
    section && sections.passage(section, questionnaire, texts, say('material'), false),
    h('ol', { class: 'answers' }, items.map(([index, row]) => cardOf(row, index)))]);
}

// A test that was revised, or is a revision, with all its versions.
function versionsOf(test, tests) {
  const chain = [...store.earlier(test.record, tests), test, ...store.later(test, tests)];
  return chain.length > 1 && h('nav', { class: 'chain', 'aria-labelledby': 'chain' }, h('p', { class: 'quiet', id: 'chain' }, say('versionsOfTest')), h('ol', {}, chain.map(one => h('li', {},
    link(testHash(one.id), words.revision(store.earlier(one.record, tests)) || say('firstVersion'), one === test ? { 'aria-current': 'true' } : {}), ' ', h('span', { class: 'quiet' }, words.state(one))))));
}

let copy = null;
function copyOf(test) {
  if (copy) URL.revokeObjectURL(copy);
  copy = URL.createObjectURL(new Blob([test.frozen.bytes], { type: 'application/json' }));
  return copy;
}

// What is known about each question of a rated test, with the score or without it.
const ratedQuestions = test => instances.verdicts(test.status === 'rated' ? test.receipt?.evaluation?.questions ?? test.receipt?.review ?? [] : []);
const laterOf = test => Date.parse(test.receipt?.releasesAt) >= Date.now() && h('p', { class: 'quiet' }, words.releasedAfter(test.receipt.releasesAt));

// Whether the score is enough; undefined where the questionnaire does not say how much that is.
const passed = (evaluation, questionnaire) => questionnaire?.passScore === undefined || !(evaluation.maximum > 0) ? undefined
  : evaluation.score >= questionnaire.passScore * evaluation.maximum - 1e-9;

function rating(evaluation, questionnaire, former) {
  const most = Math.max(evaluation.maximum, 0.001);
  return h('section', { class: 'card rating', 'aria-labelledby': 'rating' }, h('h2', { id: 'rating' }, say('rating')), scoreLine(evaluation, ''),
    passed(evaluation, questionnaire) !== undefined && h('p', { class: 'mark ' + (passed(evaluation, questionnaire) ? 'good' : 'bad') }, say(passed(evaluation, questionnaire) ? 'passed' : 'notPassed')),
    h('meter', { min: 0, max: most, value: Math.min(Math.max(evaluation.score, 0), most), 'aria-labelledby': 'rating' }),
    former && h('p', {}, words.ratingChanged(evaluation, former)),
    evaluation.ratedBy && h('p', { class: 'quiet' }, evaluation.ratedBy === 'key' ? say('byKey') : evaluation.ratedBy),
    evaluation.comment && foreign('p', evaluation.comment, null, { class: 'comment' }));
}

function proof(test, isOpen) {
  const { record, receipt, delivery } = test;
  const rows = [['begun', record.dateStarted], ['finished', JSON.parse(new TextDecoder().decode(test.frozen.bytes)).dateFinished],
    ['keptAt', test.keptAt], ['storedAt', receipt?.receivedAt], ['ratedAt', ratingOf(test)?.ratedAt],
    ['lastTry', delivery && new Date(delivery.lastAttempt).toISOString()]].filter(([, value]) => value).map(([name, value]) => [name, time(value)]);
  if (delivery) rows.push(['tries', String(delivery.attempts)], ['itsReason', words.reasonOf(test)]);
  const code = text => h('span', { class: 'code' }, text);
  rows.push(['number', code(test.id)], [receipt ? 'receiptFor' : 'digest', code(receipt?.digest ?? 'sha256:' + test.frozen.digest)]);
  return h('details', { class: 'card proof', id: 'proof', open: isOpen }, h('summary', {}, say(receipt ? 'proof' : 'history')),
    h('dl', {}, rows.map(([name, value]) => h('div', {}, h('dt', {}, say(name)), h('dd', {}, value)))));
}

// The questions of a test with what was answered; without its questionnaire the answers alone.
export async function rows(test) {
  const questionnaire = await library.openShown(test.record).catch(() => null);
  const known = [...test.record.answers, ...test.record.attachments ?? []].map(({ questionId }) => questionId);
  const hidden = kinds.hidden(questionnaire, test.record);
  const questions = questionnaire?.questions.filter(question => kinds.takesAnswer(question) && !hidden.has(question.id)) ?? [...new Set(known)].map(id => ({ id, text: rules.writtenID(id), kind: 'text' }));
  const texts = textsOf(questionnaire);
  return questions.map((question, index) => ({ place: (questionnaire?.questions.indexOf(question) ?? index) + 1, question: { ...question, locale: questionnaire?.locale, texts, place: words.place(index + 1, questions.length) }, given: store.answerTo(test.record, question.id) }));
}

export function answerCard(index, question, given, verdict, isAnswered, ...more) {
  return h('li', { class: 'card' },
    question.texts.question(index, question.text, question.place, {}, text => kinds.withBlanks(question, text)),
    store.blank(given) ? !isAnswered && h('p', { class: 'quiet' }, say('notAnswered')) : question.texts.answer(question, given),
    typeof verdict?.correct === 'boolean' && h('p', { class: 'mark ' + (verdict.correct ? 'good' : 'bad') }, h('span', { 'aria-hidden': 'true' }, verdict.correct ? '✓ ' : '✗ '), say(verdict.correct ? 'right' : 'wrong')),
    typeof verdict?.correct !== 'boolean' && typeof verdict?.points === 'number' && h('p', { class: 'mark' }, words.score({ score: verdict.points, maximum: verdict.maximum }).join(' ')),
    verdict?.feedback && question.texts.feedback(verdict.feedback),
    verdict && verdict.correct !== true && Array.isArray(verdict.rightAnswers) && verdict.rightAnswers.length > 0 && foreign('p', words.rightAnswer(verdict.rightAnswers.map(answer => question.texts.answerLine(question, { answer }))), null, { class: 'right' }),
    verdict?.explanation && question.texts.explanation(verdict.explanation),
    sections.taken(question, given),
    verdict?.comment && foreign('p', verdict.comment, null, { class: 'comment' }), ...more);
}
