// The page works without this script. It adds: saving as one types, what changes elsewhere, and the place that comes back.
'use strict';
(() => {
  const body = document.body, root = document.documentElement;
  root.classList.add('live');
  const $ = (selector, within = document) => within.querySelector(selector);
  const parse = text => new DOMParser().parseFromString(text, 'text/html');
  const thisPage = () => location.pathname + location.search;
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const make = (name, text = '', className = '') => Object.assign(document.createElement(name), { textContent: text, className });
  const store = {
    get(key) { try { return JSON.parse(localStorage.getItem('quire.' + key)); } catch { return null; } },
    // False where the browser has no room.
    set(key, value) { try { localStorage.setItem('quire.' + key, JSON.stringify(value)); return true; } catch { return false; } },
    remove(key) { try { localStorage.removeItem('quire.' + key); } catch { /* as above */ } },
    keys(prefix) { try { return Object.keys(localStorage).filter(key => key.startsWith('quire.' + prefix)).map(key => key.slice(6)); } catch { return []; } },
  };

  // Windows that type while the program is away have places of their own. A copy of a window has a copy of its storage, so the number is
  // there only while no page is open.
  const session = act => { try { return act(sessionStorage); } catch { return null; } };
  const here = session(kept => kept.getItem('quire.window')) ?? Math.random().toString(36).slice(2);
  const hide = () => session(kept => kept.removeItem('quire.window'));
  hide();
  addEventListener('pagehide', () => session(kept => kept.setItem('quire.window', here)));
  addEventListener('pageshow', hide);

  // What is told

  function tell(text, stays) {
    const line = make('p', text);
    $('#told').append(line);
    if (!stays) setTimeout(() => line.remove(), 8000);
    return line;
  }
  localTimes(document);

  // The class list is searched as one types; without this script the button does it.
  const find = $('[data-find]');
  if (find) {
    let last = 0;
    find.addEventListener('input', async () => {
      const turn = ++last;
      try {
        const reply = await fetch('/person?' + new URLSearchParams(new FormData(find)));
        if (!reply.ok) return;
        const found = $('#found', parse(await reply.text()));
        if (found && turn === last) $('#found').replaceWith(found);
      } catch { /* The button asks again. */ }
    });
  }

  // Panels stay as they were left.
  function panels(within = document) {
    for (const panel of all('details[id]', within)) {
      const key = 'open.' + panel.id;
      const open = store.get(key);
      if (open !== null) panel.open = open;
      panel.addEventListener('toggle', () => store.set(key, panel.open));
    }
  }
  panels();

  // A form is on its way: to load a page before its reply would cancel it.
  let isSent = false;
  const load = page => isSent || page(), reload = () => location.reload();

  // A form is sent once, however often it is clicked.
  addEventListener('submit', event => {
    const form = event.target;
    if (form.id === 'test' || form.method === 'get' || event.defaultPrevented) return;
    if (form.dataset.sent) return event.preventDefault();
    isSent = form.dataset.sent = '1';
    for (const button of all('button', form)) {
      button.setAttribute('aria-disabled', 'true');
      if (button.dataset.busy) { button.dataset.words = button.textContent; button.textContent = button.dataset.busy; }
    }
  });
  addEventListener('pageshow', event => {
    isSent = false;
    for (const form of all('form[data-sent]')) {
      delete form.dataset.sent;
      for (const button of all('button', form)) {
        button.removeAttribute('aria-disabled');
        if (button.dataset.words) button.textContent = button.dataset.words;
      }
    }
    if (event.persisted) { isLeft = false; listen(); refresh(); }
  });

  // Access: the step that only a person's own visit takes, so no page that the browser loads ahead. Once, whatever comes of it.
  const step = $('#step'), enter = $('#enter');
  if ((step || enter) && !document.referrer.startsWith(location.origin + '/open')) {
    const go = () => step ? document.referrer.startsWith(location.origin) || location.replace(step.href) : enter.requestSubmit();
    if (document.prerendering) document.addEventListener('prerenderingchange', go, { once: true }); else go();
  }

  // Live regions: fetched anew when something changed, put in place without touching focus or scroll.

  let refreshing = null, again = false, isEnding = false;
  async function refresh() {
    // What the next page says is for a person to read there.
    if (isEnding) return;
    if (refreshing) { again = true; return refreshing; }
    refreshing = (async () => {
      do {
        again = false;
        // The reply to a save says which form of the file this page has.
        while (test?.isSaving()) await pause();
        const saves = test?.saves();
        try {
          const reply = await fetch(thisPage(), { headers: { Accept: 'text/html', ...test?.known() } });
          if (!reply.ok && !(test ? [403, 404] : $('#other-person, #refused') ? [403] : []).includes(reply.status)) {
            // Of a person who is not there any more.
            if (reply.status === 403 && $('#who')) load(reload);
            return;
          }
          // Outside of a form: each of thousands of buttons in one has a browser look at all the others.
          const fresh = parse((await reply.text()).replace('<form id="test"', '<div id="test"')), why = () => $('main .card p', fresh)?.textContent ?? String(reply.status);
          await released();
          if (reply.status === 403) {
            // Typed text stays on the page until its person is back.
            if (test && body.dataset.version !== fresh.body.dataset.version) tell(why());
            body.dataset.version = fresh.body.dataset.version;
            for (const region of all('#rooms, #who, #whose')) replace(region, fresh.getElementById(region.id));
            return;
          }
          // Its person has come.
          if ($('#other-person')) return load(reload);
          // The refused form stays. Its person needs no PIN any more.
          for (const part of all('#refused :is(#whose, [for=pin], [id^=pin])')) part.remove();
          if (!reply.ok) return test.gone(why());
          // Finished meanwhile: what this screen shows is over.
          if ($('#review') && !$('#review', fresh)) return load(() => location.replace(reply.url));
          body.dataset.version = fresh.body.dataset.version;
          for (const region of all('[data-live][id]')) replace(region, fresh.getElementById(region.id));
          // Asked for before the last save had its reply: it may be older than what this page has.
          if (test?.saves() !== saves) again = true;
          else if ($('#unchanged', fresh)) test?.flush();
          else if (test) { test.takeOver(fresh); test.flush(); }
        } catch { /* away: the next event asks again */ }
      } while (again);
    })();
    await refreshing;
    refreshing = null;
  }
  function replace(region, fresh) {
    if (!fresh) return;
    // What a person opened stays open. Of those with an id panels() knows it.
    const [ours, theirs] = [region, fresh].map(part => all('details:not([id])', part));
    if (ours.length === theirs.length) ours.forEach(({ open }, at) => { theirs[at].open = open; });
    if (region.outerHTML === fresh.outerHTML) return;
    if (region.id === 'review') {
      if ($('form[data-sent]', region)) return;
      if ($('[name="shown"]', region).value !== $('[name="shown"]', fresh)?.value && !settling) tell(body.dataset.changed);
    }
    const active = region.contains(document.activeElement) ? document.activeElement : null;
    const path = active && (active.id ? '#' + CSS.escape(active.id) : active.getAttribute('href') && `[href="${CSS.escape(active.getAttribute('href'))}"]`);
    region.replaceWith(fresh);
    localTimes(fresh);
    panels(fresh);
    if (path) $(path, fresh)?.focus({ preventScroll: true });
  }

  let isAway = false, awayLine = null, isLeft = false;
  function away(now) {
    // A person who leaves a page cancels its requests.
    if (now === isAway || isLeft) return;
    isAway = now;
    awayLine?.remove();
    if (now) {
      awayLine = tell(attach || test?.losesText() ? body.dataset.gone : body.dataset.away, true);
      const state = $('#connection p');
      if (state) {
        $('.dot', state).className = 'dot off';
        $('strong', state).textContent = body.dataset.gone;
        for (const part of all('.why, .quiet', state)) part.textContent = '';
      }
    } else {
      tell(body.dataset.back);
      attach?.dispatchEvent(new Event('back'));
      test?.flush();
      refresh();
      deliverAll();
      test?.offer();
    }
  }

  // What was typed and is not saved: it lies in this browser until the program has it, of whatever question and test.

  const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
  const unsentOf = id => store.keys(`unsent.${id}.`).map(key => ({ key, index: +key.split('.')[2], kept: store.get(key) })).filter(one => one.kept);
  const theirsOf = question => question.values ?? [question.text ?? ''];
  const wordsOf = kept => kept.words ?? kept.value.join(', ');
  const withTried = (kept, value) => {
    const tried = kept ?? [];
    return tried.length >= 50 || tried.some(one => same(one, value)) ? tried : [...tried, value];
  };
  // What the program says of answers. It throws why it took none: without a status where it is away.
  async function post(action, query) {
    const fail = (words, more) => { throw Object.assign(new Error(words), more); };
    let reply, answer;
    try {
      reply = await fetch(action, { method: 'POST', headers: { Accept: 'application/json' }, body: query });
      answer = await reply.json().catch(error => { if (reply.ok) throw error; return {}; });
    } catch {
      away(true);
      fail(body.dataset.gone);
    }
    away(false);
    if (reply.status === 401) reload();
    if (!reply.ok && !answer.questions) fail(answer.problem ?? String(reply.status), { status: reply.status, go: answer.go });
    return answer;
  }
  // Saves what this browser has of a test; what is left, and why.
  async function deliver(id, isElsewhere = () => false) {
    const left = [];
    let saved = 0, gone = null;
    for (const { key, index } of unsentOf(id)) {
      // Twice: where only the reply was lost, what is stored came from here.
      for (let round = 0; round < 2 && !isElsewhere(key, index); round++) {
        const kept = store.get(key);
        if (!kept) break;
        if (gone) { left.push({ index, why: gone }); break; }
        store.set(key, { ...kept, tried: withTried(kept.tried, kept.value) });
        const query = new URLSearchParams({ token: body.dataset.token, shown: index });
        query.append('was.' + index, kept.was);
        if (kept.of) query.append('of', kept.of);
        for (const one of kept.value) query.append('a.' + index, one);
        try {
          const question = (await post('/t/' + id, query)).questions?.find(one => one.index === index);
          const now = store.get(key);
          if (question && !question.isConflict) {
            if (question.text === undefined) saved++;
            // Typed on in another window meanwhile: that one saves it.
            if (same(now?.value, kept.value)) store.remove(key);
            break;
          }
          if (question && round === 0 && kept.tried?.some(one => same(one, theirsOf(question)))) { store.set(key, { ...now, was: question.was }); continue; }
          left.push({ index, theirs: question?.text });
        } catch (problem) {
          left.push({ index, why: problem.message, go: problem.go });
          if (!problem.status || problem.status === 404 || problem.go) gone = problem.message;
          if (problem.go) store.set(key, { ...store.get(key), late: true });
        }
        break;
      }
    }
    return { left, saved };
  }
  async function deliverAll() {
    if ($('#finish')) return settle();
    if (!body.dataset.token) return;
    for (const id of new Set(store.keys('unsent.').map(key => key.split('.')[1]))) {
      await deliver(id, (key, index) => store.get(key)?.late || test?.has(id, index));
    }
    showLeftOver();
  }

  // Before a test is finished nothing of it may lie in this browser alone.

  let settling = null;
  const settle = () => settling ??= settleAll().finally(() => { settling = null; });
  async function settleAll() {
    const id = $('#finish').dataset.test;
    const { left, saved } = await deliver(id);
    if (saved) { await refresh(); if ($('#finish')) tell($('#finish').dataset.saved); }
    // Finished elsewhere: what it says of that is there, with what was typed too late.
    const go = left.find(one => one.go)?.go;
    if (go) { location.assign(go); return false; }
    showLeft(left);
    return !left.length && !saved;
  }
  function showLeft(left) {
    $('#unsaved')?.remove();
    const form = $('#finish');
    if (!left.length || !form) return;
    const notice = Object.assign(make('div', '', 'notice warn'), { id: 'unsaved', role: 'alert', tabIndex: -1 });
    const line = (...parts) => { const made = make('p'); made.append(...parts); notice.append(made); };
    line(form.dataset.unsaved);
    for (const { index, why, theirs } of left) {
      const link = make('a', form.dataset.question.replace('%', index + 1));
      link.href = `/t/${form.dataset.test}?n=${index + 1}#q${index}`;
      line(link, ` – ${why ?? `${form.dataset.undecided} “${theirs ?? ''}”`}`);
    }
    $('#review').before(notice);
  }
  addEventListener('submit', async event => {
    const form = event.target, id = form.dataset.test;
    if (form.id !== 'finish' || !settling && !unsentOf(id).length) return;
    event.preventDefault();
    // Pressed while it is looked through: it counts, unless other answers are shown by then.
    const isClean = settling ? await settling.then(() => !unsentOf(id).length) : await settle();
    if (isClean && form.isConnected) return form.requestSubmit();
    $('#unsaved')?.focus();
    $('#unsaved')?.scrollIntoView({ block: 'center' });
  }, true);
  addEventListener('storage', event => {
    const form = $('#finish');
    if (form && event.newValue === null && event.key?.startsWith(`quire.unsent.${form.dataset.test}.`) && $('#unsaved')) settle();
  });
  function showLeftOver() {
    const place = $('#left');
    if (!place) return;
    place.replaceChildren();
    const found = unsentOf(place.dataset.test);
    place.hidden = !found.length;
    place.className = 'notice warn';
    place.append(make('p', place.dataset.about));
    for (const { key, index, kept } of found) {
      const line = make('p'), words = make('q', wordsOf(kept)), button = make('button', place.dataset.forget);
      words.dir = 'auto';
      button.type = 'button';
      button.addEventListener('click', () => { store.remove(key); showLeftOver(); });
      line.append(place.dataset.question.replace('%', index + 1) + ': ', words, ' ', button);
      place.append(line);
    }
  }
  let events = null;
  function listen() {
    if (!body.dataset.token) return;
    events?.close();
    const mine = events = new EventSource('/events');
    mine.addEventListener('open', () => away(false));
    mine.addEventListener('error', async () => {
      // A stream ends for many reasons, sleep among them: whether the program is there, it says itself.
      const isThere = await fetch(thisPage(), { method: 'HEAD' }).then(() => true, () => false);
      if (mine !== events) return;
      away(!isThere);
      // The reply to a form would send it again.
      if ($('#refused')) return;
      if (mine.readyState === EventSource.CLOSED) setTimeout(() => { if (mine === events) load(reload); }, 3000);
    });
    mine.addEventListener('state', event => {
      const state = JSON.parse(event.data);
      for (const told of state.told) {
        tell(told.text);
        if (document.hidden && window.Notification?.permission === 'granted') new Notification('Quire', { body: told.text, tag: told.test });
      }
      if (state.version !== body.dataset.version) refresh();
    });
  }
  listen();
  addEventListener('pagehide', () => { isLeft = true; events?.close(); events = null; });

  // The library: found while one types, and there again when one comes back.

  const search = $('[data-live-search]');
  if (search) {
    const form = search.form;
    let asking = false, asked = search.value;
    const address = () => {
      const query = new URLSearchParams();
      if (search.value) query.set('q', search.value);
      if (form.sort.value && form.sort.value !== 'title') query.set('sort', form.sort.value);
      return '/' + (query.size ? '?' + query : '');
    };
    const ask = async () => {
      if (asking || asked === search.value) return;
      asking = true;
      asked = search.value;
      history.replaceState(null, '', address());
      await refresh();
      asking = false;
      ask();
    };
    search.addEventListener('input', ask);
    const remember = () => store.set('library', { at: thisPage(), y: Math.round(scrollY) });
    const kept = store.get('library');
    if (kept && kept.at !== thisPage() && !location.search && !document.referrer && history.length <= 2) {
      location.replace(kept.at);
    } else {
      const kind = performance.getEntriesByType('navigation')[0]?.type;
      if (kept?.at === thisPage() && kept.y && (!document.referrer || kind !== 'navigate')) scrollTo(0, kept.y);
      addEventListener('pagehide', remember);
      addEventListener('visibilitychange', remember);
      addEventListener('scrollend', remember);
    }
  }

  // The test

  const attach = $('#attach');
  let uploading = null;
  const test = $('#test') ? takeTest($('#test')) : null;
  const clock = $('[data-left]');
  if (clock) countDown();
  document.cookie = 'quire-script=1; path=/; SameSite=Strict';

  // The time that is left: a clock, a line in words near the end, and at the end the test is handed in where its author wants that.
  function countDown() {
    const words = clock.textContent, marks = [60, 300];
    // The browser's clock may be set, its steady clock may stand still while the computer sleeps: where they part, the program is asked.
    let ends, steady;
    const set = left => { ends = Date.now() + +left; steady = performance.now() + +left; };
    const leftNow = () => Math.max(0, Math.ceil(Math.min(ends - Date.now(), steady - performance.now()) / 1000));
    const markOf = left => marks.find(mark => left <= mark) ?? Infinity;
    set(clock.dataset.left);
    let warned = markOf(leftNow()), isOver = !leftNow(), isHandingIn = false;
    async function ask() {
      const fresh = await fetch(thisPage(), { headers: { Accept: 'text/html' } }).then(reply => reply.text());
      set($('[data-left]', parse(fresh)).dataset.left);
    }
    const tick = async () => {
      if (Math.abs(ends - Date.now() - steady + performance.now()) > 2000) await ask().catch(() => {});
      const left = leftNow();
      if (!left) {
        if (!isOver) {
          isOver = true;
          clock.textContent = clock.dataset.over;
          $('#time-warning')?.remove();
          if (!clock.dataset.finish) tell(clock.dataset.over, true);
        }
        if (clock.dataset.finish) handIn();
        return;
      }
      isOver = false;
      if (!isHandingIn) freeze(false);
      const two = number => String(number).padStart(2, '0');
      const time = (left >= 3600 ? Math.floor(left / 3600) + ':' + two(Math.floor(left / 60) % 60) : Math.floor(left / 60)) + ':' + two(left % 60);
      clock.textContent = words.replace(/\d[\d:]*/, time);
      if (markOf(left) >= warned) return;
      warned = markOf(left);
      warn(clock.dataset['in' + warned]);
    };
    // What is typed is saved first. Where the program is away, each tick tries again.
    async function handIn() {
      if (isHandingIn) return;
      isHandingIn = true;
      // What is typed from now on would be too late.
      freeze(true);
      try {
        // So is what this browser kept of other questions while the program was away.
        const id = clock.dataset.finish.split('/')[2];
        await deliver(id, (key, index) => store.get(key)?.late || test?.has(id, index));
        if (test && !await test.saveAll()) return;
        isEnding = true;
        const reply = await fetch(clock.dataset.finish, { method: 'POST', redirect: 'manual', body: new URLSearchParams({ token: $('[name="token"]').value, over: '1' }) });
        isEnding = reply.type === 'opaqueredirect';
        // Its time is not over by the program's clock, a file is lost, or it goes on in a newer version.
        if (reply.status === 409) {
          freeze(false);
          await ask();
          if (!leftNow()) clearInterval(timer);
        }
        if (!isEnding) return;
        clearInterval(timer);
        test?.leave();
        location.replace(clock.dataset.finish.replace(/\/finish$/, ''));
      } catch { isEnding = false; } finally { isHandingIn = false; }
    }
    const timer = setInterval(tick, 1000);
    tick();
  }
  function freeze(isOn) { if ($('#test')) $('#test').inert = isOn; }
  function warn(words) {
    const line = $('#time-warning p') ?? make('p');
    line.textContent = words;
    if (!line.isConnected) {
      const box = make('div');
      box.id = 'time-warning';
      box.className = 'notice warn';
      box.append(line);
      ($('#test') ?? $('#review')).before(box);
    }
    tell(words);
  }

  function takeTest(form) {
    const id = form.dataset.test, saved = $('#saved');
    const unsent = index => `unsent.${id}.${index}.${here}`;
    // What is not saved; of that, the marks of the other answers that a person has to decide about, and what the program
    // does not take as it is, with why; and what this browser has no room for.
    const dirty = new Set(), undecided = new Map(), refused = new Map(), unkept = new Set();
    // Values whose saving got no reply: the program may have stored them before it went away.
    const tried = new Map();
    // Questions of which the person took what is stored, whatever that is by the time the program hears of it.
    const taken = new Set();
    // What the fields of each question held last: a browser that keeps the page may empty them when one comes back to it.
    const held = new Map();
    // What is wrong with numbers, and where that is shown: once the person wanted to go on.
    const faults = new Map(), shownFaults = new Set();
    // The mark of the test's file as this page shows it, and the places that were hidden last.
    let known = form.dataset.file, lastHidden = null;
    let isSaving = false, isLeaving = false, saves = 0, retry = 0, isSingle = false, trouble = null;

    // By its id, which takes no search: there may be thousands of questions.
    const card = index => $('#q' + index);
    // A field of several has a name of its own behind the question's; its value goes with that name.
    const fieldsIn = (within, index) => all(`[name="a.${index}"], [name^="a.${index}."]`, within), fields = index => card(index) ? fieldsIn(card(index), index) : [];
    const isTicked = field => /radio|checkbox/.test(field.type);
    const nameOf = field => field.name.split('.').slice(2).map(name => name + '=').join('');
    // A field that is off is none, and so is an empty one of several.
    const counts = (field, value, isOn) => !field.disabled && isOn && !(value === '' && nameOf(field));
    const value = index => fields(index).filter(field => counts(field, field.value, !isTicked(field) || field.checked)).map(field => nameOf(field) + field.value);
    // As the page was made.
    const valueMade = field => isTicked(field) ? field.value : field.matches('select') ? ($('option[selected]', field)?.value ?? '') : field.matches('input') ? field.defaultValue.replace(/[\r\n]/g, '') : field.defaultValue;
    const made = list => list.filter(field => !field.hasAttribute('disabled') && (!isTicked(field) || field.defaultChecked) && !(valueMade(field) === '' && nameOf(field))).map(field => nameOf(field) + valueMade(field));
    const put = (index, values) => {
      const list = $('.ranking', card(index));
      if (list) { putOrder(list, values); clearable(index); held.set(index, value(index)); return; }
      for (const field of fields(index)) {
        if ('other' in field.dataset) {
          const own = values.find(one => one.startsWith('=') && !fields(index).some(other => other !== field && other.value === one)) ?? '=';
          field.value = own;
          field.checked = own !== '=';
          $('.other', card(index)).value = own.slice(1);
        } else if (isTicked(field)) field.checked = values.includes(nameOf(field) + field.value);
        else {
          const name = nameOf(field), now = (name ? values.find(one => one.startsWith(name))?.slice(name.length) : values[0]) ?? '';
          if (field.value !== now) { field.value = now; field.dispatchEvent(new Event('grow', { bubbles: true })); }
        }
      }
      clearable(index);
      held.set(index, value(index));
    };
    // An order: its options in the list's order, those that have no place yet behind them.
    function putOrder(list, values) {
      const options = [...list.children], of = item => values.indexOf($('input', item).value), rank = item => of(item) < 0 ? values.length + options.indexOf(item) : of(item);
      const ranks = new Map(options.map(item => [item, rank(item)]));
      for (const item of options) { const isPlaced = of(item) >= 0; $('input', item).disabled = !isPlaced; item.classList.toggle('unplaced', !isPlaced); }
      for (const other of fields(+list.closest('section').dataset.index)) if (!list.contains(other)) other.disabled = !values.includes(other.value);
      list.append(...options.sort((one, other) => ranks.get(one) - ranks.get(other)));
      tellOrder(list);
    }
    function tellOrder(list) {
      const options = [...list.children];
      options.forEach((item, place) => {
        $('.rank', item).textContent = place + 1;
        all('button', item).forEach((button, way) => { if (place === (way ? options.length - 1 : 0)) button.setAttribute('aria-disabled', 'true'); else button.removeAttribute('aria-disabled'); });
      });
      $('.keeping', list.parentElement).hidden = !$('input:disabled', list);
    }
    function placeAll(list) { for (const item of list.children) { $('input', item).disabled = false; item.classList.remove('unplaced'); } tellOrder(list); }
    function moved(list, item) {
      placeAll(list);
      const place = [...list.children].indexOf(item) + 1;
      $('.said', list.parentElement).textContent = list.dataset.said.replace('%name', () => $('.words', item).textContent).replace('%place', place).replace('%count', list.children.length);
      changed(+list.closest('section').dataset.index);
    }
    function move(button) {
      const [index, option, way] = button.value.split('.'), list = $('.ranking', card(+index)), item = $(`input[value="${option}"]`, list).closest('li');
      if (way === 'keep') { placeAll(list); changed(+index); return $('button', list)?.focus(); }
      if (button.getAttribute('aria-disabled')) return;
      if (way === 'up') item.previousElementSibling.before(item); else item.nextElementSibling.after(item);
      button.focus();
      moved(list, item);
    }
    form.addEventListener('pointerdown', event => {
      const grip = event.target.closest('.grip'), item = grip?.closest('li'), list = item?.parentElement;
      if (!item || event.button) return;
      event.preventDefault();
      grip.setPointerCapture(event.pointerId);
      item.classList.add('dragged');
      const before = [...list.children].indexOf(item);
      const drag = ({ clientY }) => {
        for (const other of list.children) {
          if (other === item) continue;
          const { top, height } = other.getBoundingClientRect(), isAbove = item.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_PRECEDING;
          if (isAbove && clientY < top + height / 2) { other.before(item); break; }
          if (!isAbove && clientY > top + height / 2) other.after(item);
        }
      };
      const drop = () => {
        grip.removeEventListener('pointermove', drag);
        item.classList.remove('dragged');
        if ([...list.children].indexOf(item) !== before) moved(list, item);
      };
      grip.addEventListener('pointermove', drag);
      grip.addEventListener('lostpointercapture', drop, { once: true });
    });
    const restoreOne = index => { const values = held.get(index); if (values && card(index) && !same(value(index), values)) put(index, values); };
    const restore = () => { for (const index of held.keys()) restoreOne(index); };
    const clearable = index => { const clear = $('.clear', card(index)); if (clear) clear.hidden = !value(index).length; };
    const words = index => fields(index).filter(field => field.type !== 'hidden' && (!isTicked(field) || field.checked)).map(field => field.matches('select') ? field.selectedOptions[0].text : $('span', field.closest('label') ?? field)?.textContent ?? field.value).join(', ');
    const mark = (index, was) => { card(index).dataset.was = was; $(`[name="was.${index}"]`, card(index)).value = was; };
    const keep = index => {
      // Another page of this browser may have tried to save it, too.
      const all = (store.get(unsent(index))?.tried ?? []).reduce(withTried, tried.get(index) ?? []);
      tried.set(index, all);
      if (store.set(unsent(index), { value: value(index), words: words(index), was: card(index).dataset.was, of: form.of.value, at: Date.now(), tried: all })) unkept.delete(index); else unkept.add(index);
    };
    const keepAnew = index => { tried.delete(index); store.remove(unsent(index)); keep(index); };
    const say = (words, kind = '') => { if (saved.textContent !== words) saved.textContent = words; saved.className = 'saved ' + kind; };
    const shown = () => all('section[data-index]', form).map(section => +section.dataset.index);

    // The place. Offsets count characters, as in the test's file.
    const scalars = (text, units) => Array.from(text.slice(0, units)).length;
    const units = (text, count) => Array.from(text).slice(0, count).join('').length;
    function place() {
      const active = form.contains(document.activeElement) ? document.activeElement : null;
      const section = active?.closest('section[data-index]') ?? all('section[data-index]', form).find(part => part.getBoundingClientRect().bottom > 120);
      const place = { scroll: Math.round(scrollY) };
      if (section) place.question = section.dataset.id;
      if (active?.name) place.focus = /radio|checkbox/.test(active.type) ? `${active.name}=${active.value}` : active.name;
      if (active && 'selectionStart' in active && active.selectionStart !== null) {
        place.cursor = scalars(active.value, active.selectionEnd);
        if (active.selectionStart !== active.selectionEnd) place.selection = { start: scalars(active.value, active.selectionStart), end: place.cursor };
      }
      return place;
    }
    let last = '';
    const keepPlace = () => {
      if (isLeaving) return;
      const now = JSON.stringify(place());
      if (now !== last) { last = now; store.set('place.' + id, JSON.parse(now)); }
    };
    function restorePlace() {
      let known = store.get('place.' + id);
      if (!known) { try { known = JSON.parse(form.dataset.place || 'null'); } catch { known = null; } }
      const section = known && all('section[data-index]', form).find(part => part.dataset.id === known.question);
      // Another question: its first field, where the person comes from the one before.
      if (!section) return;
      const [name, choice] = (known.focus ?? '').split('=');
      const field = name && all(`[name="${CSS.escape(name)}"]`, section).find(found => choice === undefined || found.value === choice);
      if (field) {
        field.focus({ preventScroll: true });
        if (known.cursor !== undefined && field.setSelectionRange && !/radio|checkbox/.test(field.type)) {
          const end = units(field.value, known.cursor);
          field.setSelectionRange(known.selection ? units(field.value, known.selection.start) : end, end);
        }
      }
      // In pieces, of which those out of sight have a guessed height.
      if ($('.piece', form)) (field || section).scrollIntoView({ block: 'center', behavior: 'instant' });
      else if (known.scroll) scrollTo({ top: known.scroll, behavior: 'instant' });
    }

    // Saving: at once, one request at a time; what is typed meanwhile goes with the next.
    function changed(index) {
      dirty.add(index);
      held.set(index, value(index));
      refused.delete(index);
      keep(index);
      clearable(index);
      if (!isSaving) say(form.dataset.saving, 'waiting');
      flush();
    }
    // The line says what is true of everything on the screen.
    function tellState() {
      const kept = unkept.size ? form.dataset.notkept : form.dataset.unsaved, why = trouble ?? [...refused.values()][0];
      if (!dirty.size) say(form.dataset.saved);
      else if (why !== undefined) say(why ? `${why} ${kept}` : kept, 'kept');
      else if (dirty.size > undecided.size) say(form.dataset.saving, 'waiting');
      else say(form.dataset.undecided, 'kept');
    }
    function request(indexes, go) {
      const query = new URLSearchParams({ token: form.token.value, place: JSON.stringify(place()), view: form.view.value, of: form.of.value });
      if (form.at.value) query.set('at', form.at.value);
      for (const index of indexes) {
        query.append('shown', index);
        query.append('was.' + index, card(index).dataset.was);
        for (const one of value(index)) query.append('a.' + index, one);
      }
      if (go) query.set('go', go);
      return query;
    }
    function attempt(index) {
      tried.set(index, withTried(tried.get(index), value(index)));
      if (dirty.has(index)) keep(index);
    }
    async function send(indexes, go) {
      const sent = new Map(indexes.map(index => [index, value(index)]));
      indexes.forEach(attempt);
      const answer = await post(form.action, request(indexes, go));
      saves++;
      // Without another hand between them, this page has what its own saves made of the test's file.
      known = known && answer.before === known ? answer.after : '';
      retry = 0;
      trouble = null;
      for (const question of answer.questions ?? []) {
        const { index } = question;
        // It shows another version by now: what was typed is offered there.
        if (question.isOtherVersion) { load(reload); continue; }
        tellFault(index, question.fault);
        markSpot($('.map ol', form)?.children[index]?.firstElementChild, question.spot);
        const as = $('.as', card(index));
        if (as) { as.hidden = !question.storedAs; as.textContent = form.dataset.as.replace('%', question.storedAs); }
        if (question.isConflict) {
          const theirs = theirsOf(question);
          // Decided while this was on its way.
          if (taken.has(index)) { mark(index, question.was); take(question); continue; }
          // What is stored came from here, and only the reply was lost: no other hand, so nobody is asked.
          if (!tried.get(index)?.some(one => same(one, theirs))) { ask(question); continue; }
          mark(index, question.was);
          dirty.add(index);
          keepAnew(index);
          continue;
        }
        tried.delete(index);
        taken.delete(index);
        mark(index, question.was);
        $('.elsewhere', card(index))?.remove();
        const isTheirs = question.text !== undefined;
        if (isTheirs) { put(index, theirsOf(question)); tell(body.dataset.changed); }
        if (isTheirs || same(sent.get(index), value(index))) { dirty.delete(index); unkept.delete(index); store.remove(unsent(index)); }
        // Typed on meanwhile: from now on it is compared with what was saved just now.
        else keepAnew(index);
        if (isTheirs && !same(value(index), theirsOf(question))) renew(index);
      }
      // A question that is not there any more takes no answer.
      for (const index of indexes) if (answer.questions && !answer.questions.some(one => one.index === index)) refused.set(index, '');
      if (answer.hidden) showHidden(answer.hidden);
      if (answer.hiddenSections) for (const part of all('[data-repeats]', form)) part.hidden = answer.hiddenSections.includes(part.dataset.repeats);
      if (answer.answered) {
        $('#answered').textContent = answer.answered;
        $('progress', form).max = Math.max(1, answer.total ?? 1);
        $('progress', form).value = answer.count;
        store.set('saved.' + id, Date.now());
      }
      return answer;
    }
    // As much as one request may hold several times over; one by one where the program did not take all of them.
    function portion(indexes) {
      let length = 0;
      return indexes.filter((index, place) => !place || !isSingle && (length += value(index).join('').length) < 300000);
    }
    async function flush() {
      const ready = [...dirty].filter(index => !undecided.has(index) && !refused.has(index) && card(index));
      if (isSaving || isLeaving) return;
      if (!ready.length) { isSingle = false; return tellState(); }
      const indexes = portion(ready);
      isSaving = true;
      try {
        const answer = await send(indexes);
        isSaving = false;
        tellState();
        if (answer.go) return location.assign(answer.go);
      } catch (problem) {
        isSaving = false;
        return fail(problem, indexes);
      }
      flush();
    }
    function fail(problem, indexes) {
      // Finished elsewhere: what it says of that is there, with what was typed too late.
      if (problem.go) { isLeaving = true; return location.assign(problem.go); }
      const isOurs = problem.status >= 400 && problem.status < 500;
      // A test that is gone, or of a person who is not there: it waits for the next news.
      if (!isOurs || [403, 404].includes(problem.status)) {
        // The place of what is typed is this browser until the program is back, or has room again.
        trouble = problem.status ? problem.message : '';
        if (!isOurs) setTimeout(flush, problem.status ? 4000 : Math.min(500 * 2 ** retry++, 4000));
      } else if (indexes.length > 1) {
        isSingle = true;
        return flush();
      } else {
        // It would be refused for ever: it waits for what the person does about it.
        for (const index of indexes) refused.set(index, problem.message);
        flush();
      }
      tellState();
    }
    // A text beside a question, and what can be done about it.
    function note(index, kind, about, text, choices) {
      const notice = make('div', '', 'notice warn ' + kind), words = make('q', text), row = make('p', '', 'actions');
      notice.setAttribute('role', 'alert');
      words.dir = 'auto';
      for (const [name, act] of choices) {
        const button = make('button', name);
        button.type = 'button';
        button.addEventListener('click', act);
        row.append(button);
      }
      notice.append(make('p', about), words, row);
      $('h2', card(index)).after(notice);
    }
    // The program is asked: what is stored may be yet another answer by now.
    function take(question) {
      const { index } = question;
      put(index, theirsOf(question));
      store.remove(unsent(index));
      // An answer that this page has no field for: the program's page has.
      if (!same(value(index), theirsOf(question))) { dirty.delete(index); unkept.delete(index); return renew(index); }
      taken.add(index);
      changed(index);
    }
    function ask(question) {
      const { index } = question, section = card(index);
      undecided.set(index, question.was);
      $('.elsewhere', section)?.remove();
      const decide = act => () => {
        $('.elsewhere', section).remove();
        undecided.delete(index);
        mark(index, question.was);
        act();
        (fields(index).find(field => field.checked) ?? fields(index)[0])?.focus();
      };
      note(index, 'elsewhere', form.dataset.elsewhere, question.text || '–', [[form.dataset.mine, decide(() => { taken.delete(index); changed(index); })], [form.dataset.theirs, decide(() => take(question))]]);
      tellState();
    }
    const left = new Set();
    // Questions that the answers hide go at once. The others have their numbers among those that are left: of thousands, where they
    // are seen, as a key must not wait for the rest.
    const spots = all('.map li button', form).map(button => ({ button, item: button.parentElement, index: +button.value, number: 0 }));
    const map = $('.map', form), inPieces = new Map();
    for (const piece of all('.piece', form)) inPieces.set(piece, []);
    for (const spot of spots) {
      spot.section = card(spot.index);
      inPieces.get(spot.section?.parentElement)?.push(spot);
    }
    const pieces = inPieces.size ? watchPieces(form, piece => { for (const spot of inPieces.get(piece)) showNumber(spot); }) : null;
    map?.addEventListener('toggle', () => { if (map.open) spots.forEach(nameSpot); });
    function showHidden(hidden) {
      if (same(hidden, lastHidden)) return;
      lastHidden = hidden;
      const isHidden = new Set(hidden), isAll = form.view.value === 'all';
      let number = 0;
      for (const spot of spots) {
        const gone = isHidden.has(spot.index), { section, item } = spot;
        if (item.hidden !== gone) item.hidden = gone;
        if (!gone) number += 1;
        spot.number = number;
        if (section && isAll && section.hidden !== gone) section.hidden = gone;
        if (!pieces || pieces.isNear(section?.parentElement)) showNumber(spot);
        if (map.open) nameSpot(spot);
      }
      for (const [piece, inside] of inPieces) pieces.setCount(piece, inside.reduce((count, { index }) => count + !isHidden.has(index), 0));
    }
    function showNumber({ section, number }) {
      const label = number && section && $('.number', section);
      if (label && label.textContent !== String(number)) label.textContent = number;
    }
    function nameSpot({ button, number }) {
      if (!number || button.textContent === String(number)) return;
      button.textContent = number;
      button.setAttribute('aria-label', (button.getAttribute('aria-label') ?? '').replace(/\d+/, number));
    }
    // How a question stands among all questions.
    function markSpot(button, spot) {
      if (!button || !spot) return;
      if (button.className !== spot.classes) button.className = spot.classes;
      if (button.getAttribute('aria-label') !== spot.label) button.setAttribute('aria-label', spot.label);
    }
    // What the program says of an answer: beside it once the person wants to go on, and gone as soon as it is right.
    function tellFault(index, fault) {
      const field = $('.figure, .line, textarea, .options, .ranking, .rows, .matrix, .gap', card(index)), notice = $('#f' + index);
      if (!field) return;
      if (fault && left.has(index)) shownFaults.add(index);
      if (fault) faults.set(index, fault); else { faults.delete(index); shownFaults.delete(index); }
      const isShown = shownFaults.has(index);
      const others = (field.getAttribute('aria-describedby') ?? '').split(' ').filter(id => id && id !== 'f' + index);
      if (isShown) others.push('f' + index);
      if (others.length) field.setAttribute('aria-describedby', others.join(' ')); else field.removeAttribute('aria-describedby');
      if (isShown) field.setAttribute('aria-invalid', 'true'); else field.removeAttribute('aria-invalid');
      if (!isShown) notice?.remove();
      else if (notice) notice.textContent = fault;
      else (field.closest('.measured, .location') ?? field).before(Object.assign(make('p', fault, 'notice bad'), { id: 'f' + index, role: 'alert' }));
    }
    function stopAtFault() {
      const faulty = shown().filter(index => faults.has(index));
      for (const index of faulty) { shownFaults.add(index); tellFault(index, faults.get(index)); }
      if (faulty.length) fields(faulty[0])[0].focus();
      return faulty.length > 0;
    }
    // The question as the program has it now.
    function renew(index) { card(index).dataset.was = ''; known = ''; refresh(); }
    // Whether it was cut, the browser does not tell; where a text is as long as one may be, it says so.
    function tellLimit(section, field) {
      $('.limit', section)?.remove();
      if (!(field.maxLength > 0 && field.value.length >= field.maxLength - 1)) return;
      const notice = make('p', form.dataset.cut, 'notice warn limit');
      notice.setAttribute('role', 'alert');
      field.after(notice);
    }

    // A field that was left, or a choice that was made, is complete; a number is first judged when the person goes on.
    form.addEventListener('change', event => {
      const index = +event.target.closest('section[data-index]')?.dataset.index;
      if (!(index >= 0) || event.target.matches('[inputmode], [type=file], .location input, .rows select, .matrix input, .gap')) return;
      left.add(index);
      if (faults.has(index)) tellFault(index, faults.get(index));
    });
    form.addEventListener('input', event => {
      const section = event.target.closest('section[data-index]');
      // A text of the person's own chooses itself.
      if (event.target.matches('.other')) {
        const box = $('[data-other]', section);
        box.value = '=' + event.target.value;
        box.checked = event.target.value.trim() !== '';
      }
      if (event.target.type === 'file') return;
      if (section) { keepPlace(); tellLimit(section, event.target); taken.delete(+section.dataset.index); changed(+section.dataset.index); }
    });
    // The place where the device is.
    function locate(button) {
      const part = button.closest('.location'), index = +part.closest('section').dataset.index, { dataset } = part;
      const [latitude, longitude, measured] = fields(index), found = $('.found', part);
      const tell = words => { found.textContent = words; found.className = 'found notice warn'; };
      if (!isSecureContext || !navigator.geolocation) return tell(dataset.unsafe);
      found.className = 'quiet found';
      found.textContent = dataset.finding;
      navigator.geolocation.getCurrentPosition(({ coords }) => {
        const round = (number, digits) => String(+number.toFixed(digits));
        latitude.value = round(coords.latitude, 7);
        longitude.value = round(coords.longitude, 7);
        const accuracy = round(coords.accuracy, 1);
        measured.value = [latitude.value, longitude.value, accuracy].join(';');
        found.textContent = dataset.accuracy.replace('%', accuracy);
        latitude.dispatchEvent(new Event('input', { bubbles: true }));
      }, error => tell(error.code === 1 ? dataset.denied : dataset.unknown), { enableHighAccuracy: true, timeout: 30000, maximumAge: 10000 });
    }
    form.addEventListener('click', event => { const button = event.target.closest('[data-locate]'); if (button) locate(button); });
    // What was measured is said of those coordinates alone.
    form.addEventListener('input', event => {
      const part = event.target.closest('.location');
      if (!part) return;
      const [latitude, longitude, measured] = fields(+part.closest('section').dataset.index);
      if (measured.value && !measured.value.startsWith(`${latitude.value};${longitude.value};`)) { measured.value = ''; $('.found', part).textContent = ''; }
    }, true);
    // WebKit empties a form that it kept, some time after it shows it again.
    // Of a question that is being answered, that one and those still to be saved: a key must not wait for thousands.
    const restoreAt = ({ target }) => {
      const section = target.closest?.('section[data-index]');
      if (!section) restore(); else for (const index of new Set([+section.dataset.index, ...dirty])) restoreOne(index);
    };
    for (const name of ['beforeinput', 'focusin', 'keydown', 'pointerdown']) form.addEventListener(name, restoreAt, true);
    document.addEventListener('selectionchange', keepPlace);
    addEventListener('focusin', keepPlace);
    addEventListener('scrollend', keepPlace);

    // A button saves, then leads on. Where the program is away, nobody is led to an error.
    form.addEventListener('submit', async event => {
      event.preventDefault();
      const button = event.submitter;
      if (button?.name === 'move') return move(button);
      if (button?.name === 'clear') {
        put(+button.value, []);
        changed(+button.value);
        return fields(+button.value)[0]?.focus();
      }
      // Files that are on their way to the program arrive first; a refusal is read before the page goes.
      let isTaken = true;
      while (uploading) {
        const last = uploading;
        isTaken = await last;
        if (uploading === last) uploading = null;
      }
      const refusal = $('.taking .notice:not([hidden])');
      if (!isTaken && refusal) return refusal.scrollIntoView({ block: 'center' });
      if (isLeaving || undecided.size) { $('.elsewhere button', form)?.focus(); return; }
      while (isSaving) await pause();
      if (isLeaving) return;
      const isOnward = button?.value === 'review' || button?.value === 'next';
      if (isOnward && !dirty.size && stopAtFault()) return;
      isLeaving = true;
      // More than one request may hold went in several before.
      const changes = [...dirty].filter(index => card(index));
      const length = changes.reduce((sum, index) => sum + value(index).join('').length, 0);
      const indexes = length < 300000 ? changes : [];
      if (!indexes.length && dirty.size) { isLeaving = false; return flush(); }
      try {
        const answer = await send(indexes, button?.value ?? 'save');
        if (answer?.go) {
          store.remove('place.' + id);
          const target = new URL(answer.go, location.href);
          if (target.pathname + target.search === thisPage()) reload(); else location.assign(target);
          return;
        }
      } catch (problem) {
        isLeaving = false;
        for (const index of indexes) { if (problem.go || !problem.status) keep(index); }
        if (problem.status) tell(problem.message);
        return fail(problem, indexes);
      }
      isLeaving = false;
      if (isOnward) stopAtFault();
      flush();
    });
    addEventListener('beforeunload', event => { if (unkept.size || $('.taking progress:not([hidden])')) event.preventDefault(); });
    form.addEventListener('keydown', event => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) $('.steps .main', form)?.click();
    });
    addEventListener('pageshow', event => {
      isLeaving = false;
      if (event.persisted) { restore(); offer(); setTimeout(restore); }
    });
    addEventListener('pagehide', () => {
      keepPlace();
      const indexes = isLeaving ? [] : [...dirty].filter(index => !undecided.has(index));
      if (isLeaving) return;
      indexes.forEach(attempt);
      fetch(form.action, { method: 'POST', keepalive: true, headers: { Accept: 'application/json' }, body: request(indexes) }).catch(() => {});
    });
    addEventListener('storage', event => {
      if (event.key === 'quire.saved.' + id) refresh();
      if (event.newValue === null && event.key?.startsWith(`quire.unsent.${id}.`) && $('.also', form)) offer();
    });

    // Another window, the terminal or another program changed something.
    function takeOver(fresh) {
      if (!$('#test', fresh)) return load(reload);
      if ($('#test > [name=of]', fresh).value !== form.of.value) { if (!dirty.size) load(reload); return; }
      let news = false;
      // While a save is under way, the questions below are skipped: this page may not have the whole file.
      known = isSaving ? '' : $('#test', fresh).dataset.file;
      restore();
      for (const index of shown()) {
        const theirs = $('#q' + index, fresh);
        // What is to be decided about is what is there now.
        if (theirs && undecided.has(index) && undecided.get(index) !== theirs.dataset.was) { undecided.delete(index); flush(); continue; }
        if (!theirs || dirty.has(index) || isSaving || theirs.dataset.was === card(index).dataset.was) continue;
        const values = made(fieldsIn(theirs, index));
        // Another field, where this one cannot show the answer.
        const field = fields(index)[0], theirField = $(`[name="a.${index}"]`, theirs);
        if (field?.matches('textarea, .moment, .line') && theirField && field.type !== theirField.type) field.replaceWith(theirField);
        put(index, values);
        // An own answer has a field only where it is stored.
        for (const part of ['.options', '.rows', '.matrix']) if (!same(value(index), values) && $(part, theirs)) { $(part, card(index)).replaceWith($(part, theirs)); put(index, values); }
        mark(index, theirs.dataset.was);
        news = true;
      }
      $('#answered').textContent = $('#answered', fresh)?.textContent ?? '';
      $('progress', form).value = $('#test > .progress progress', fresh)?.value ?? 0;
      showHidden(all('.map li[hidden] button', fresh).map(button => +button.value));
      // There may be thousands: each is found without a search, and changed only where it is another.
      const spots = new Map(all('.map li button', fresh).map(button => [button.value, button]));
      for (const part of all('.map li button', form)) {
        const theirs = spots.get(part.value);
        markSpot(part, theirs && { classes: theirs.className, label: theirs.getAttribute('aria-label') });
      }
      if (news) tell(body.dataset.changed);
    }

    // What was typed before this script ran, and while it could not be saved: what this window has first, then the newest. It is put into
    // fields of the same version alone; the rest is offered beside them.
    const fits = kept => kept.of === form.of.value;
    const isText = index => fields(index)[0]?.matches('textarea, .figure, .line');
    function takeUnsent() {
      for (const index of shown()) {
        const asMade = made(fields(index));
        held.set(index, value(index));
        if (!same(value(index), asMade)) dirty.add(index);
        const fault = $('#f' + index);
        if (fault) { faults.set(index, fault.textContent); shownFaults.add(index); }
      }
      const found = unsentOf(id).filter(({ index }) => card(index))
        .sort((one, other) => other.key.endsWith(here) - one.key.endsWith(here) || (other.kept.at ?? 0) - (one.kept.at ?? 0));
      for (const { key, index, kept } of found) {
        const former = value(index), isOwn = key === unsent(index);
        if (same(kept.value, former)) { if (!isOwn || !dirty.has(index)) store.remove(key); continue; }
        if (dirty.has(index) || !(fits(kept) || !kept.of && isText(index))) continue;
        put(index, kept.value);
        if (!same(value(index), kept.value)) { put(index, former); continue; }
        mark(index, kept.was);
        tried.set(index, kept.tried ?? []);
        dirty.add(index);
        keep(index);
        if (!isOwn && !unkept.has(index)) store.remove(key);
      }
      offer();
      if (dirty.size) flush();
    }
    function offer() {
      for (const notice of all('.also', form)) notice.remove();
      for (const { key, index, kept } of unsentOf(id)) {
        const isOwn = key === unsent(index), forget = () => { if (!isOwn || !dirty.has(index)) store.remove(key); offer(); };
        if (!card(index) || isOwn && dirty.has(index) || same(kept.value, value(index))) continue;
        const use = () => { put(index, kept.value); changed(index); if (!unkept.size) forget(); };
        note(index, 'also', form.dataset.also, wordsOf(kept), [...fits(kept) ? [[form.dataset.use, use]] : [], [form.dataset.forget, forget]]);
      }
    }

    takeUnsent();
    restorePlace();
    return {
      flush, takeOver, offer,
      saves: () => saves,
      isSaving: () => isSaving,
      known: () => known && !undecided.size ? { 'Quire-File': known } : {},
      has: (other, index) => other === id && card(index) !== null,
      losesText: () => unkept.size > 0,
      // Saves all that is typed, but for what a person has to decide about: that stays in this browser.
      async saveAll() {
        await uploading;
        flush();
        while (isSaving) await pause();
        return ![...dirty].some(index => card(index) && !undecided.has(index) && !refused.has(index));
      },
      leave: () => { isLeaving = true; },
      gone: why => { if (trouble === why) return; trouble = why; for (const index of shown()) { if (value(index).join('')) { dirty.add(index); keep(index); } } tellState(); tell(why, true); },
    };
  }

  // Files: sent as soon as they are chosen, with how far it is. `heard` gets what the program says of them. Resolves to whether it has them.
  function sendFiles(form, { files, content }, { bar, refused, limits }, heard) {
    refused.hidden = true;
    const refuse = (reason, isCut = false) => { bar.hidden = true; refused.textContent = reason; refused.hidden = false; refused.dataset.cut = isCut ? '1' : ''; };
    const long = files.find(file => file.size > +limits.most);
    if (long) { refuse(limits.toolong.replace('%', () => long.name)); return Promise.resolve(false); }
    bar.value = 0;
    bar.hidden = false;
    return new Promise(done => {
      const request = new XMLHttpRequest();
      request.upload.addEventListener('progress', sent => { if (sent.total) bar.value = sent.loaded / sent.total; });
      request.addEventListener('load', () => {
        let answer = {};
        try { answer = JSON.parse(request.responseText); } catch { /* no longer let in: the page says so */ }
        bar.hidden = true;
        if (answer.problem) refuse(answer.problem);
        Promise.resolve(heard(answer)).then(() => done(!answer.problem));
      });
      request.addEventListener('error', () => { refuse(limits.cut, true); away(true); done(false); });
      request.open('POST', form.action);
      request.setRequestHeader('Accept', 'application/json');
      request.send(content);
    });
  }
  // What a form holds now; its field for files takes others from then on.
  function takeFiles(form, field) {
    const taken = { files: [...field.files], content: new FormData(form) };
    field.value = '';
    return taken;
  }
  if (attach) {
    const bar = $('#sent'), refused = $('#refused'), button = $('button', attach), words = button.textContent;
    attach.addEventListener('back', () => { if (refused.dataset.cut) refused.hidden = true; });
    attach.addEventListener('submit', async event => {
      event.preventDefault();
      if (!bar.hidden) return;
      button.textContent = button.dataset.busy;
      button.setAttribute('aria-disabled', 'true');
      await sendFiles(attach, takeFiles(attach, attach.file), { bar, refused, limits: attach.dataset }, answer => {
        if (answer.problem) return refresh();
        return answer.go && answer.go !== location.pathname ? location.assign(answer.go) : reload();
      });
      button.textContent = words;
      button.removeAttribute('aria-disabled');
    });
    attach.file.addEventListener('change', () => { if (attach.file.files.length) attach.requestSubmit(); });
  }
  // Files that are the answer of a question.
  for (const field of all('.taking input[type=file]')) {
    const part = field.closest('.taking'), form = field.form, index = form.id.slice('attach'.length);
    const bar = $('progress', part), refused = $('.notice', part), removals = $('#detach' + index);
    // One after another: what was chosen during an upload follows it.
    const send = settle => {
      if (!field.files.length) return;
      const chosen = takeFiles(form, field), former = uploading;
      const heard = answer => answer.go?.split('?')[0] === location.pathname || answer.problem ? refresh() : reload();
      uploading = (async () => {
        const isFormerTaken = await former, isTaken = await sendFiles(form, chosen, { bar, refused, limits: part.dataset }, heard);
        settle?.(isTaken);
        return isTaken && isFormerTaken !== false;
      })();
    };
    form.addEventListener('submit', event => { event.preventDefault(); send(); });
    field.addEventListener('change', event => send(event.detail));
    removals.addEventListener('submit', async event => {
      event.preventDefault();
      const query = new URLSearchParams(new FormData(removals, event.submitter));
      try { await fetch(removals.action, { method: 'POST', body: query }); } catch { return away(true); }
      refused.hidden = true;
      await refresh();
      field.focus();
    });
  }

  // Notices of the system
  const allow = $('#allow-notices');
  if (allow) {
    const show = () => {
      const state = window.Notification?.permission ?? 'denied';
      if (state === 'default') return;
      const words = document.createElement('span');
      words.textContent = state === 'granted' ? allow.dataset.on : allow.dataset.off;
      allow.replaceWith(words);
    };
    allow.addEventListener('click', async () => { await Notification.requestPermission(); show(); });
    show();
  }

  showLeftOver();
  deliverAll();
})();
