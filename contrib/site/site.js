// Search without a server. The index is a script beside this one, read when it is first needed: pages from a folder may read
// scripts and nothing else.
'use strict';

(() => {
  const { up, language, none } = document.body.dataset;
  const form = document.querySelector('form[role=search]');
  const field = form.querySelector('input');
  const found = document.getElementById('found');
  const article = document.querySelector('article');
  let index = null;
  let isAsked = false;

  // As the program folds texts: without regard to case, accents and ё.
  const folded = text => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

  // A Russian word changes at its end, an English one hardly.
  const stem = word => (/[а-я]/.test(word) && word.length > 5 ? word.slice(0, -2) : word);

  globalThis.quireIndex = entries => {
    index = entries.map(([page, title, anchor, heading, text]) =>
      ({ page, title, anchor, heading, text, head: ' ' + folded(title + ' ' + heading), body: ' ' + folded(text) }));
    show();
  };

  function ask() {
    if (isAsked) return;
    isAsked = true;
    const script = document.createElement('script');
    script.src = `${up}search-${language}.js`;
    document.head.append(script);
  }

  const words = () => folded(field.value).split(/[^\p{L}\p{N}-]+/u).filter(Boolean).map(stem);

  // Each word begins a word of the section; those in its heading count more.
  function rank(entry, wanted) {
    let points = 0;
    for (const word of wanted) {
      const begin = new RegExp('[^\\p{L}\\p{N}]' + word.replace(/[-]/g, '\\-'), 'u');
      if (begin.test(entry.head)) points += 10;
      else if (begin.test(entry.body)) points += 1;
      else return 0;
    }
    return points;
  }

  function excerpt(entry, wanted) {
    const place = Math.max(0, folded(entry.text).indexOf(wanted[0]));
    const from = Math.max(0, entry.text.lastIndexOf(' ', Math.max(0, place - 60)));
    const part = entry.text.slice(from, from + 200).trim();
    const paragraph = document.createElement('p');
    for (const piece of part.split(/(\s+)/)) {
      const bare = folded(piece).replace(/^[^\p{L}\p{N}]+/u, '');
      const isFound = bare !== '' && wanted.some(word => bare.startsWith(word));
      const node = isFound ? document.createElement('mark') : document.createTextNode(piece);
      if (isFound) node.textContent = piece;
      paragraph.append(node);
    }
    return paragraph;
  }

  function show() {
    const wanted = words();
    const isSearching = wanted.length > 0 && index !== null;
    found.hidden = !isSearching;
    article.hidden = isSearching;
    if (!isSearching) return;
    const hits = index.map(entry => ({ entry, points: rank(entry, wanted) })).filter(hit => hit.points > 0)
      .sort((one, other) => other.points - one.points).slice(0, 30);
    const list = document.createElement('ol');
    for (const { entry } of hits) {
      const item = document.createElement('li');
      const link = document.createElement('a');
      link.href = up + entry.page + (entry.anchor ? '#' + entry.anchor : '');
      link.textContent = entry.heading === entry.title ? entry.title : `${entry.title}: ${entry.heading}`;
      // On the page that is open the text comes back.
      link.addEventListener('click', () => { field.value = ''; show(); });
      item.append(link, excerpt(entry, wanted));
      list.append(item);
    }
    const nothing = document.createElement('p');
    nothing.textContent = none;
    found.replaceChildren(hits.length > 0 ? list : nothing);
  }

  form.hidden = false;
  field.addEventListener('focus', ask);
  field.addEventListener('input', () => { ask(); show(); });
  form.addEventListener('submit', event => {
    event.preventDefault();
    found.querySelector('a')?.focus();
  });
  document.addEventListener('keydown', event => {
    if (event.key === '/' && !/^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) {
      event.preventDefault();
      field.focus();
    }
    if (event.key === 'Escape' && document.activeElement === field) { field.value = ''; show(); }
  });
})();
