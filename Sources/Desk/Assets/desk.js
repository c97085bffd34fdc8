// The desk works without this script. It adds: times by the reader's clock, also in forms; dragging.
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
