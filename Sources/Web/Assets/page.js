// The page works without this script. It adds: saving as one types, what changes elsewhere, and the place that comes back.
'use strict';
(() => {
  const body = document.body, root = document.documentElement;
  root.classList.add('live');
  const $ = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const store = {
    get(key) { try { return JSON.parse(localStorage.getItem('quire.' + key)); } catch { return null; } },
    set(key, value) { try { localStorage.setItem('quire.' + key, JSON.stringify(value)); } catch { /* full: the server has the rest */ } },
    remove(key) { try { localStorage.removeItem('quire.' + key); } catch { /* as above */ } },
    keys(prefix) { try { return Object.keys(localStorage).filter(key => key.startsWith('quire.' + prefix)).map(key => key.slice(6)); } catch { return []; } },
  };

  // What is told

  function tell(text, stays) {
    const line = document.createElement('p');
    line.textContent = text;
    $('#told').append(line);
    if (!stays) setTimeout(() => line.remove(), 8000);
    return line;
  }
  function localTimes(within = document) {
    const format = new Intl.DateTimeFormat(root.lang, { dateStyle: 'medium', timeStyle: 'short' });
    for (const time of all('time[datetime]', within)) if (time.dateTime) time.textContent = format.format(new Date(time.dateTime));
  }
  localTimes();

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

  // A form is sent once, however often it is clicked.
  document.addEventListener('submit', event => {
    const form = event.target;
    if (form.id === 'test' || form.method === 'get' || event.defaultPrevented) return;
    if (form.dataset.sent) return event.preventDefault();
    form.dataset.sent = '1';
    for (const button of all('button', form)) {
      button.setAttribute('aria-disabled', 'true');
      if (button.dataset.busy) { button.dataset.words = button.textContent; button.textContent = button.dataset.busy; }
    }
  });
  window.addEventListener('pageshow', event => {
    for (const form of all('form[data-sent]')) {
      delete form.dataset.sent;
      for (const button of all('button', form)) {
        button.removeAttribute('aria-disabled');
        if (button.dataset.words) button.textContent = button.dataset.words;
      }
    }
    if (event.persisted) refresh();
  });

  // Live regions: fetched anew when something changed, put in place without touching focus or scroll.

  let refreshing = null, again = false;
  async function refresh() {
    if (refreshing) { again = true; return refreshing; }
    refreshing = (async () => {
      do {
        again = false;
        try {
          const reply = await fetch(location.href.split('#')[0], { headers: { Accept: 'text/html' } });
          if (!reply.ok) return;
          const fresh = new DOMParser().parseFromString(await reply.text(), 'text/html');
          body.dataset.version = fresh.body.dataset.version;
          for (const region of all('[data-live][id]')) replace(region, fresh.getElementById(region.id));
          if (test) test.takeOver(fresh);
        } catch { /* away: the next event asks again */ }
      } while (again);
    })();
    await refreshing;
    refreshing = null;
  }
  function replace(region, fresh) {
    if (!fresh || region.outerHTML === fresh.outerHTML) return;
    const active = region.contains(document.activeElement) ? document.activeElement : null;
    const path = active && (active.id ? '#' + CSS.escape(active.id) : active.getAttribute('href') && `[href="${CSS.escape(active.getAttribute('href'))}"]`);
    region.replaceWith(fresh);
    localTimes(fresh);
    panels(fresh);
    if (path) $(path, fresh)?.focus({ preventScroll: true });
  }

  let isAway = false, awayLine = null;
  function away(now) {
    if (now === isAway) return;
    isAway = now;
    awayLine?.remove();
    if (now) awayLine = tell(body.dataset.away, true); else { tell(body.dataset.back); test?.flush(); refresh(); }
  }
  if (body.dataset.token) {
    const events = new EventSource('/events');
    let wasOpen = false;
    events.addEventListener('open', () => { wasOpen = true; away(false); });
    events.addEventListener('error', () => {
      if (wasOpen) away(true);
      if (events.readyState === EventSource.CLOSED) setTimeout(() => location.reload(), 3000);
    });
    events.addEventListener('state', event => {
      const state = JSON.parse(event.data);
      for (const told of state.told) {
        tell(told.text);
        if (document.hidden && window.Notification?.permission === 'granted') new Notification('Quire', { body: told.text, tag: told.test });
      }
      if (state.version !== body.dataset.version) refresh();
    });
    window.addEventListener('pagehide', () => events.close());
  }

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
    const remember = () => store.set('library', { at: location.pathname + location.search, y: Math.round(scrollY) });
    const kept = store.get('library');
    if (kept && kept.at !== location.pathname + location.search && !location.search && !document.referrer && history.length <= 2) {
      location.replace(kept.at);
    } else {
      const kind = performance.getEntriesByType('navigation')[0]?.type;
      if (kept && kept.at === location.pathname + location.search && kept.y && (!document.referrer || kind !== 'navigate')) scrollTo(0, kept.y);
      window.addEventListener('pagehide', remember);
      document.addEventListener('visibilitychange', remember);
      document.addEventListener('scrollend', remember);
    }
  }

  // The test

  const test = $('#test') ? takeTest($('#test')) : null;

  function takeTest(form) {
    const id = form.dataset.test, saved = $('#saved');
    const unsent = index => `unsent.${id}.${index}`;
    const dirty = new Set(), undecided = new Set();
    // Values whose saving got no reply: the program may have stored them before it went away.
    const tried = new Map();
    let isSaving = false, isLeaving = false, retry = 0;

    const card = index => form.querySelector(`section[data-index="${index}"]`);
    const fields = index => all(`[name="a.${index}"]`, form);
    const value = index => {
      const list = fields(index);
      return list[0] && /radio|checkbox/.test(list[0].type) ? list.filter(field => field.checked).map(field => field.value) : list.map(field => field.value);
    };
    const put = (index, values) => {
      for (const field of fields(index)) {
        if (/radio|checkbox/.test(field.type)) field.checked = values.includes(field.value);
        else if (field.value !== (values[0] ?? '')) field.value = values[0] ?? '';
      }
    };
    const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
    const mark = (index, was) => { card(index).dataset.was = was; form.querySelector(`[name="was.${index}"]`).value = was; };
    const keep = index => store.set(unsent(index), { value: value(index), was: card(index).dataset.was, tried: tried.get(index) });
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
      if (!section) {
        // Another question: its first field, where the person comes from the one before.
        return;
      }
      const [name, choice] = (known.focus ?? '').split('=');
      const field = name && all(`[name="${CSS.escape(name)}"]`, section).find(found => choice === undefined || found.value === choice);
      if (field) {
        field.focus({ preventScroll: true });
        if (known.cursor !== undefined && field.setSelectionRange && !/radio|checkbox/.test(field.type)) {
          const end = units(field.value, known.cursor);
          field.setSelectionRange(known.selection ? units(field.value, known.selection.start) : end, end);
        }
      }
      if (known.scroll) scrollTo({ top: known.scroll, behavior: 'instant' });
    }

    // Saving: at once, one request at a time; what is typed meanwhile goes with the next.
    function changed(index) {
      dirty.add(index);
      keep(index);
      if (!isSaving) say(form.dataset.saving, 'waiting');
      flush();
    }
    function request(indexes, go) {
      const query = new URLSearchParams({ token: form.token.value, place: JSON.stringify(place()), view: form.view.value });
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
      const values = value(index), earlier = tried.get(index) ?? [];
      if (earlier.length < 50 && !earlier.some(one => same(one, values))) tried.set(index, [...earlier, values]);
      if (dirty.has(index)) keep(index);
    }
    async function send(indexes, go) {
      const sent = new Map(indexes.map(index => [index, value(index)]));
      indexes.forEach(attempt);
      const reply = await fetch(form.action, { method: 'POST', headers: { Accept: 'application/json' }, body: request(indexes, go) });
      if (reply.status === 401 || reply.status === 403) { location.reload(); return null; }
      if (!reply.ok && reply.status !== 409) throw new Error(String(reply.status));
      const answer = await reply.json();
      away(false);
      retry = 0;
      for (const question of answer.questions ?? []) {
        const { index } = question;
        if (question.isConflict) {
          const theirs = question.places?.length ? question.places.map(String) : [question.text ?? ''];
          // What is stored came from here, and only the reply was lost: no other hand, so nobody is asked.
          if (!tried.get(index)?.some(one => same(one, theirs))) { ask(question); continue; }
          tried.delete(index);
          mark(index, question.was);
          dirty.add(index);
          keep(index);
          continue;
        }
        tried.delete(index);
        mark(index, question.was);
        if (question.text !== undefined) put(index, question.places?.length ? question.places.map(String) : [question.text]);
        if (question.text !== undefined || same(sent.get(index), value(index))) { dirty.delete(index); store.remove(unsent(index)); }
        // Typed on meanwhile: from now on it is compared with what was saved just now.
        else keep(index);
      }
      if (answer.answered) {
        $('#answered').textContent = answer.answered;
        $('progress', form).value = answer.count;
        store.set('saved.' + id, Date.now());
      }
      return answer;
    }
    async function flush() {
      const indexes = [...dirty].filter(index => !undecided.has(index) && card(index));
      if (isSaving || isLeaving || !indexes.length) return;
      isSaving = true;
      let failed = false;
      try {
        const answer = await send(indexes);
        if (answer?.go) return location.assign(answer.go);
      } catch {
        failed = true;
        say(form.dataset.unsaved, 'kept');
        // The place of what is typed is this browser until the program is back.
        setTimeout(flush, Math.min(500 * 2 ** retry++, 4000));
      }
      isSaving = false;
      if (failed) return;
      if (dirty.size === undecided.size) say(form.dataset.saved);
      else flush();
    }
    function ask(question) {
      const { index } = question, section = card(index);
      undecided.add(index);
      $('.elsewhere', section)?.remove();
      const notice = document.createElement('div');
      notice.className = 'notice warn elsewhere';
      notice.setAttribute('role', 'alert');
      const about = document.createElement('p'), theirs = document.createElement('q'), row = document.createElement('p');
      about.textContent = form.dataset.elsewhere;
      theirs.textContent = question.text || '–';
      theirs.dir = 'auto';
      row.className = 'actions';
      const decide = (words, act) => {
        const button = document.createElement('button');
        button.type = 'button';
        button.textContent = words;
        button.addEventListener('click', () => {
          notice.remove();
          undecided.delete(index);
          mark(index, question.was);
          act();
          (fields(index).find(field => field.checked) ?? fields(index)[0])?.focus();
        });
        row.append(button);
      };
      decide(form.dataset.mine, () => changed(index));
      decide(form.dataset.theirs, () => {
        put(index, question.places?.length ? question.places.map(String) : [question.text ?? '']);
        dirty.delete(index);
        store.remove(unsent(index));
        say(form.dataset.saved);
      });
      notice.append(about, theirs, row);
      $('h2', section).after(notice);
    }

    form.addEventListener('input', event => {
      const section = event.target.closest('section[data-index]');
      if (section) { keepPlace(); changed(+section.dataset.index); }
    });
    document.addEventListener('selectionchange', keepPlace);
    document.addEventListener('focusin', keepPlace);
    document.addEventListener('scrollend', keepPlace);

    // A button saves, then leads on. Where the program is away, nobody is led to an error.
    form.addEventListener('submit', async event => {
      event.preventDefault();
      const button = event.submitter;
      if (button?.name === 'clear') {
        put(+button.value, []);
        changed(+button.value);
        button.remove();
        return;
      }
      if (isLeaving || undecided.size) { $('.elsewhere button', form)?.focus(); return; }
      while (isSaving) await new Promise(done => setTimeout(done, 10));
      if (isLeaving) return;
      isLeaving = true;
      try {
        const answer = await send(shown(), button?.value ?? 'save');
        if (answer?.go) {
          store.remove('place.' + id);
          const target = new URL(answer.go, location.href);
          if (target.pathname + target.search === location.pathname + location.search) location.reload(); else location.assign(target);
          return;
        }
      } catch {
        for (const index of shown()) keep(index);
        say(form.dataset.unsaved, 'kept');
        tell(body.dataset.away);
        isAway = true;
      }
      isLeaving = false;
      flush();
    });
    form.addEventListener('keydown', event => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) $('.steps .main', form)?.click();
    });
    window.addEventListener('pageshow', () => { isLeaving = false; });
    window.addEventListener('pagehide', () => {
      keepPlace();
      const indexes = isLeaving ? [] : [...dirty].filter(index => !undecided.has(index));
      if (isLeaving) return;
      indexes.forEach(attempt);
      fetch(form.action, { method: 'POST', keepalive: true, headers: { Accept: 'application/json' }, body: request(indexes) }).catch(() => {});
    });
    window.addEventListener('storage', event => { if (event.key === 'quire.saved.' + id) refresh(); });

    // Another window, the terminal or another program changed something.
    function takeOver(fresh) {
      if (!fresh.getElementById('test')) return location.reload();
      let news = false;
      for (const index of shown()) {
        const theirs = fresh.querySelector(`section[data-index="${index}"]`);
        if (!theirs || dirty.has(index) || isSaving || theirs.dataset.was === card(index).dataset.was) continue;
        put(index, all(`[name="a.${index}"]`, theirs).filter(field => !/radio|checkbox/.test(field.type) || field.hasAttribute('checked')).map(field => field.defaultValue ?? field.value));
        mark(index, theirs.dataset.was);
        news = true;
      }
      $('#answered').textContent = $('#answered', fresh)?.textContent ?? '';
      for (const part of all('.map li button', form)) {
        const same = fresh.querySelector(`.map button[value="${part.value}"]`);
        if (same) { part.className = same.className; part.setAttribute('aria-label', same.getAttribute('aria-label')); }
      }
      if (news) tell(body.dataset.changed);
    }

    // What was typed while nobody could save it.
    function takeUnsent() {
      for (const key of store.keys(`unsent.${id}.`)) {
        const index = +key.split('.').pop(), kept = store.get(key);
        if (!kept || !card(index)) continue;
        if (same(kept.value, value(index))) { store.remove(key); continue; }
        put(index, kept.value);
        mark(index, kept.was);
        if (kept.tried) tried.set(index, kept.tried);
        dirty.add(index);
      }
      if (dirty.size) flush();
    }

    // The time that is left
    const clock = $('.clock', form);
    if (clock) {
      const ends = +clock.dataset.ends, words = clock.textContent;
      let isOver = ends <= Date.now();
      const tick = () => {
        const left = Math.max(0, Math.ceil((ends - Date.now()) / 1000));
        if (!left) { if (!isOver) { isOver = true; clock.textContent = clock.dataset.over; tell(clock.dataset.over, true); } return; }
        const two = number => String(number).padStart(2, '0');
        const time = (left >= 3600 ? Math.floor(left / 3600) + ':' + two(Math.floor(left / 60) % 60) : Math.floor(left / 60)) + ':' + two(left % 60);
        clock.textContent = words.replace(/\d[\d:]*/, time);
      };
      setInterval(tick, 1000);
      tick();
    }

    takeUnsent();
    restorePlace();
    return { flush, takeOver };
  }

  // Files: sent as soon as they are chosen, with how far it is.
  const attach = $('#attach');
  if (attach) {
    const bar = $('#sent'), refused = $('#refused'), button = $('button', attach), words = button.textContent;
    const wait = now => {
      bar.hidden = !now;
      button.textContent = now ? button.dataset.busy : words;
      if (now) button.setAttribute('aria-disabled', 'true'); else button.removeAttribute('aria-disabled');
    };
    const refuse = reason => { wait(false); refused.textContent = reason; refused.hidden = false; attach.file.value = ''; };
    attach.addEventListener('submit', event => {
      event.preventDefault();
      if (!bar.hidden) return;
      refused.hidden = true;
      const long = [...attach.file.files].find(file => file.size > +attach.dataset.most);
      if (long) return refuse(attach.dataset.toolong.replace('%', () => long.name));
      bar.value = 0;
      wait(true);
      const request = new XMLHttpRequest();
      request.upload.addEventListener('progress', sent => { if (sent.total) bar.value = sent.loaded / sent.total; });
      request.addEventListener('load', () => {
        let answer = {};
        try { answer = JSON.parse(request.responseText); } catch { /* no longer let in: the page says so */ }
        if (!answer.problem) return answer.go && answer.go !== location.pathname ? location.assign(answer.go) : location.reload();
        refuse(answer.problem);
        refresh();
      });
      request.addEventListener('error', () => refuse(body.dataset.away));
      request.open('POST', attach.action);
      request.setRequestHeader('Accept', 'application/json');
      request.send(new FormData(attach));
    });
    attach.file.addEventListener('change', () => { if (attach.file.files.length) attach.requestSubmit(); });
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
})();
