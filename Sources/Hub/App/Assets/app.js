// The frame: where one is, what is there, and what changes while one looks.
import './common.js';
import * as store from './store.js';
import * as library from './library.js';
import * as sync from './background-sync.js';
import * as words from './words.js';
import * as files from './files.js';
import { h, $, put, tell, svg, button, nothing, notice } from './ui.js';
import { libraryScreen, questionnaireScreen, outboxScreen, resultsScreen, settingsScreen, reportScreen } from './screens.js';
import { testScreen, reviewScreen } from './taking.js';
import { updateScreen } from './transfer.js';
import * as people from './people.js';
import * as drafts from './drafts.js';
import { bar, personScreen, otherPerson } from './person.js';
import { begin } from './beginning.js';
import { handInAll } from './ending.js';
import { pinScreen } from './pinscreen.js';

const { say } = words;
const main = $('#main');
let screen = {}, turn = 0, here = null;

// Which screen an address means.
async function choose(target) {
  const [room, name, step, more] = location.hash.replace(/^#\/?/, '').split('/').map(part => { try { return decodeURIComponent(part); } catch { return part; } });
  const now = await people.state(), chosen = room === 'pin' && now.people.find(({ id }) => id === name);
  // #/pin/PERSON, and where it goes on: /t/TEST, or /q/QUESTIONNAIRE whose test begins.
  // In its place in the history: Back leads to no question that is answered.
  if (chosen) return pinScreen(target, chosen, async () => location.replace(step === 'q' ? await begin(more) : step === 't' ? '#/t/' + more : '#/'));
  // After a reload, and in another tab, a person with a PIN types it where they were.
  if (now.locked && !['settings', 'person'].includes(room)) return pinScreen(target, now.locked, () => dispatchEvent(new Event('hashchange')));
  if (!room) return libraryScreen(target);
  if (room === 'q' && name) return questionnaireScreen(target, name);
  if (room === 'outbox') return outboxScreen(target);
  if (room === 'results') return resultsScreen(target);
  if (room === 'settings') return settingsScreen(target, speak);
  if (room === 'person') return personScreen(target, name);
  const test = room === 't' && await store.test(name);
  if (!test) {
    put(target, nothing(say('nothingHere'), h('p', {}, h('a', { href: '#/' }, say('toLibrary')))));
    return { classes: '', title: say('nothingHere') };
  }
  const other = await otherPerson(target, test);
  if (other) return other;
  if (!store.isDraft(test)) return reportScreen(target, name);
  if (step === 'update') return updateScreen(target, name);
  return step === 'review' ? reviewScreen(target, name) : testScreen(target, name, /^[1-9]\d*$/.test(step ?? '') ? Number(step) : undefined);
}

const spot = () => `${screen.classes} ${location.hash}`;
const scrolls = () => { try { return JSON.parse(sessionStorage.getItem('quire.scroll')) ?? {}; } catch { return {}; } };

// Another person has come since the screen was made: what they see is another thing. What cannot be saved stays on the screen
// until it is, or is erased.
let isAnothers = false;
function giveWay() {
  if (!isAnothers || screen.classes === 'person' || screen.isStuck?.()) return false;
  show();
  return true;
}

async function show() {
  if (screen.isStuck?.() && location.hash !== here) {
    history.replaceState(null, '', here || '#/');
    return tell(screen.stuckWords());
  }
  const mine = ++turn;
  isAnothers = false;
  screen.leave?.();
  screen = {};
  // Made aside, so that nothing is seen half done.
  const target = h('div');
  let next;
  try {
    next = await choose(target);
  } catch (error) {
    put(target, notice('bad', say('noStorage'), String(error?.message ?? error)));
    next = { classes: '', title: 'Quire' };
  }
  // Pictures that are here have their size before the place comes back; others are not waited for.
  const pictures = Promise.allSettled([...target.querySelectorAll('figure img')].map(image => image.decode()));
  await Promise.race([pictures, new Promise(done => { setTimeout(done, 300); })]);
  if (mine !== turn) return next.leave?.();
  main.replaceChildren(...target.childNodes);
  main.hidden = false;
  screen = next;
  const isNew = here !== location.hash && here !== null;
  here = location.hash;
  main.className = screen.classes;
  document.title = screen.title + ' · Quire';
  frame();
  screen.begin?.();
  if (screen.restore?.(isNew)) return;
  scrollTo({ top: scrolls()[spot()] ?? 0, behavior: 'instant' });
  if (isNew) main.focus({ preventScroll: true });
}

function speak(code) {
  words.speak(code);
  dress();
  show().then(() => $('#speak-' + code)?.focus());
}

// The frame around the screens.
function dress() {
  document.documentElement.lang = words.language;
  Object.assign(document.body.dataset, { close: say('close'), full: say('fullSize') });
  const mark = svg(32, ['rect', { x: 5, y: 3, width: 20, height: 26, rx: 3, class: 'mark-page' }], ['path', { d: 'M10 11h10M10 16h10M10 21h5', class: 'mark-lines' }], ['path', { d: 'M17 23.5l3 3 7-8', class: 'mark-tick' }]);
  const turnAround = svg(20, ['path', { d: 'M16 6.5A7 7 0 0 0 4 8M4 13.5a7 7 0 0 0 12-1.5M16 3v4h-4M4 17v-4h4' }]);
  put($('.skip'), document.createTextNode(say('skip')));
  put($('#bar'), h('a', { class: 'brand', href: '#/' }, mark, 'Quire'),
    h('nav', { class: 'rooms', 'aria-label': say('menu') }, h('ul', {}, [['', 'library'], ['outbox', 'outbox'], ['results', 'results'], ['settings', 'settings']].map(([path, name]) =>
      h('li', {}, h('a', { href: '#/' + path, id: 'room-' + name }, say(name)))))),
    h('div', { class: 'connection', id: 'connection' }, h('p', { role: 'status' }, h('span', { class: 'dot', 'aria-hidden': 'true' }), h('span', {}, h('strong'), h('br'), h('span', { class: 'quiet' }))),
      button(turnAround, () => { sync.now(); library.refresh().catch(() => { /* The state of the connection is shown. */ }); }, { class: 'icon', title: say('syncNow'), 'aria-label': say('syncNow') })));
  put($('.foot'), h('p', {}, say('footer')));
}

async function frame() {
  const room = screen.room ?? (['test', 'review', 'questionnaire'].includes(screen.classes) ? 'library' : screen.classes);
  bar($('#who'), () => screen.isStuck?.() && (tell(screen.stuckWords()), true)).catch(() => { /* The storage failed, which the screen says. */ });
  const [tests, own] = await Promise.all([store.tests().then(people.shown), files.states()]).catch(() => [[], new Map()]);
  const waiting = tests.filter(test => ['done', 'sending', 'conflict', 'rejected'].includes(test.status) || !store.isDraft(test) && files.waiting(test, own) + files.refused(test, own) > 0).length;
  for (const name of ['library', 'outbox', 'results', 'settings']) {
    const link = $('#room-' + name);
    if (name === room) link.setAttribute('aria-current', 'page'); else link.removeAttribute('aria-current');
    if (name === 'outbox') put(link, document.createTextNode(say('outbox')), waiting > 0 && h('span', { class: 'badge' }, String(waiting)));
  }
  const presence = sync.presence ?? (navigator.onLine ? null : 'offline');
  $('#connection .dot').className = 'dot ' + (presence === 'offline' || presence === null ? 'off' : 'on');
  $('#connection strong').textContent = presence ? say(presence) : '…';
  $('#connection .quiet').textContent = presence === 'hub' ? say('hubWhy') : '';
}

// What changes: tests by the background sync or in another tab, the library, the connection.
const known = new Map();
async function changed(id) {
  await released();
  if (id === 'drafts') {
    await drafts.load().catch(() => { /* As it was. */ });
    return screen.live?.(id);
  }
  frame();
  if (id === 'person') isAnothers = true;
  if (giveWay()) return;
  screen.live?.(id);
  const test = id !== 'library' && id !== 'person' && await store.test(id).catch(() => null);
  if (!test) return;
  const news = test.receipt?.returned ? say('returned') : test.status === 'rated' && test.receipt?.former ? say('ratingChanged') : '';
  const state = words.state(test) + (news && ' · ' + news), isShown = people.isShown(await people.state(), test);
  // The end of something that went on in the background is told to its person.
  if (isShown && known.has(id) && known.get(id) !== state && [...store.delivered, 'conflict', 'rejected'].includes(test.status) && !location.hash.includes(id)) tell(`${words.name(test.record.questionnaire)}: ${state}`);
  known.set(id, state);
}

addEventListener('quire-unstuck', giveWay);
addEventListener('quire-blocked', () => here ?? put(main, notice('bad', say('blocked'))));
// Another tab has brought the storage into a newer form: this one goes on with that.
addEventListener('quire-outdated', () => screen.isStuck?.() ? tell(say('outdated')) : location.reload());

history.scrollRestoration = 'manual';
addEventListener('hashchange', show);
// A page that the browser kept as it was, while another tab went on: nothing of it is seen before it is up to date. What cannot be
// saved stays on the screen.
const isOutdated = event => event.persisted && !screen.isStuck?.();
addEventListener('pagehide', event => { if (isOutdated(event)) main.hidden = true; });
addEventListener('pageshow', event => { if (isOutdated(event)) show(); else main.hidden = false; });
$('.skip').addEventListener('click', event => { event.preventDefault(); main.focus(); });
addEventListener('scroll', () => {
  try { sessionStorage.setItem('quire.scroll', JSON.stringify({ ...scrolls(), [spot()]: Math.round(scrollY) })); } catch { /* It begins at the top then. */ }
}, { passive: true });
store.listen(changed);
sync.watch(async () => { await released(); frame(); screen.live?.('presence'); });

dress();
for (const test of await store.tests().catch(() => [])) known.set(test.id, words.state(test));
await drafts.load().catch(() => { /* The storage failed, which the screen says. */ });
await handInAll().catch(() => { /* The storage failed, which the screen says. */ });
await show();
sync.run();
people.refresh().catch(() => { /* The next start asks again. */ });
library.refresh().catch(() => screen.live?.('library'));

// Kept by the browser, so that it opens without the hub. Only over https, or on this very machine.
if ('serviceWorker' in navigator) {
  const address = 'sw.js';
  const trusted = window.trustedTypes?.createPolicy('quire', { createScriptURL: () => address }).createScriptURL('') ?? address;
  navigator.serviceWorker.register(trusted, { updateViaCache: 'none' }).then(registration => {
    document.addEventListener('visibilitychange', () => { if (!document.hidden) registration.update().catch(() => { /* Away. */ }); });
  }).catch(() => { /* Without it the app works as long as the hub is there. */ });
}
