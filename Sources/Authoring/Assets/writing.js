// The forms on which questionnaires are written work without this script. It adds: times by the reader's clock; what was typed is
// kept; dragging.
(() => {
  // Text typed into a form of a draft is kept in the browser until it is saved or discarded: after a closed browser, an error page or
  // a log-in it is in the form again, with the version of the draft that its author saw.
  const kept = {
    // Each author's own: a browser may be one for several.
    prefix: `desk ${document.querySelector('[data-author], .who > p')?.textContent ?? ''} `,
    seconds: 60 * 86400,
    read(name) {
      try { return JSON.parse(localStorage.getItem(kept.prefix + name)); } catch { return null; }
    },
    // Without room, or where a browser stores nothing, the form is as without this script.
    write(name, value) {
      try { localStorage.setItem(kept.prefix + name, JSON.stringify(value)); } catch { /* see above */ }
    },
    remove(name) {
      try { localStorage.removeItem(kept.prefix + name); } catch { /* see above */ }
    },
    // The forms of which `isGone` is true.
    forget(isGone) {
      try {
        for (const key of Object.keys(localStorage)) if (key.startsWith('desk ') && isGone(JSON.parse(localStorage.getItem(key)))) localStorage.removeItem(key);
      } catch { /* see above */ }
    },
  };

  function keepTyped(form) {
    const about = form.querySelector('[data-kept]');
    if (!about) return;
    const name = new URL(form.action).pathname;
    // Names this form in the address after it was saved.
    const id = Object.assign(document.createElement('input'), {
      type: 'hidden', name: 'form', value: [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, '0')).join(''),
    });
    form.append(id);
    const fields = () => {
      const all = new URLSearchParams(new FormData(form));
      for (const name of ['token', 'form']) all.delete(name);
      return all.toString();
    };
    const bare = text => {
      const all = new URLSearchParams(text);
      all.delete('version');
      return all.toString();
    };
    const keep = () => kept.write(name, { at: Date.now(), form: id.value, fields: fields() });
    const known = kept.read(name);
    if (document.querySelector('[role=alert]')) {
      // Another author was faster. The page has what was typed, and the state that it would replace.
      keep();
    } else if (known && bare(known.fields) === bare(fields())) {
      kept.remove(name);
    } else if (known && !/[?&]theirs=/.test(location.search)) {
      const typed = new URLSearchParams(known.fields);
      // Rows that were added have fields after this.
      const isWider = [...typed].some(([name, value]) => value.trim() && !form.elements[name] && /^(o|row|a)\./.test(name));
      if (isWider && !location.search.includes('more=')) return location.replace(name + '?more=1');
      for (const field of form.elements) {
        if (!field.name || field === id || field.name === 'token' || field.type === 'submit') continue;
        const values = typed.getAll(field.name);
        if (field.type === 'checkbox') field.checked = values.includes(field.value);
        else if (field.type === 'select-multiple') for (const option of field.options) option.selected = values.includes(option.value);
        else if (values.length) [field.value] = values;
      }
      id.value = known.form ?? id.value;
      about.querySelector('span').textContent = about.dataset.kept.replace('{time}', new Date(known.at).toLocaleString(document.documentElement.lang));
      about.querySelector('button').addEventListener('click', () => { kept.remove(name); location.replace(name); });
      about.hidden = false;
    }
    form.addEventListener('input', keep);
    form.querySelector('.actions a.plain')?.addEventListener('click', () => kept.remove(name));
  }
  for (const about of document.querySelectorAll('[data-zone]')) {
    about.textContent = about.dataset.zone.replace('{zone}', Intl.DateTimeFormat().resolvedOptions().timeZone);
  }
  // A field shows the reader's time; the moment is sent beside it. What is not changed is sent as it was, with its seconds.
  for (const field of document.querySelectorAll('input[data-moment]')) {
    const { moment } = field.dataset;
    const time = new Date(moment);
    if (!Number.isNaN(time.getTime())) {
      field.value = new Date(time - 60_000 * time.getTimezoneOffset()).toISOString().slice(0, 16);
    }
    const shown = field.value;
    const sent = Object.assign(document.createElement('input'), { type: 'hidden', name: `${field.name}.at`, value: moment });
    field.after(sent);
    field.addEventListener('input', () => {
      // A year of five digits, while it is typed, is no time.
      const time = new Date(field.value);
      sent.value = field.value === shown ? moment : Number.isNaN(time.getTime()) ? '' : time.toISOString();
    });
  }
  const search = new URLSearchParams(location.search), savedForm = search.get('form');
  if (savedForm) {
    search.delete('form');
    history.replaceState(null, '', location.pathname + (search.size ? '?' + search : '') + location.hash);
  }
  // Saved forms go, and forms that were not opened for sixty days.
  kept.forget(({ at, form }) => form === savedForm || Date.now() - at > 1000 * kept.seconds);
  for (const form of document.querySelectorAll('form.writing')) keepTyped(form);
  document.addEventListener('submit', ({ target, submitter }) => {
    // Ids are used again.
    if (submitter?.value.startsWith('delete:')) kept.remove(`${new URL(target.action).pathname}/q/${encodeURIComponent(submitter.value.slice(7))}`);
    // On a shared machine no one reads on.
    if (target.action.endsWith('/desk/logout')) kept.forget(() => true);
  });
  // Questions of a draft are dragged to their places; the buttons beside them do the same.
  let dragged = null;
  let added = [];
  // A page that the browser kept sends nothing of what it sent before.
  addEventListener('pageshow', () => {
    for (const field of added) field.remove();
    added = [];
  });
  for (const card of document.querySelectorAll('[data-question]')) {
    card.draggable = true;
    card.addEventListener('dragstart', event => {
      dragged = card;
      event.dataTransfer.effectAllowed = 'move';
      event.dataTransfer.setData('text/plain', card.dataset.question);
    });
    card.addEventListener('dragend', () => { dragged = null; });
    card.addEventListener('dragover', event => {
      if (!dragged || dragged === card) return;
      event.preventDefault();
      card.classList.add('target');
    });
    card.addEventListener('dragleave', event => { if (!card.contains(event.relatedTarget)) card.classList.remove('target'); });
    card.addEventListener('drop', event => {
      // The first one is on its way.
      if (!dragged || dragged === card || added.length) return;
      event.preventDefault();
      const form = card.closest('form');
      added = [['do', `drop:${dragged.dataset.question}`], ['on', card.dataset.question]].map(
        ([name, value]) => Object.assign(document.createElement('input'), { type: 'hidden', name, value }));
      form.append(...added);
      form.submit();
    });
  }
})();
