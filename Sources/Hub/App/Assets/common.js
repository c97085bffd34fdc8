// What the page and the app share: pictures that open large, and text fields that grow with their text.
'use strict';
(() => {
  // A picture: first as large as the window, then in its own size or twice the window's width. Escape closes it.
  function enlarge(link) {
    const { close: closeWords, full: fullWords } = document.body.dataset;
    const make = (name, fields, ...children) => { const made = Object.assign(document.createElement(name), fields); made.append(...children); return made; };
    const image = make('img', { src: link.href, alt: link.querySelector('img')?.alt || link.textContent.trim() });
    const place = make('div', { className: 'zoomed', tabIndex: 0 }, image);
    const full = make('button', { type: 'button', textContent: fullWords, ariaPressed: 'false' });
    const close = make('button', { type: 'button', textContent: closeWords });
    const dialog = make('dialog', { className: 'zoom', ariaLabel: link.ariaLabel || image.alt }, make('p', { className: 'actions' }, full, close), place);
    const turn = () => {
      const isFull = dialog.classList.toggle('full');
      full.ariaPressed = String(isFull);
      image.style.inlineSize = isFull ? `${Math.max(image.naturalWidth, 2 * place.clientWidth)}px` : '';
    };
    full.addEventListener('click', turn);
    image.addEventListener('click', turn);
    close.addEventListener('click', () => dialog.close());
    dialog.addEventListener('close', () => { dialog.remove(); link.focus({ preventScroll: true }); });
    document.body.append(dialog);
    dialog.showModal();
    close.focus();
  }
  document.addEventListener('click', event => {
    const link = event.target.closest?.('a[data-zoom]');
    if (!link || !window.HTMLDialogElement || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    enlarge(link);
  });

  // A picture of a known size is no wider than its height allows (60vh in the stylesheet).
  document.querySelectorAll('figure img[width]').forEach(image => { image.style.maxInlineSize = `min(100%, ${60 * image.getAttribute('width') / image.getAttribute('height')}vh)`; });

  // Where the stylesheet cannot do it.
  if (!CSS.supports('field-sizing', 'content')) {
    const grow = field => {
      const top = scrollY;
      field.style.blockSize = 'auto';
      field.style.blockSize = `${field.scrollHeight + field.offsetHeight - field.clientHeight}px`;
      if (scrollY !== top) scrollTo({ top, behavior: 'instant' });
    };
    const growAll = () => document.querySelectorAll('textarea').forEach(grow);
    for (const name of ['input', 'grow', 'focusin']) document.addEventListener(name, event => { if (event.target.matches?.('textarea')) grow(event.target); });
    addEventListener('resize', growAll);
    new MutationObserver(changes => { if (changes.some(change => [...change.addedNodes].some(node => node.querySelector?.('textarea')))) growAll(); }).observe(document.body, { childList: true, subtree: true });
    growAll();
  }
})();
