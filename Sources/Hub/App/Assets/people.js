// Who uses this phone: the people, the one who is there, the class list of the hub, and the codes that prove people.
// As Quire's People and ShownTests: as soon as there are people, each sees their own tests, and those without a person.
import * as store from './store.js';
import { within, fold } from './library.js';
import * as pins from './pins.js';

const facts = { people: 'people', current: pins.facts.person, list: 'class', codes: 'codes', salts: 'draftSalts' };
const isText = value => typeof value === 'string' && value.trim() !== '';
const reference = ({ id, name, group }) => ({ id, name, ...(isText(group) ? { group } : {}) });
const isPerson = value => isText(value?.id) && isText(value.name);

// The name, with the group where there is one.
export const fullName = ({ name, group }) => group ? `${name} (${group})` : name;

// Everything that is known: {people, current, locked, list, codes, withPIN}. locked: who is there, and has not typed their PIN in this tab;
// then no one is current.
export async function state() {
  const values = await store.factsNamed([...Object.values(facts), ...Object.values(pins.facts)]), list = values[facts.list];
  const known = (values[facts.people] ?? []).filter(isPerson), named = known.find(({ id }) => id === values[facts.current]) ?? null;
  const isOpen = !named || pins.isOpen(named.id, values);
  return { people: known, current: isOpen ? named : null, locked: isOpen ? null : named, list: list?.people?.length ? list : null, codes: values[facts.codes] ?? {}, withPIN: new Set(Object.keys(values.pins ?? {})) };
}
// The key of a test's person; undefined where this phone has none.
export const codeOf = async test => test?.record.person && (await store.fact(facts.codes))?.[test.record.person.id];

// Which tests are shown now: on a phone with people those of who is there, and those without a person.
export const isShown = ({ people, current }, test) => !people.length || !test.record.person || test.record.person.id === current?.id;
export async function shown(tests) {
  const now = await state();
  return tests.filter(test => isShown(now, test));
}

// Whether a text is the code with which a person logged in here.
const isCodeOf = ({ codes }, { id }, text) => codes[id] !== undefined && code(text ?? '') === codes[id];

// Switches to a person and adds them to those of this phone; null: no one is here then. `pin`: the PIN or the code of a person who has
// a PIN and is not here yet; a PINFault says why it was refused. Returns false, and switches to no one, if `isLeft` is true by then.
export async function use(person, pin, isLeft = () => false) {
  const now = await state();
  if (person && now.current?.id !== person.id) await pins.check(person.id, pin, isCodeOf(now, person, pin));
  if (isLeft()) return false;
  await become(person);
  return true;
}
async function become(person) {
  await store.changeFacts(Object.values(facts), values => {
    if (!person) return { [facts.current]: null };
    const others = (values[facts.people] ?? []).filter(({ id }) => id !== person.id);
    const order = new Intl.Collator(undefined, { numeric: true });
    return { [facts.current]: person.id, [facts.people]: [...others, reference(person)].sort((a, b) => order.compare(fullName(a), fullName(b))), ...pins.opening() };
  });
  store.changed('person');
}

// Gives a draft without a person to one who is here, as `claim` of QuireStore does.
export async function claim(id, person) {
  if ((await state()).current?.id !== person.id) return;
  await store.transact(['tests'], 'readwrite', run => run('tests', test => {
    if (!test || !store.isDraft(test) || test.record.person) return;
    run('tests', null, 'put', { ...test, changedAt: store.now(), record: { ...test.record, person: reference(person) } });
  }, 'get', id));
  store.changed(id);
}

// Sets, changes or removes (`pin` is null) the PIN of a person, who must be there. `former`: where there is one: that or their code.
export async function setPIN(person, former, pin, again) {
  const now = await state();
  if (now.current?.id !== person.id) throw new pins.PINFault('left');
  await pins.check(person.id, former, isCodeOf(now, person, former));
  await (pin === null ? pins.remove(person.id) : pins.set(person.id, pin, again));
  store.changed('person');
}

// Why a text cannot be a name: the rule of Model's Person.
export const isName = text => isText(text) && new TextEncoder().encode(text).length <= 400 && !/\p{Cc}/u.test(text);

// The person whom a typed name means: one of this phone, of the list, or a new one. An array where there are several.
export function named(now, name, group) {
  const isOne = person => fold(person.name) === fold(name) && (!group || (person.group ?? '') === group);
  const ids = new Set(), all = [...now.people, ...now.list?.people ?? []].filter(person => !ids.has(person.id) && ids.add(person.id));
  const found = all.filter(isOne);
  if (found.length > 1) return found;
  return found[0] ?? { id: store.uuid(), name: name.trim(), ...(isText(group) ? { group: group.trim() } : {}) };
}

// Whether a person may take tests where only people of the list do: one of them, or one whom a code proved.
export const isListed = ({ list, codes }, person) => Boolean(person && (list?.people.some(({ id }) => id === person.id) || codes[person.id]));

// People of a list whose name, group or number has each word.
export function matches(people, text) {
  const words = fold(text).split(' ').filter(Boolean);
  return people.filter(({ id, name, group }) => { const folded = fold(`${name} ${group ?? ''} ${id}`); return words.every(word => folded.includes(word)); });
}

// A code as it is typed; null for none: the rule of WireFormat's PersonalCode.
const alike = new Map([...'\u0410\u0412\u0415\u041A\u041C\u041D\u0420\u0421\u0422\u0423\u0425'].map((letter, place) => [letter, 'ABEKMHPCTYX'[place]]));
export function code(written) {
  const text = [...written.toUpperCase()].filter(letter => !/[\s-]/u.test(letter)).map(letter => alike.get(letter) ?? letter).join('');
  return /^[A-Z0-9]{8,64}$/.test(text) ? text : null;
}

const ask = (path, fields) => fetch(within(path), { cache: 'no-store', redirect: 'error', headers: { Accept: 'application/json', ...fields }, signal: AbortSignal.timeout?.(15000) });

// Asks the server whose code it is. {person}, or {fault}: 'unknown', 'away' or 'noCodes'.
export async function logIn(code) {
  const fields = { Authorization: 'Bearer ' + code };
  let own, people = [];
  try {
    const reply = await ask('access/self', fields);
    if (reply.status === 401) return { fault: 'unknownCode' };
    if (reply.status !== 200) return { fault: reply.status === 404 ? 'noCodes' : 'codeAway' };
    own = await reply.json();
    const list = await ask('people', fields).catch(() => null);
    if (list?.status === 200) ({ people } = await list.json());
  } catch { return { fault: 'codeAway' }; }
  if (!isText(own?.person)) return { fault: own?.role ? 'unknownCode' : 'codeAway' };
  const now = await state();
  const person = [...Array.isArray(people) ? people : [], ...now.people].find(one => isPerson(one) && one.id === own.person) ?? { id: own.person, name: own.person };
  await store.changeFacts([facts.codes, facts.salts], values => {
    const { [person.id]: salt, ...salts } = values[facts.salts] ?? {}, isSame = values[facts.codes]?.[person.id] === code;
    // With another code drafts are encrypted with another key.
    return { [facts.codes]: { ...values[facts.codes], [person.id]: code }, [facts.salts]: isSame && salt ? { ...salts, [person.id]: salt } : salts };
  });
  // The server proved who it is: no PIN is asked for.
  await pins.forgive(person.id);
  await become(person);
  return { person };
}

// Removes the PIN of a person who forgot it, with the key of a teacher, which the server checks and this phone does not keep. A PINFault
// says why not.
export async function resetPIN(person, key) {
  if (!/^[\x21-\x7E]+$/.test(key.trim())) throw new pins.PINFault('noTeacherKey');
  const reply = await ask('access/self', { Authorization: 'Bearer ' + key.trim() }).catch(() => null);
  if ([401, 403].includes(reply?.status)) throw new pins.PINFault('noTeacherKey');
  const own = reply?.status === 200 && await reply.json().catch(() => null);
  if (!own?.role) throw new pins.PINFault('keyAway');
  if (own.isOfKey !== true) throw new pins.PINFault('noKeysHere');
  if (!['teacher', 'admin'].includes(own.role)) throw new pins.PINFault('noTeacherKey');
  await pins.remove(person.id);
  store.changed('person');
}

// Brings the class list up to date, where the hub shows one to this phone. Without a reply of the server's own it stays.
export async function refresh() {
  const former = await store.fact(facts.list);
  let reply, list;
  try {
    reply = await ask('people', former?.etag ? { 'If-None-Match': former.etag } : {});
    if (reply.status === 200) list = await reply.json();
  } catch { return; }
  if ([401, 403, 404].includes(reply.status)) {
    if (former) await store.setFact(facts.list, null);
    return;
  }
  if (reply.status !== 200 || !Array.isArray(list?.people)) return;
  const people = list.people.filter(isPerson).slice(0, 50000).map(reference);
  await store.setFact(facts.list, { people, etag: reply.headers.get('ETag'), typedNames: list.typedNames !== false });
  store.changed('class');
}
