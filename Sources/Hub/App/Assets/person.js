// Who is there: the line at the head, the choice of a person, and the screen in place of another person's test.
import * as store from './store.js';
import * as people from './people.js';
import * as words from './words.js';
import { begin } from './beginning.js';
import * as drafts from './drafts.js';
import { PINFault } from './pins.js';
import { pinForm, pinHash } from './pinscreen.js';
import { h, $, put, button, head, notice, tell } from './ui.js';

const { say } = words;
// More people of the list are found by searching; more than that are only on the screen of their own.
const mostListed = 40, mostInBar = 12;
const name = person => h('span', { dir: 'auto' }, people.fullName(person));
const choice = (person, { current, withPIN }, act, prefix) => button([name(person), withPIN.has(person.id) && h('span', { class: 'badge' }, say('pinBadge'))].filter(Boolean), () => act(person), { class: 'plain', id: prefix + person.id, 'aria-current': person.id === current?.id ? 'true' : null });
// Makes a person the one who is there; whether they are. One with a PIN is asked for it on another screen, which then goes on.
const become = (person, ...further) => people.use(person).then(() => true, error => {
  if (!(error instanceof PINFault)) throw error;
  location.hash = pinHash(person, ...further);
  return false;
});

// The line at the head with who is there; nothing on a phone without people. `isStuck` tells what must not be left.
export async function bar(region, isStuck) {
  const now = await people.state();
  region.hidden = !now.people.length;
  if (region.hidden) return put(region);
  const go = async person => {
    if (isStuck()) return;
    const isThere = await become(person).catch(error => tell(words.notChanged(error)));
    // The next person does not land in this one's test.
    if (isThere && /^#\/(t|pin|person)\//.test(location.hash)) location.hash = '#/';
  };
  put(region, h('p', { dir: 'auto' }, now.current ? people.fullName(now.current) : now.locked ? words.lockedWithPIN(people.fullName(now.locked)) : say('noOneHere')),
    h('details', { id: 'switch', open: $('#switch', region)?.open === true }, h('summary', {}, say('switchPerson')),
      h('form', { onsubmit: event => event.preventDefault() }, now.people.slice(0, mostInBar).map(person => choice(person, now, go, 'to-'))),
      h('p', {}, h('a', { href: '#/person' }, say('anotherPerson')))));
}

// The choice of a person. `id`: of the questionnaire whose test begins then.
export async function personScreen(main, id) {
  const title = say(id ? 'whoTakes' : 'whoIsHere'), region = h('div', { class: 'cards' }), given = { find: '', name: '', group: '', code: '' };
  let fault = {}, isBusy = false;
  put(main, head(title), h('p', { class: 'quiet' }, say('aboutPeople')), region);
  // What is typed there outlives a list that comes meanwhile.
  let ownPIN = null, pinOf = '';
  const pinBox = now => {
    const key = JSON.stringify([now.current.id, now.withPIN.has(now.current.id)]);
    if (key !== pinOf) [pinOf, ownPIN] = [key, pinForm(now, () => { pinOf = ''; return look(); })];
    return ownPIN;
  };
  // Two taps are one choice.
  let isChosen = false;
  const failed = error => { isChosen = false; tell(words.notChanged(error)); };
  const done = async (isForAnyone = false) => {
    const next = id ? await begin(id, isForAnyone) : '#/';
    if (next === location.hash) isChosen = false; else location.hash = next;
  };
  const choose = act => { if (!isChosen) { isChosen = true; return act().catch(failed); } };
  const use = person => choose(() => become(person, ...id ? ['q', id] : []).then(isThere => isThere && done()));
  const field = (name, label, fields = {}) => [h('label', { for: name }, say(label)),
    h('input', { id: name, dir: 'auto', autocomplete: 'off', value: given[name], oninput: event => { given[name] = event.target.value; }, 'aria-invalid': fault[name] ? 'true' : null, 'aria-describedby': fault[name] ? name + '-fault' : null, ...fields }),
    fault[name] && h('p', { class: 'notice bad', role: 'alert', id: name + '-fault' }, fault[name])];
  const refuse = async (name, text) => { fault = { [name]: text }; await look(); $('#' + name, region)?.focus(); };

  const set = async event => {
    event.preventDefault();
    const now = await people.state();
    if (!people.isName(given.name) || given.group.trim() && !people.isName(given.group)) return refuse('name', say('badName'));
    const person = people.named(now, given.name, given.group.trim());
    if (Array.isArray(person)) return refuse('name', say('severalNames'));
    await use(person);
  };
  const logIn = async event => {
    event.preventDefault();
    if (isBusy) return;
    const code = people.code(given.code);
    if (!code) return refuse('code', say('noCode'));
    isBusy = true;
    const { person, fault: reason } = await people.logIn(code).catch(error => ({ fault: failed(error) ?? 'codeAway' }));
    isBusy = false;
    if (!person) return refuse('code', say(reason));
    given.code = '';
    drafts.loggedIn(person.id).then(count => count && tell(words.draftsBack(count))).catch(() => { /* The next look at the hub asks again. */ });
    await done();
  };

  // The part of the class list that the search finds.
  const found = h('div', { id: 'found', 'aria-live': 'polite' });
  const search = now => {
    const list = people.matches(now.list.people, given.find);
    put(found, list.length > 0 && h('div', { class: 'people' }, list.slice(0, mostListed).map(person => choice(person, now, use, 'is-'))),
      !list.length && h('p', { class: 'quiet' }, say('noOneMatches')), list.length > mostListed && h('p', { class: 'quiet' }, words.peopleShown(mostListed, list.length)));
  };
  const look = async () => {
    const now = await people.state(), mayType = now.list?.typedNames !== false;
    if (now.list) search(now);
    put(region,
      now.people.length > 0 && h('div', { class: 'card people' }, now.people.map(person => choice(person, now, use, 'has-'))),
      now.list && h('section', { class: 'card', 'aria-labelledby': 'class' }, h('h2', { id: 'class' }, say('classList')),
        h('form', { role: 'search', class: 'find', onsubmit: event => event.preventDefault() }, h('label', { for: 'find' }, say('findPerson')),
          h('input', { id: 'find', type: 'search', dir: 'auto', autocomplete: 'off', value: given.find, oninput: event => { given.find = event.target.value; search(now); } })), found),
      mayType ? h('form', { class: 'card', id: 'set', autocomplete: 'off', onsubmit: set }, field('name', 'personName', { required: true }), field('group', 'personGroup'),
        h('p', {}, h('button', { class: 'main' }, say('thisIsMe')))) : h('p', { class: 'quiet', id: 'listed-only' }, say('listedOnly')),
      h('form', { class: 'card', id: 'login', autocomplete: 'off', onsubmit: logIn }, h('h2', {}, say('haveCode')), field('code', 'cardCode', { required: true, spellcheck: 'false', autocapitalize: 'characters', maxlength: 100 }),
        h('p', {}, h('button', { class: 'plain' }, say('logIn')))),
      id && mayType && h('p', {}, button(say('withoutName'), () => choose(() => done(true)), { class: 'plain', id: 'anyone' })),
      !id && now.current && pinBox(now),
      !id && (now.current ?? now.locked) && h('p', {}, button(say('leaveDevice'), () => choose(() => people.use(null).then(() => done())), { class: 'plain', id: 'nobody' })));
  };
  await look();
  people.refresh().catch(() => { /* The next start asks again. */ });
  return { classes: 'person', room: 'library', title, live: what => ['person', 'class'].includes(what) && look() };
}

// In place of a test of a person who is not there; null for every other test.
export async function otherPerson(main, test) {
  const now = await people.state();
  if (people.isShown(now, test)) return null;
  const owner = test.record.person, own = people.fullName(owner);
  put(main, h('div', { class: 'card confirm' }, h('h1', {}, say('othersTest')), h('p', { dir: 'auto' }, words.belongsTo(own, now.current && people.fullName(now.current))),
    h('div', { class: 'actions' }, h('a', { class: 'button plain', href: '#/' }, say('toLibrary')),
      button(words.continueAs(own), () => become(owner, 't', test.id).catch(error => tell(words.notChanged(error))), { class: 'main', id: 'as-owner' }))));
  return { classes: 'otherperson', room: 'library', title: say('othersTest') };
}

// The offer to claim a draft without a person; nothing where it has one, or no one is here. `settled` waits until what was typed or chosen is saved.
export async function claimOffer({ id, record }, settled) {
  const { current } = await people.state();
  if (record.person || !current) return null;
  const claim = async () => {
    if (!await settled()) return;
    await people.claim(id, current).then(() => dispatchEvent(new Event('hashchange')), error => tell(words.notChanged(error)));
  };
  return notice('calm', say('noPersonYet'), h('p', {}, button(words.ownedBy(people.fullName(current)), claim, { class: 'plain', id: 'claim' })));
}

// Whose a test is, and whether a code proved it; nothing for one without a person.
export const whose = ({ record, receipt }) => record.person && h('p', { class: 'quiet whose', dir: 'auto' }, people.fullName(record.person),
  receipt?.person?.verified === true && ' · ' + say('proven'));
