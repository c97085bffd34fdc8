// The question for the PIN of a person, and the form with which who is there sets, changes or removes theirs.
import * as people from './people.js';
import * as words from './words.js';
import { isPossible, PINFault } from './pins.js';
import { h, $, put, button, notice, tell } from './ui.js';

const { say } = words;
/** The address of the question for a PIN; `further`: where it goes on then. */
export const pinHash = ({ id }, ...further) => '#/' + ['pin', id, ...further].map(encodeURIComponent).join('/');

const secret = (id, label, fields = {}) => [h('label', { for: id }, say(label)), h('input', { id, type: 'password', inputmode: 'numeric', autocomplete: 'off', maxlength: 100, ...fields })];
const faultLine = (id, text) => text && h('p', { class: 'notice bad', role: 'alert', id }, text);
const marked = (fault, id) => fault ? { 'aria-invalid': 'true', 'aria-describedby': id } : {};
// One try at a time, with the button at rest meanwhile. What comes back is why it failed, or null.
async function attempt(form, work) {
  const buttons = form.querySelectorAll('button');
  for (const one of buttons) one.disabled = true;
  try {
    await work();
    return null;
  } catch (error) {
    return error instanceof PINFault ? words.pinFault(error) : words.notChanged(error);
  } finally {
    for (const one of buttons) one.disabled = false;
  }
}

/** Asks for the PIN of a person, then makes them the one who is there; `next` goes on. */
export async function pinScreen(main, person, next) {
  const made = await people.state(), { codes } = made, region = h('div'), title = people.fullName(person);
  let isDone = false, isLeft = false;
  // Who left meanwhile may have given the phone to another person.
  const use = pin => people.use(person, pin, () => isLeft);
  const open = async work => {
    isDone = true;
    let isThere;
    try { isThere = await work(); } catch (error) { isDone = false; throw error; }
    if (isThere && !isLeft) await next();
  };
  const submit = async event => {
    event.preventDefault();
    const fault = await attempt(event.currentTarget, () => open(() => use($('#pin', region).value)));
    if (fault) ask(fault);
  };
  function ask(fault) {
    put(region, h('form', { class: 'card confirm', id: 'ask-pin', autocomplete: 'off', onsubmit: submit }, h('h1', { dir: 'auto' }, title), h('p', { class: 'quiet' }, say('aboutPIN')),
      secret('pin', 'pinOrCode', { required: true, ...marked(fault, 'pin-fault') }), faultLine('pin-fault', fault),
      h('div', { class: 'actions' }, h('button', { class: 'main' }, say('goOn')), h('a', { class: 'button plain', href: '#/person' }, say('anotherPerson')))),
    forgotten);
    $('#pin', region).focus();
  }
  const reset = async event => {
    event.preventDefault();
    const form = event.currentTarget;
    const fault = await attempt(form, () => open(async () => {
      await people.resetPIN(person, $('#teacher-key', form).value);
      tell(words.noPINNow(title));
      return use();
    }));
    put($('.refusal', form), fault && notice('bad', fault));
  };
  // News of a change from before this screen may come late: what is typed stays then.
  const who = ({ current, locked, withPIN }) => JSON.stringify([current?.id, locked?.id, withPIN.has(person.id)]);
  const live = async what => {
    if (what !== 'person' || isDone || who(await people.state()) === who(made)) return;
    if (!isDone && !isLeft) dispatchEvent(new Event('hashchange'));
  };
  const forgotten = h('details', { class: 'card confirm', id: 'forgotten' }, h('summary', {}, say('forgotPIN')),
    codes[person.id] ? h('p', {}, say('codeOpens')) : h('p', {}, say('logInOpens') + ' ', h('a', { href: '#/person' }, say('logIn'))),
    h('form', { class: 'stack', id: 'reset', autocomplete: 'off', onsubmit: reset }, h('p', {}, say('teacherOpens')), secret('teacher-key', 'teacherKey', { required: true, inputmode: null }),
      h('div', { class: 'refusal' }), h('p', {}, h('button', { class: 'plain' }, say('removePIN')))));
  ask();
  put(main, region);
  return { classes: 'person', room: 'library', title, leave: () => { isLeft = true; }, restore: () => { $('#pin', region)?.focus(); return true; }, live };
}

/** Sets, changes or removes the PIN of who is there; `done` is called then. */
export function pinForm({ current, withPIN }, done) {
  const isSet = withPIN.has(current.id), box = h('details', { class: 'card', id: 'own-pin' }, h('summary', {}, say(isSet ? 'changePIN' : 'setPIN')));
  if (!isPossible) {
    box.append(h('p', { class: 'notice warn' }, say('pinUnsafe')));
    return box;
  }
  const refusal = h('div'), value = id => $('#' + id, form)?.value;
  const save = isRemoved => async event => {
    event.preventDefault();
    if (isRemoved && !value('pin-former')) return $('#pin-former', form).reportValidity();
    const fault = await attempt(form, () => people.setPIN(current, value('pin-former'), isRemoved ? null : value('pin-new'), value('pin-again')));
    if (fault) {
      put(refusal, faultLine('pin-fault', fault));
      for (const field of form.querySelectorAll('input')) field.setAttribute('aria-describedby', 'pin-fault');
      return $('input', form).focus();
    }
    tell(say(isRemoved ? 'pinRemoved' : 'pinSaved'));
    await done();
    $('#own-pin summary')?.focus();
  };
  const form = h('form', { class: 'stack', autocomplete: 'off', onsubmit: save(false) }, isSet && secret('pin-former', 'pinNow', { required: true }),
    secret('pin-new', 'newPIN'), secret('pin-again', 'newPINAgain'), refusal,
    h('div', { class: 'actions' }, h('button', { class: 'main' }, say('savePIN')), isSet && button(say('removePIN'), save(true), { class: 'plain', id: 'remove-pin' })));
  box.append(h('p', { class: 'quiet' }, say('aboutOwnPIN')), form);
  return box;
}
