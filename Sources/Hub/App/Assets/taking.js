// Taking a test: each answer is in the browser's storage before anything else happens, and the place comes back.
import * as store from './store.js';
import * as library from './library.js';
import * as sync from './background-sync.js';
import * as words from './words.js';
import * as files from './files.js';
import * as numbers from './numbers.js';
import * as kinds from './kinds.js';
import * as parts from './parts.js';
import * as timing from './timing.js';
import * as sections from './sections.js';
import * as instances from './instances.js';
import * as translations from './translations.js';
import { textsOf, directionOf, sideOf, sideOfAll } from './formatted.js';
import { h, $, all, put, button, notice, foreign, tell } from './ui.js';
import { leftBehind } from './transfer.js';
import { draftNotice } from './draftnotice.js';
import { claimOffer } from './person.js';
import { titleOf, rows, testHash } from './screens.js';
import { places, finish, countDown } from './ending.js';

const { say } = words;
const textOf = (stored, join = '\n') => stored ? [stored.answer].flat().join(join) : '';

// How long a test is on the screen, by the browser's monotonic clock.
function stopwatch() {
  const meter = timing.meter(performance.now()), events = new AbortController();
  let isSeen = !document.hidden, isPaused = false;
  const stop = () => { if (isSeen && !isPaused) meter.note(performance.now()); else meter.skip(performance.now()); };
  document.addEventListener('visibilitychange', () => { stop(); isSeen = !document.hidden; }, { signal: events.signal });
  return { take: () => { stop(); return meter.take(); }, putBack: meter.putBack, pause: () => { stop(); isPaused = true; }, end: () => events.abort() };
}

export async function testScreen(main, id, number) {
  const draft = await store.test(id);
  const own = await library.openFor(draft.record), questionnaire = translations.shown(own, draft.record);
  if (!questionnaire) {
    put(main, notice('warn', say('notHere')));
    return { classes: 'test', title: titleOf(draft) };
  }
  // The fields of orders, rows and gaps, by the question's place.
  const widgets = new Map();
  const { questions, locale } = questionnaire, texts = textsOf(questionnaire);
  const listed = (await store.fact('list'))?.items.find(item => item.id === questionnaire.id);
  const { digest } = draft.record.questionnaire, isOutdated = listed && listed.digest !== digest;
  const behind = await leftBehind(draft.record, own);
  // The pictures that lie under their own addresses are of the version that the library has.
  const page = await store.page(questionnaire.id), isFormer = page && page.digest !== digest;
  const place = places.get(id);
  const isWhole = place.view === 'all' || questions.length === 0;
  const asked = number ?? questions.findIndex(question => question.id === place.question) + 1;
  // The places of the questions that the answers leave, and each question's number among them.
  let hidden, order, ranks;
  const arrange = answers => {
    hidden = kinds.hidden(questionnaire, answers);
    order = [...questions.keys()].filter(index => !hidden.has(questions[index].id));
    let number = 0;
    ranks = questions.map(question => hidden.has(question.id) ? number : number += 1);
  };
  arrange(draft.record);
  const seen = () => order, numberOf = index => ranks[index] ?? 0;
  const wanted = Math.min(Math.max(asked, 1), Math.max(questions.length, 1)) - 1;
  const at = seen().find(index => index >= wanted) ?? seen().at(-1) ?? wanted;
  const nextOf = () => seen().find(index => index > at), previousOf = () => seen().findLast(index => index < at);
  if (!isWhole && questions[at]) places.set(id, { question: questions[at].id, ...(place.question === questions[at].id ? {} : { focus: null, scroll: 0 }) });

  // What this screen saw last of each answer, by the question's place.
  let record = draft.record, attached = await files.all();
  const claim = await claimOffer(draft, () => settled()), revision = words.revision(store.earlier(draft.record, await store.tests()));
  // Files that are being taken in: how many times some were chosen, when they are, and whether a refusal is still to be seen.
  let attaching = 0, taking = Promise.resolve(), isUntold = false, isUnsaved = false;
  const held = new Map();
  const was = questions.map(question => store.mark(store.answerTo(record, question.id)));
  const visible = isWhole ? questions.map((_, index) => index) : [at];
  const askedNow = () => seen().map(index => questions[index]).filter(kinds.takesAnswer);

  const saved = h('p', { id: 'saved', class: 'saved', role: 'status' }, draft.status === 'empty' ? '' : say('savedLocally'));
  saved.hidden = draft.status === 'empty';
  const bar = h('progress', { max: Math.max(questions.length, 1), 'aria-label': say('allQuestions') });
  const counted = h('span', { id: 'answered' });
  const clock = questionnaire.timeLimitSeconds ? h('span', { class: 'clock', role: 'timer' }) : null;
  const map = h('details', { class: 'map', id: 'map' }, h('summary', {}, say('allQuestions')), h('ol'),
    h('p', { class: 'quiet states', 'aria-hidden': 'true' }, [['answered', 'legendAnswered'], ['', 'legendOpen'], ['flagged', 'legendFlagged'], ['invalid', 'legendInvalid']].map(([kind, text]) => h('span', {}, h('i', { class: kind }), say(text)))),
    h('div', { class: 'actions' },
      button(say(isWhole ? 'oneAtATime' : 'onOnePage'), () => { places.set(id, { view: isWhole ? 'one' : 'all', focus: null, scroll: 0 }); go(); }, { class: 'plain', id: 'view' }),
      button(say('review'), () => go('review'), { class: 'plain', id: 'to-review' }),
      button(say('leave'), () => leave('#/'), { class: 'plain', id: 'leave' }),
      button(say('discard'), discard, { class: 'plain', id: 'discard' })));
  map.open = place.map === true;
  map.addEventListener('toggle', () => places.set(id, { map: map.open }));

  const events = new AbortController();
  const more = instances.adding(id, questionnaire, settled, toInstance);
  // What the hub knows of this draft from another device.
  const elsewhere = h('div', { id: 'draft-notice' }), showElsewhere = () => put(elsewhere, draftNotice(draft, () => settled(), rows));
  showElsewhere();
  const form = h('form', { id: 'test', dir: sideOfAll(questionnaire), novalidate: true, autocomplete: 'off', onsubmit: event => { event.preventDefault(); forward(); } },
    h('div', { class: 'progress' }, bar, h('p', {}, h('span', {}, h('span', { id: 'place' }), counted), clock)),
    languageChoice(),
    sections.groups(questionnaire, visible, index => questions[index].id).map(group => [part(group), more.behind(group.items, visible)]), !visible.length && more.elements, saved,
    h('div', { class: 'actions steps' },
      !isWhole && previousOf() !== undefined && button(say('previous'), () => go((previousOf() ?? at) + 1), { class: 'plain', id: 'previous' }),
      h('button', { class: 'main', id: 'forward' })), map);
  put(main, h('p', { class: 'crumb' }, foreign('a', words.name(questionnaire), locale, { href: '#/q/' + encodeURIComponent(questionnaire.id) })),
    isOutdated && notice('', say('newerThere'), h('p', {}, h('a', { href: testHash(id, 'update'), id: 'see-update' }, say('seeUpdate')))),
    behind.length > 0 && notice('warn', words.leftBehind(behind)), claim, elsewhere, revision && h('p', { class: 'facts' }, h('span', { class: 'fact', id: 'revision' }, revision)),
    h('h1', { class: isWhole ? '' : 'unseen', dir: 'auto', lang: locale }, words.name(questionnaire)), form);

  // Leading on waits until everything typed is saved; what cannot be saved stays on the screen.
  const forward = () => {
    const [faulty] = visible.filter(index => !hidden.has(questions[index].id) && check(index));
    if (faulty !== undefined) $('input, textarea', $(`#q${faulty}`, form)).focus(); else onward();
  };
  const onward = () => !isWhole && nextOf() !== undefined ? go(nextOf() + 1) : go('review');
  const go = step => leave(step === undefined ? testHash(id) : testHash(id, step));
  async function leave(hash) {
    if (await settled()) location.hash === hash ? dispatchEvent(new Event('hashchange')) : location.hash = hash;
  }
  // Whether all is saved and attached. A file that was refused is told before the screen goes.
  async function settled() {
    await taking;
    const wasTold = !isUntold;
    isUntold = false;
    if (await flush() && wasTold) return true;
    $('.elsewhere, .kept, .fault .notice', form)?.scrollIntoView({ block: 'center' });
    return false;
  }

  // The questions are others now: the screen is made anew, at the instance.
  async function toInstance(section, number) {
    const now = await store.test(id);
    if (now) leave(testHash(id, instances.placeOf(questionnaire, now.record, section, number)));
  }

  // Buttons for the languages that the questions can be read in.
  function languageChoice() {
    const tags = translations.languages(questionnaire);
    return tags.length > 1 && h('div', { class: 'languages', role: 'group', 'aria-label': say('questionLanguage') }, tags.map(tag => button(translations.nameOf(tag), async () => {
      if (!await settled()) return;
      await store.setLanguage(id, tag);
      dispatchEvent(new Event('hashchange'));
    }, { class: 'quiet-button', id: 'language-' + tag, lang: tag, 'aria-pressed': String(tag === locale) })));
  }

  function isFlagged(question) { return (record.flagged ?? []).includes(question.id); }
  function flagButton(index) {
    const question = questions[index];
    return h('p', { class: 'flagging' }, button([h('span', { 'aria-hidden': 'true' }, '⚑'), ' ' + say('comeBack')], event => {
      event.currentTarget.setAttribute('aria-pressed', String(!isFlagged(question)));
      store.toggleFlag(id, question.id).catch(error => tell(words.notChanged(error)));
    }, { class: 'quiet-button', id: `flag${index}`, 'aria-pressed': String(isFlagged(question)), 'aria-describedby': `h${index}` }));
  }

  async function discard() {
    if (!confirm(say('draftSure') + words.filesGo(record.attachments?.length))) return;
    const unsaved = [...dirty];
    dirty.clear();
    try {
      await store.discard(id);
    } catch (error) {
      for (const index of unsaved) dirty.add(index);
      flush();
      return tell(words.notChanged(error));
    }
    isOver = true;
    places.remove(id);
    location.hash = '#/';
  }

  // Questions below their passage; alone on its screen, a question after the first of its section has the passage folded.
  function part({ section, items }) {
    const isFirst = isWhole || seen().find(index => sections.sectionOf(questionnaire, questions[index].id) === section) === items[0];
    const passage = section && sections.passage(section, questionnaire, texts, say('material'), isFirst, section.media.map(medium)), boxes = items.map(index => { const box = card(index); if (kinds.takesAnswer(questions[index])) box.append(flagButton(index)); return box; });
    // Of thousands, the browser lays out those in sight.
    if (isWhole && questions.length > 200) for (let start = 0; start < boxes.length; start += 1) {
      const inside = items.slice(50 * start, 50 * (start + 1));
      boxes.splice(start, 50, h('div', { class: 'piece', 'data-shown': String(inside.filter(index => !hidden.has(questions[index].id)).length) }, boxes.slice(start, start + 50)));
    }
    boxes.push(instances.toolbar(id, questionnaire, section, () => record, settled, toInstance));
    return passage ? h('div', { class: 'part' }, passage, h('div', { class: 'part-questions' }, boxes)) : boxes;
  }

  function card(index) {
    const question = { ...questions[index], locale };
    const [heading, hint] = [`h${index}`, `n${index}`];
    const stored = store.answerTo(record, question.id);
    // Of several instances the cards have the same headings.
    const instance = sections.sectionOf(questionnaire, question.id)?.instance?.name;
    const side = sideOf(locale, question.text, ...question.options.map(text => kinds.label(question, text)));
    const box = h('section', { class: 'card question', id: `q${index}`, dir: side, 'aria-labelledby': (instance ? `i${index} ` : '') + heading },
      instance && h('span', { class: 'unseen', id: `i${index}` }, instance), texts.question(index, question.kind === 'gaps' ? '' : question.text, words.place(numberOf(index), seen().length), { id: heading, tabindex: -1 }),
      question.required && kinds.takesAnswer(question) && h('p', { class: 'quiet' }, say('required')), question.media.map(medium),
      question.hint && texts.hint(question.hint),
      question.askedAsText && notice('warn', words.askedAsText(question.askedAsText, question.options)),
      kinds.takesSeveral(question) && h('p', { class: 'quiet', id: hint }, say('chooseSeveral')));
    const fault = h('p', { class: 'notice bad', id: `f${index}`, role: 'alert', hidden: true });
    if (!kinds.takesAnswer(question)) return box;
    if (kinds.isStructured(question)) {
      const widget = parts.make(question, index, texts, locale, () => { check(index, box, true); clearable(box); save(index); });
      widgets.set(index, widget);
      const own = kinds.ownText(question, stored?.answer);
      if (own !== undefined) box.append(h('p', { class: 'notice' }, foreign('q', own, locale), h('br'), say('ownWords')));
      box.append(...widget.elements, h('p', { class: 'clear', hidden: true }, button(say('clear'), () => { widget.show(undefined); clearable(box); save(index); check(index, box); $('input, select, button', box).focus(); }, { class: 'quiet-button' })));
    } else if (kinds.takesFiles(question)) {
      box.append(fault, fileAnswer(index, stored));
      showFiles(index, $(`#d${index}`, box));
      return box;
    }
    if (widgets.has(index)) { /* It has its fields. */ } else if (kinds.isListed(question)) {
      const isSeveral = kinds.takesSeveral(question);
      box.append(h('div', { class: 'options', dir: side, role: isSeveral ? 'group' : 'radiogroup', 'aria-labelledby': heading, 'aria-describedby': (isSeveral ? hint + ' ' : '') + `f${index}` },
        sections.optionPlaces(question).map(spot => option(index, kinds.label(question, question.options[spot]), { id: `a${index}-${spot}`, value: spot })), question.other && otherOption(index)));
      if (!isSeveral) box.append(h('p', { class: 'clear', hidden: true }, button(say('clear'), () => {
        for (const option of all('input', box)) option.checked = false;
        if ($('.other', box)) $('.other', box).value = '';
        $('input', box).focus();
        clearable(box);
        save(index);
      }, { class: 'quiet-button' })));
    } else if (kinds.isNumber(question)) {
      const number = h('input', { class: 'figure', id: `a${index}`, inputmode: 'decimal', 'aria-labelledby': heading, 'aria-describedby': `${hint} f${index}` });
      box.append(h('div', { class: 'measured' }, number, question.unit ? foreign('span', question.unit, locale, { class: 'unit' }) : ''), h('p', { class: 'quiet', id: hint }, say('aNumber')), h('p', { class: 'quiet as', role: 'status', hidden: true }));
    } else if (kinds.isMoment(question)) {
      const [type] = kinds.momentField(question.kind, stored?.answer);
      box.append(h('input', { class: 'figure moment', type, id: `a${index}`, 'aria-labelledby': heading, 'aria-describedby': `${hint} f${index}` }),
        h('p', { class: 'quiet', id: hint }, words.momentWords(question.kind, type === 'datetime-local')), h('p', { class: 'quiet as', role: 'status', hidden: true }));
    } else if (kinds.isLocation(question)) box.append(...locationFields(index));
    else box.append(textField(index, store.blank(stored) ? '' : textOf(stored)));
    box.append(fault);
    box.addEventListener('input', () => clearable(box));
    box.addEventListener('input', event => { if (event.target.type !== 'file') { check(index, box, true); save(index); } });
    box.addEventListener('change', () => { if (!kinds.isLocation(question) && !kinds.isStructured(question)) check(index); });
    show(index, stored, box);
    const own = h('details', { class: 'attached', id: `d${index}` }, h('summary', { 'aria-describedby': heading }), h('div'),
      h('p', {}, h('label', { for: `c${index}`, class: 'quiet' }, say('chooseFiles'))),
      h('input', { type: 'file', id: `c${index}`, multiple: true, 'aria-describedby': heading, onchange: event => attach(index, event.target) }), h('div', { class: 'fault' }));
    showFiles(index, own);
    own.open = $('li', own) !== null;
    box.append(own);
    return box;
  }

  // One line, where the author asks for one and the answer has no more.
  function textField(index, text) {
    const fields = { id: `a${index}`, dir: 'auto', 'aria-labelledby': `h${index}`, 'aria-describedby': `f${index}`, maxlength: 100000 };
    return kinds.isOneLine(questions[index]) && !/[\r\n]/.test(text) ? h('input', { class: 'line', ...fields }) : h('textarea', { rows: 4, ...fields });
  }

  function option(index, text, fields, ...more) {
    return h('label', { class: 'option' }, h('input', { type: kinds.takesSeveral(questions[index]) ? 'checkbox' : 'radio', name: `a${index}`, ...fields }),
      fields.value === 'own' ? foreign('span', text, locale) : texts.option(text), more);
  }
  // A text of the person's own chooses itself.
  function otherOption(index) {
    const field = h('input', { class: 'other', id: `o${index}`, dir: 'auto', maxlength: 2000, 'aria-label': say('otherAnswer'), oninput: () => {
      box.own = [field.value];
      box.checked = field.value.trim() !== '';
    } });
    const label = h('label', { class: 'option' }, h('input', { type: kinds.takesSeveral(questions[index]) ? 'checkbox' : 'radio', name: `a${index}`, id: `a${index}-other`, value: 'own', 'data-other': true }), h('span', {}, say('otherAnswer')));
    const box = $('input', label);
    box.own = [''];
    return [label, field];
  }
  function ownOption(index, texts, number) {
    const label = option(index, texts.join('\n'), { id: `a${index}-own-${number}`, value: 'own' }, h('small', { class: 'quiet' }, say('ownAnswer')));
    $('input', label).own = texts;
    $('input', label).checked = true;
    return label;
  }

  // A place: two fields, and a button that fills them.
  function locationFields(index) {
    const about = `n${index} f${index}`, found = h('p', { class: 'quiet found', role: 'status' });
    const field = (name, id) => h('p', {}, h('label', { for: id }, say(name)), h('input', { class: 'figure', id, maxlength: 100, 'aria-describedby': about }));
    const part = h('div', { class: 'location', role: 'group', 'aria-labelledby': `h${index}` },
      h('p', {}, button(say('useLocation'), () => {
        const tell = name => { found.textContent = say(name); found.className = 'found notice warn'; };
        if (!isSecureContext || !navigator.geolocation) return tell('locationUnsafe');
        found.className = 'quiet found';
        found.textContent = say('locating');
        navigator.geolocation.getCurrentPosition(({ coords }) => {
          const round = (number, digits) => +number.toFixed(digits);
          show(index, { answer: { latitude: round(coords.latitude, 7), longitude: round(coords.longitude, 7), accuracyMeters: round(coords.accuracy, 1) } });
          save(index);
        }, error => tell(error.code === 1 ? 'locationDenied' : 'locationUnknown'), { enableHighAccuracy: true, timeout: 30000, maximumAge: 10000 });
      }, { class: 'plain', id: `l${index}` })),
      h('div', { class: 'pair' }, field('latitude', `a${index}`), field('longitude', `b${index}`)),
      h('p', { class: 'quiet', id: `n${index}` }, say('coordinates')), found);
    return [part, h('p', { class: 'quiet as', role: 'status', hidden: true })];
  }
  // What was measured counts for its coordinates alone; an answer that nobody touched stays as it is.
  function givenPlace(question, box) {
    const [latitude, longitude] = all('.location input', box).map(field => field.value), { stored } = $('.location', box);
    const [storedLatitude, storedLongitude] = kinds.placeFields(stored?.answer);
    if (stored && latitude === storedLatitude && longitude === storedLongitude) return { questionId: question.id, answer: stored.answer };
    return { questionId: question.id, answer: kinds.placeOf(latitude, longitude) };
  }
  function showPlace(stored, box) {
    const fields = all('.location input', box), values = kinds.placeFields(stored?.answer);
    fields.forEach((field, place) => { field.value = values[place]; });
    $('.location', box).stored = stored;
    $('.found', box).className = 'quiet found';
    $('.found', box).textContent = values[2] === null ? '' : words.accurateTo(values[2]);
  }

  // Files that are the answer: their field is in the place of other questions' fields.
  function fileAnswer(index, stored) {
    const question = questions[index], { accept, capture } = kinds.fileField(question), most = kinds.mostFiles(question);
    const field = h('input', { type: 'file', id: `c${index}`, multiple: most > 1, accept, capture, 'aria-describedby': `h${index} n${index}`, onchange: event => attach(index, event.target, event.detail) });
    return h('div', { class: 'taking', id: `d${index}` }, !store.blank(stored) && foreign('p', kinds.line(question, stored), locale, { class: 'given' }),
      h('div'), h('p', { class: 'quiet none' }, say('noFiles')),
      h('div', { class: 'field' }, question.capture === 'signature' && signature(index), h('label', { for: `c${index}` }, say({ camera: 'takePhoto', microphone: 'recordSound', signature: 'orPicture' }[question.capture] ?? 'chooseFiles')), field),
      most < Infinity && h('p', { class: 'quiet', id: `n${index}` }, words.atMostFiles(most)), h('div', { class: 'fault' }));
  }

  // common.js draws on it, and puts the picture into the field for files.
  function signature(index) {
    return h('div', { class: 'sign' }, h('p', { class: 'quiet', id: `s${index}` }, say('signHere')),
      h('canvas', { width: 900, height: 300, role: 'img', 'aria-labelledby': `s${index}`, 'data-name': say('signature') }),
      h('p', { class: 'actions', hidden: true }, h('button', { type: 'button', class: 'plain', 'data-keep': true }, say('keepSignature')), h('button', { type: 'button', class: 'quiet-button', 'data-erase': true }, say('erase'))));
  }

  function showFiles(index, own = $(`#d${index}`, form)) {
    const mine = (record.attachments ?? []).filter(attachment => attachment.questionId === questions[index].id);
    // Pictures that are shown already stay as they are.
    const seen = mine.map(({ id }) => id + attached.get(id)?.status).join();
    if (own.dataset.seen === seen) return;
    own.dataset.seen = seen;
    if ($('summary', own)) $('summary', own).textContent = say('files') + (mine.length ? `: ${mine.length}` : '');
    else {
      $('.none', own).hidden = mine.length > 0;
      $('.field', own).hidden = mine.length >= kinds.mostFiles(questions[index]);
      check(index, own.closest('section') ?? undefined);
    }
    put($('div', own), files.fileList({ ...draft, record }, questions[index].id, attached, file => files.detach(id, file)
      .then(() => { put($('.fault', own)); $('summary, input', own).focus(); }).catch(() => put($('.fault', own), notice('bad', say('fileNotSaved'))))));
  }
  // One after another, each whole or not at all; what was refused is said, and the others go on.
  async function attach(index, field, settle) {
    const chosen = [...field.files], fault = $('.fault', $(`#d${index}`, form));
    field.value = '';
    put(fault);
    isUntold = false;
    attaching += 1;
    taking = taking.then(async () => {
      let isTaken = true;
      for (const file of chosen) {
        if (!isUnsaved) status(say('saving'), 'waiting');
        try {
          if (kinds.takesFiles(questions[index]) && !kinds.takesFile(questions[index], { name: files.clean(file.name), type: file.type })) throw new files.Refusal(words.fileOfOtherType(file.name, questions[index].accept));
          await files.attach(id, questions[index].id, file, kinds.mostFiles(questions[index]));
        } catch (error) {
          const text = error instanceof files.Refusal ? error.message : words.fileNotSaved(error);
          isTaken = false;
          isUntold = form.isConnected;
          if (form.isConnected) fault.append(notice('bad', text)); else tell(text);
        }
      }
      settle?.(isTaken);
      attaching -= 1;
      dispatchEvent(new Event('quire-unstuck'));
    });
    await taking;
    await flush();
    navigator.storage?.persist?.().catch(() => false);
  }

  function medium({ path, type, alt }) {
    const here = library.within(path.replaceAll('#', '%23'), library.within('questionnaires/' + encodeURIComponent(questionnaire.id)));
    const missing = () => h('figcaption', { class: 'missing' }, say('missing') + (alt ? ': ' + alt : ''));
    const figure = h('figure');
    if (!here) { figure.append(missing()); return figure; }
    const kind = kinds.mediaKind(path, type);
    const onerror = () => figure.replaceChildren(missing());
    const fill = src => {
      if (kind === 'image') figure.append(h('a', { class: 'picture', href: src, 'data-zoom': true, 'aria-label': say('enlarge') + (alt ? ': ' + alt : '') }, h('img', { src, alt, decoding: 'async', onerror })));
      else if (kind === 'audio' || kind === 'video') figure.append(h(kind, { src, controls: true, preload: 'metadata', 'aria-label': alt || say('attachment'), onerror }));
      else figure.append(h('p', {}, h('a', { href: src, download: true }, alt || say('attachment'))));
    };
    if (!isFormer) fill(here.href);
    else library.formerMedium(here, digest).then(blob => {
      if (!blob) return figure.append(missing());
      const src = URL.createObjectURL(blob);
      events.signal.addEventListener('abort', () => URL.revokeObjectURL(src));
      fill(src);
    });
    return figure;
  }

  // The answer that the fields of a question hold, and the other way round.
  function given(index, box = $(`#q${index}`, form)) {
    const question = questions[index];
    if (widgets.has(index)) return { questionId: question.id, answer: widgets.get(index).given() };
    if (kinds.isListed(question)) {
      const checked = all('.options input:checked', box), own = checked.flatMap(input => input.own ?? []).filter(text => text.trim());
      const optionIndexes = checked.filter(input => !input.own).map(input => Number(input.value)).sort((a, b) => a - b);
      if (question.values) return { questionId: question.id, answer: own[0] ?? question.values[optionIndexes[0]] ?? '' };
      const texts = [...optionIndexes.map(spot => question.options[spot]), ...own];
      return { questionId: question.id, answer: kinds.takesSeveral(question) || texts.length > 1 ? texts : texts[0] ?? '', optionIndexes };
    }
    if (kinds.isLocation(question)) return givenPlace(question, box);
    const text = $(`#a${index}`, box)?.value ?? '';
    if (kinds.isMoment(question)) return { questionId: question.id, answer: kinds.readMoment(question.kind, text).text ?? text };
    return { questionId: question.id, answer: kinds.isNumber(question) ? numbers.read(text).number ?? text : text };
  }
  function show(index, stored, box = $(`#q${index}`, form)) {
    if (widgets.has(index)) {
      widgets.get(index).show(store.blank(stored) ? undefined : stored);
      held.set(index, given(index, box));
      check(index, box);
      clearable(box);
      return;
    }
    let field = $(`#a${index}`, box);
    if (!kinds.takesAnswer(questions[index]) || kinds.takesFiles(questions[index])) return;
    if (field?.matches('.line') && /[\r\n]/.test(textOf(stored))) {
      const lines = textField(index, textOf(stored));
      field.replaceWith(lines);
      field = lines;
    }
    if (kinds.isLocation(questions[index])) showPlace(stored, box);
    else if (field && kinds.isMoment(questions[index])) {
      const [type, value] = kinds.momentField(questions[index].kind, stored?.answer);
      if (field.type !== 'text') field.type = type;
      if (value.split(':').length > 2) field.step = 1;
      field.value = value;
    } else if (field) field.value = textOf(stored, kinds.isNumber(questions[index]) ? ', ' : '\n');
    else {
      const { places, own } = store.match(questions[index], stored);
      const other = $('[data-other]', box);
      if (other) {
        other.own = own.splice(0, 1);
        other.checked = other.own.length > 0;
        $('.other', box).value = other.own[0] ?? '';
      }
      for (const input of all('.options input', box)) if (input === other || input.matches('.other')) continue; else if (input.own) input.closest('label').remove(); else input.checked = places.includes(Number(input.value));
      const groups = !kinds.takesSeveral(questions[index]) && own.length ? [own] : own.map(text => [text]);
      $('.options', box).append(...groups.map((texts, number) => ownOption(index, texts, number)));
    }
    held.set(index, given(index, box));
    check(index, box);
    clearable(box);
  }
  // Nothing can be cleared where nothing is chosen.
  function clearable(box) {
    const clear = $('.clear', box);
    const index = Number(box.id.slice(1));
    if (clear) clear.hidden = widgets.has(index) ? store.blank({ answer: widgets.get(index).given() }) : !$('.options :checked', box);
  }
  const restoreOne = index => { const answer = held.get(index); if (answer && store.mark(given(index)) !== store.mark(answer)) show(index, answer); };
  const restore = () => { for (const index of held.keys()) restoreOne(index); };
  function check(index, box = $(`#q${index}`, form), isTyping = false) {
    const question = questions[index];
    if (!kinds.takesAnswer(question)) return false;
    const field = $(`#a${index}, .options, .taking input, .ranking, .rows, .matrix, .gap`, box), words_ = $(`#f${index}`, box), as = $('.as', box), answer = given(index, box);
    const wrong = kinds.fault(question, answer, kinds.fileCount(question, record)), isShown = wrong !== '' && !(isTyping && words_.hidden);
    words_.hidden = !isShown;
    words_.textContent = isShown ? wrong : '';
    if (isShown) field.setAttribute('aria-invalid', 'true'); else field.removeAttribute('aria-invalid');
    if (kinds.isLocation(question) && answer.answer?.accuracyMeters === undefined && !$('.found.notice', box)) $('.found', box).textContent = '';
    if (as) {
      const isPlace = kinds.isLocation(question), isStoredOtherwise = isPlace ? typeof answer.answer === 'object' && !$(`#b${index}`, box).value.trim() : field.type === 'text' && field.value.trim() !== '' && answer.answer !== field.value.trim();
      as.hidden = !isStoredOtherwise || kinds.isNumber(question) && !numbers.read(field.value).number;
      as.textContent = as.hidden ? '' : say('storedAs').replace('%', kinds.line(question, answer));
    }
    return wrong !== '';
  }

  function count() {
    arrange(record);
    more.refresh(record, hidden, seen(), isWhole ? undefined : at);
    const shown = seen();
    const known = store.byQuestion(record), asked = askedNow(), answered = asked.filter(({ id }) => known.isAnswered(id)).length;
    bar.max = Math.max(asked.length, 1);
    bar.value = answered;
    counted.textContent = words.answered(answered, asked.length);
    $('#place', form).textContent = isWhole ? '' : words.place(numberOf(at), shown.length) + ' · ';
    $('#forward', form).textContent = say(!isWhole && nextOf() !== undefined ? 'next' : 'review');
    for (const index of visible) {
      if (!boxes.has(index)) { const box = $(`#q${index}`, form); boxes.set(index, { box, number: $('.number', box) }); }
      // The question on the screen stays until the person goes on. There may be thousands: what is the same is not touched.
      const { box, number } = boxes.get(index), isHidden = isWhole && hidden.has(questions[index].id), text = String(Math.max(numberOf(index), 1));
      if (box.hidden !== isHidden) box.hidden = isHidden;
      // Of thousands, those near the window have their numbers at once, the others when they come there.
      if (!isHidden && (!pieces || pieces.isNear(box.parentElement)) && number.textContent !== text) number.textContent = text;
    }
    for (const piece of inPieces.keys()) pieces?.setCount(piece, inPieces.get(piece).filter(index => !hidden.has(questions[index].id)).length);
    const list = $('ol', map);
    for (const index of questions.keys()) {
      const item = spot(index, known), isGone = hidden.has(questions[index].id);
      if (item.hidden !== isGone) item.hidden = isGone;
    }
    if (list.children.length < spots.size) put(list, [...questions.keys()].map(index => spots.get(index).item));
  }
  const inPieces = new Map(all('.piece', form).map(piece => [piece, all('.question', piece).map(box => Number(box.id.slice(1)))]));
  const pieces = inPieces.size ? watchPieces(form, piece => {
    for (const index of inPieces.get(piece)) { const label = boxes.get(index)?.number, text = String(Math.max(numberOf(index), 1)); if (label && label.textContent !== text) label.textContent = text; }
  }) : null;
  map.addEventListener('toggle', () => { if (map.open) for (const index of spots.keys()) nameSpot(index); });
  // The cards on the screen and the places of their numbers.
  const boxes = new Map();
  // A button of the map is made once, and changed where its question's state is another: there may be thousands.
  const spots = new Map();
  function spot(index, known) {
    const question = questions[index], answer = known.answerTo(question.id), files = known.files(question.id), mark = store.mark(answer) + files;
    if (!spots.has(index)) {
      const made = button('', () => {
        if (!isWhole) return go(index + 1);
        $(`#q${index}`, form).scrollIntoView();
        $('input, textarea', $(`#q${index}`, form))?.focus({ preventScroll: true });
      }, { id: `m${index}`, 'aria-current': !isWhole && index === at ? 'step' : null });
      spots.set(index, { made, item: h('li', {}, made) });
    }
    const one = spots.get(index);
    if (one.mark !== mark) Object.assign(one, { mark, isInvalid: library.isFaulty(question, answer, files) });
    const isAnswered = known.isAnswered(question.id), flagged = isFlagged(question), state = [isAnswered, flagged, one.isInvalid].join();
    if (one.state !== state) {
      one.state = state;
      one.made.className = [isAnswered && 'answered', flagged && 'flagged', one.isInvalid && 'invalid'].filter(Boolean).join(' ');
      one.words = number => words.mapLabel(number, isAnswered, flagged, one.isInvalid);
      one.number = null;
    }
    // The numbers of thousands change with one answer: they wait where they are not seen.
    if (map.open || one.number === null) nameSpot(index);
    return one.item;
  }
  function nameSpot(index) {
    const one = spots.get(index), number = numberOf(index);
    if (one.number === number) return;
    one.number = number;
    one.made.textContent = number;
    one.made.setAttribute('aria-label', one.words(number));
  }

  // Saving: one transaction at a time, always of what the fields hold then.
  const dirty = new Set();
  let saving = null, isAsked = false, isOver = false;
  const watch = stopwatch();
  function save(index) {
    dirty.add(index);
    held.set(index, given(index));
    flush();
    if (isAsked) return;
    isAsked = true;
    // From the first answer on the browser is asked to keep them.
    navigator.storage?.persist?.().catch(() => false);
  }
  const flush = () => saving ??= write().finally(() => { saving = null; });
  async function write() {
    while (dirty.size) {
      const [index] = dirty;
      dirty.delete(index);
      status(say('saving'), 'waiting');
      const active = watch.take();
      try {
        const outcome = await store.record(id, given(index), was[index], active);
        if (outcome.kind !== 'saved') watch.putBack(active);
        if (outcome.kind === 'frozen' || outcome.kind === 'gone') { location.hash = testHash(id); dispatchEvent(new Event('hashchange')); return false; }
        if (outcome.kind === 'conflict') ask(index, outcome.stored);
        else was[index] = store.mark(outcome.stored);
      } catch (error) {
        watch.putBack(active);
        dirty.add(index);
        isUnsaved = true;
        status(words.notSaved(error), 'kept');
        setTimeout(flush, 3000);
        return false;
      }
    }
    isUnsaved = $('.elsewhere', form) !== null;
    if (isUnsaved) status(say('undecided'), 'kept');
    else if (saved.className.includes('waiting') || saved.className.includes('kept')) status(say('savedLocally'), '');
    dispatchEvent(new Event('quire-unstuck'));
    return !isUnsaved;
  }
  function status(text, kind) {
    saved.hidden = false;
    saved.className = 'saved ' + kind;
    if (saved.textContent !== text) saved.textContent = text;
  }

  // Answered here and elsewhere at once: theirs is stored, ours is on the screen, the person decides.
  function ask(index, theirs) {
    const box = $(`#q${index}`, form);
    $('.elsewhere', box)?.remove();
    const decide = take => {
      $('.elsewhere', box).remove();
      was[index] = store.mark(theirs);
      if (take) show(index, theirs);
      save(index);
    };
    box.append(h('div', { class: 'notice warn elsewhere', role: 'alert' }, h('p', {}, say('elsewhere')),
      h('p', {}, foreign('q', store.blank(theirs) ? say('notAnswered') : kinds.line(questions[index], theirs))),
      h('div', { class: 'actions' }, button(say('keepMine'), () => decide(false)), button(say('takeTheirs'), () => decide(true)))));
  }

  async function live(changed) {
    if (changed === 'drafts') return showElsewhere();
    if (changed !== id) return;
    const test = await store.test(id);
    if (!test || !store.isDraft(test) || !dirty.size && instances.isOutdated(questionnaire, test.record)) return dispatchEvent(new Event('hashchange'));
    // Answers change with each letter, what is attached hardly ever.
    const isSame = name => JSON.stringify(test.record[name]) === JSON.stringify(record[name]), hasFiles = !isSame('attachments'), hasFlags = !isSame('flagged');
    record = test.record;
    // Another tab was quicker.
    if (record.person) claim?.remove();
    if (hasFiles) attached = await files.all();
    if (hasFlags) for (const index of visible) $(`#flag${index}`, form)?.setAttribute('aria-pressed', String(isFlagged(questions[index])));
    const known = store.byQuestion(record);
    for (const index of visible) {
      if (!kinds.takesAnswer(questions[index])) continue;
      if (hasFiles) showFiles(index);
      const stored = known.answerTo(questions[index].id);
      // Not touched here: what was answered elsewhere shows.
      if (store.mark(stored) === was[index] || dirty.has(index) || saving || store.mark(given(index)) !== was[index]) continue;
      was[index] = store.mark(stored);
      show(index, stored);
    }
    count();
  }

  // At the end of the time: the person can still finish, or the test is handed in with what is typed.
  function timeIsOver() {
    if (!$('.over', form)) form.prepend(h('div', { class: 'notice warn over', role: 'status' }, h('p', {}, say('timeIsOver'))));
  }
  async function saveAll() {
    await taking;
    // Where an answer was given elsewhere at once, the stored one counts.
    await flush();
    if (dirty.size > 0) return false;
    await store.spend(id, watch.take());
    return true;
  }

  // The place.
  function note() {
    if (!form.isConnected) return;
    const active = form.contains(document.activeElement) ? document.activeElement : null;
    const isText = active?.matches('textarea, .figure, .line');
    places.set(id, { scroll: Math.round(scrollY), focus: active?.id || null, start: isText ? active.selectionStart : null, end: isText ? active.selectionEnd : null });
  }
  for (const [target, name] of [[document, 'selectionchange'], [form, 'focusin'], [form, 'input'], [window, 'scroll'], [window, 'pagehide']]) {
    target.addEventListener(name, note, { signal: events.signal, passive: true });
  }
  // Of a question that is being answered, that one and those still to be saved: a key must not wait for thousands.
  const restoreAt = ({ target }) => {
    const index = Number(target.closest?.('.question')?.id.slice(1) ?? NaN);
    if (Number.isNaN(index)) restore(); else new Set([index, ...dirty]).forEach(restoreOne);
  };
  for (const name of ['beforeinput', 'focusin', 'keydown', 'pointerdown']) form.addEventListener(name, restoreAt, true);
  addEventListener('pageshow', event => { if (event.persisted) setTimeout(restore); }, { signal: events.signal });
  const isInked = () => all('.sign .actions:not([hidden])', form).some(actions => actions.offsetParent);
  const isStuck = () => !isOver && (attaching > 0 || isUnsaved || isInked());
  addEventListener('beforeunload', event => { if (dirty.size || isStuck()) event.preventDefault(); }, { signal: events.signal });

  count();
  return {
    classes: 'test', title: words.name(questionnaire), live, leave: () => { events.abort(); pieces?.end(); watch.end(); store.spend(id, watch.take()).catch(() => false); }, begin: () => clock && countDown(clock, id, questionnaire, { save: saveAll, watch, over: timeIsOver, done: () => { isOver = true; } }),
    // What cannot be saved must not leave the screen.
    isStuck, stuckWords: () => say(attaching ? 'saving' : $('.elsewhere', form) ? 'undecided' : isUnsaved ? 'notSaved' : 'signatureNotKept'),
    // Only where it still fits what is there.
    restore(isNew) {
      const kept = places.get(id), field = kept.focus && document.getElementById(kept.focus);
      if (!field || !form.contains(field)) {
        if (isNew && !isWhole) $(`#h${at}`, form)?.focus({ preventScroll: true });
        scrollTo({ top: kept.scroll ?? 0, behavior: 'instant' });
        return true;
      }
      field.focus({ preventScroll: true });
      if (Number.isInteger(kept.start) && field.matches('textarea, .figure, .line')) field.setSelectionRange(Math.min(kept.start, field.value.length), Math.min(kept.end, field.value.length));
      // In pieces, of which those out of sight have a guessed height.
      if ($('.piece', form)) field.scrollIntoView({ block: 'center', behavior: 'instant' });
      else scrollTo({ top: kept.scroll ?? 0, behavior: 'instant' });
      return true;
    },
  };
}

// All answers once more, and the button that finishes.
export async function reviewScreen(main, id) {
  const region = h('div', { id: 'list' }), own = await library.openShown((await store.test(id)).record).catch(() => null);
  const clock = own?.timeLimitSeconds ? h('span', { class: 'clock', role: 'timer' }) : null;
  put(main, clock && h('p', { class: 'quiet' }, clock), region);
  let isSent = false;
  const watch = stopwatch();
  const look = async () => {
    const test = await store.test(id);
    if (isSent) return;
    if (!test || !store.isDraft(test)) return dispatchEvent(new Event('hashchange'));
    const list = await rows(test);
    const questionnaire = await library.openShown(test.record).catch(() => null);
    const flagged = list.flatMap(({ question }, index) => (test.record.flagged ?? []).includes(question.id) ? [index + 1] : []);
    const unanswered = list.flatMap(({ question }, index) => store.isAnswered(test.record, question.id) ? [] : [index]);
    const missing = list.flatMap(({ question }, index) => question.required && !store.isAnswered(test.record, question.id) ? [index + 1] : []);
    const faulty = list.flatMap(({ question, given }, index) => library.isFaulty(question, given, kinds.fileCount(question, test.record)) ? [index + 1] : []);
    const first = Math.min(...missing, ...faulty), placeOf = number => list[number - 1].place;
    const way = { hub: 'ToHub', offline: 'Later' }[sync.presence] ?? '';
    const send = async event => {
      const pressed = event.currentTarget;
      if (isSent) return;
      isSent = true;
      pressed.setAttribute('aria-disabled', 'true');
      pressed.textContent = words.state({ status: 'sending' });
      try {
        await store.spend(id, watch.take());
        await finish(id, questionnaire);
        location.replace(testHash(id));
      } catch (error) {
        isSent = false;
        await look();
        put($('#fault'), notice('bad', error instanceof RangeError ? say('tooLong') : words.notSaved(error)));
      }
    };
    put(region, h('p', { class: 'crumb' }, foreign('a', titleOf(test), null, { href: testHash(id) })),
      h('div', { class: 'head' }, h('h1', {}, say('reviewTitle'))), h('div', { id: 'review', dir: questionnaire && sideOfAll(questionnaire) }, h('p', { class: 'lead blanks' }, words.gaps(unanswered.length), unanswered.slice(0, 20).map(index => [' ', h('a', { href: testHash(id, placeOf(index + 1)), 'aria-label': words.place(index + 1, list.length) }, String(index + 1))]), unanswered.length > 20 && ' …'),
      missing.length > 0 && notice('warn', words.stillNeeded(missing)),
      flagged.length > 0 && notice('', words.flaggedAre(flagged)),
      sections.groups(questionnaire, [...list.entries()], ([, { question }]) => question.id).map(({ section, items }) => [section && sections.heading(section, questionnaire, textsOf(questionnaire)), h('ol', { class: 'lines' }, items.map(([index, { question, given }]) => {
        const names = (test.record.attachments ?? []).filter(file => file.questionId === question.id).map(file => file.name).join(', ');
        return h('li', {}, h('a', { href: testHash(id, placeOf(index + 1)), class: unanswered.includes(index) && 'blank' },
          h('span', { class: 'number', 'aria-hidden': 'true' }, String(index + 1)), h('span', { class: 'asked', dir: directionOf(question.locale), lang: question.locale }, kinds.withBlanks(question, question.texts.line(question.text))),
          store.blank(given) ? unanswered.includes(index) && h('span', { class: 'given' }, say('notAnswered')) : foreign('span', question.texts.answerLine(question, given), question.locale, { class: 'given' }),
          flagged.includes(index + 1) && h('span', { class: 'flag' }, h('span', { 'aria-hidden': 'true' }, '⚑'), h('span', { class: 'unseen' }, say('comeBack'))),
          names && foreign('span', names, null, { class: 'quiet' }),
          h('span', { class: 'unseen' }, `${say('change')}: ${words.place(index + 1, list.length)}`)),
        faulty.includes(index + 1) && notice('bad', kinds.fault(question, given, kinds.fileCount(question, test.record))));
      }))]),
      h('div', { class: 'final' }, h('p', { class: 'quiet' }, say(`send${way}Means`)), h('div', { id: 'fault' }),
        h('div', { class: 'actions' }, h('a', { class: 'button plain', href: testHash(id) }, say('backToTest')),
          first < Infinity ? h('a', { class: 'button main', href: testHash(id, placeOf(first)) }, say('answerMissing'))
            : button(say('send' + way), send, { class: 'main', id: 'send' })))));
  };
  await look();
  const saveAll = async () => {
    if (!isSent) await store.spend(id, watch.take());
    return !isSent;
  };
  const timeIsOver = () => { if (!$('.over', main)) region.before(h('div', { class: 'notice warn over', role: 'status' }, h('p', {}, say('timeIsOver')))); };
  return { classes: 'review', title: say('reviewTitle'), live: look, begin: () => clock && countDown(clock, id, own, { save: saveAll, watch, over: timeIsOver }), leave: () => { watch.end(); store.spend(id, watch.take()).catch(() => false); } };
}
