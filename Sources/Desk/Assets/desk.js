// The desk works without this script. It adds: times by the reader's clock, also in forms; dragging.
(() => {
  localTimes(document);
  for (const about of document.querySelectorAll('[data-zone]')) {
    about.textContent = about.dataset.zone.replace('{zone}', Intl.DateTimeFormat().resolvedOptions().timeZone);
  }
  // A field shows the reader's time; the moment is sent beside it. What is not changed is sent as it was, with its seconds.
  for (const field of document.querySelectorAll('input[data-moment]')) {
    const { moment } = field.dataset;
    if (moment) {
      const time = new Date(moment);
      field.value = new Date(time - 60_000 * time.getTimezoneOffset()).toISOString().slice(0, 16);
    }
    const shown = field.value;
    const sent = Object.assign(document.createElement('input'), { type: 'hidden', name: `${field.name}.at`, value: moment });
    field.after(sent);
    field.addEventListener('input', () => {
      sent.value = field.value === shown ? moment : field.value && new Date(field.value).toISOString();
    });
  }
  // Questions of a draft are dragged to their places; the buttons beside them do the same.
  let dragged = null;
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
      if (!dragged || dragged === card) return;
      event.preventDefault();
      const form = card.closest('form');
      for (const [name, value] of [['do', `drop:${dragged.dataset.question}`], ['on', card.dataset.question]]) {
        form.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }));
      }
      form.submit();
    });
  }
})();
