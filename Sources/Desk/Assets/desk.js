// A form of a draft saves itself a moment after the last change; what it saves while it is open is one step to undo.
function saveWhileTyping(form) {
  const about = form.querySelector('[data-autosave]');
  if (!about) return;
  const { shown, kind } = form.elements;
  form.append(Object.assign(document.createElement('input'), {
    type: 'hidden', name: 'form', value: [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16)).join(''),
  }));
  let timer, saving = null, isChanged = false, isStopped = false, isSent = false, isOut = false;
  const wait = milliseconds => { clearTimeout(timer); timer = setTimeout(save, milliseconds); };
  const save = () => {
    clearTimeout(timer);
    // The fields of another kind come with the next form.
    if (!isChanged || isStopped || isSent || kind && shown && kind.value !== shown.value || !form.checkValidity()) return;
    saving ??= send().finally(() => {
      saving = null;
      if (isChanged) wait(isOut ? 10000 : 2000);
    });
  };
  async function send() {
    isChanged = false;
    const sent = new URLSearchParams(new FormData(form));
    sent.set('do', 'autosave');
    try {
      const reply = await fetch(form.action, { method: 'POST', body: sent, redirect: 'manual', keepalive: document.hidden });
      if (reply.status === 409) {
        [isChanged, isStopped, about.textContent] = [true, true, about.dataset.changed];
        return;
      }
      if (reply.status === 401 || reply.status === 403) {
        isOut = !await renewToken();
        [isChanged, about.textContent] = [true, isOut ? about.dataset.out : ''];
        return;
      }
      isOut = false;
      const saved = await reply.text();
      if (!reply.ok || !/^\d+$/.test(saved)) throw new Error(reply.status);
      for (const field of document.querySelectorAll('input[name=version]')) field.value = saved;
      // Options and rows are known by their places in the saved state.
      for (const [text, was] of [['o.', 'w.'], ['row.', 'roww.']]) {
        let place = 0;
        for (const field of form.querySelectorAll(`input[name^="${was}"]`)) {
          field.value = (sent.get(text + field.name.slice(was.length)) ?? '').trim() ? place++ : '';
        }
      }
      about.textContent = about.dataset.saved.replace('{time}', new Date().toLocaleTimeString(document.documentElement.lang));
    } catch {
      [isChanged, about.textContent] = [true, about.dataset.failed];
    }
  }
  form.addEventListener('input', () => {
    isChanged = true;
    if (!saving) wait(1500);
  });
  form.addEventListener('submit', event => {
    clearTimeout(timer);
    isSent = !isOut;
    if (!saving && !isOut) return;
    event.preventDefault();
    // The page to log in would take the place of what was typed.
    if (isOut) return save();
    // The version that it names must be the saved one.
    const { submitter } = event;
    saving.finally(() => form.requestSubmit(submitter));
  });
  // What was typed is saved, so the way back is one.
  const back = form.querySelector('.actions a.plain');
  if (back) {
    back.textContent = about.dataset.back;
    back.addEventListener('click', event => {
      if (!isChanged && !saving) return;
      event.preventDefault();
      save();
      (saving ?? Promise.resolve()).finally(() => { location.href = back.href; });
    });
  }
  document.addEventListener('visibilitychange', () => { if (document.hidden) save(); });
  addEventListener('beforeunload', event => { if (isChanged && !isSent) event.preventDefault(); });
  addEventListener('pageshow', () => { isSent = false; });
}

// After a log-in in another tab the forms of this one belong to that session.
async function renewToken() {
  const page = await fetch(location.href, { redirect: 'manual' });
  const token = page.ok && new DOMParser().parseFromString(await page.text(), 'text/html').querySelector('form.writing input[name=token]')?.value;
  if (token) for (const field of document.querySelectorAll('input[name=token]')) field.value = token;
  return Boolean(token);
}

// The desk works without this script. It adds: times by the reader's clock, also in forms; forms of drafts that save themselves; dragging.
(() => {
  localTimes(document);
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
  for (const form of document.querySelectorAll('form.writing')) saveWhileTyping(form);
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
