// Shared by the page and the app: enlarging pictures, drawing signatures, and text fields that grow with their text.
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

  // A signature is drawn on a white ground, and becomes a picture in the field for files beside it. The field's change event has a
  // function as its detail, which is called with whether the picture was attached.
  const inked = new Set();
  function setInked(canvas, isInked) {
    inked[isInked ? 'add' : 'delete'](canvas);
    canvas.closest('.sign').querySelector('.actions').hidden = !isInked;
  }
  function draw(canvas, { clientX, clientY }) {
    const pen = canvas.getContext('2d'), { left, top, width, height } = canvas.getBoundingClientRect();
    const [x, y] = [(clientX - left) * canvas.width / width, (clientY - top) * canvas.height / height];
    if (!inked.has(canvas)) {
      pen.fillStyle = '#fff';
      pen.fillRect(0, 0, canvas.width, canvas.height);
      setInked(canvas, true);
    }
    Object.assign(pen, { strokeStyle: '#111', lineWidth: 5, lineCap: 'round', lineJoin: 'round' });
    pen.beginPath();
    pen.moveTo(...canvas.last ?? [x, y]);
    pen.lineTo(x, y);
    pen.stroke();
    canvas.last = [x, y];
  }
  function erase(canvas) {
    setInked(canvas, false);
    canvas.getContext('2d').clearRect(0, 0, canvas.width, canvas.height);
    dispatchEvent(new Event('quire-unstuck'));
  }
  function keepSignature(canvas) {
    const bytes = Uint8Array.from(atob(canvas.toDataURL('image/png').split(',')[1]), sign => sign.charCodeAt(0));
    const field = canvas.closest('.taking').querySelector('[type=file]'), chosen = new DataTransfer();
    chosen.items.add(new File([bytes], canvas.dataset.name + '.png', { type: 'image/png' }));
    field.files = chosen.files;
    setInked(canvas, false);
    // A refused signature stays on the canvas. If a new one has been drawn by then, the canvas is left alone.
    const settle = isTaken => {
      if (inked.has(canvas)) return;
      if (isTaken) erase(canvas); else setInked(canvas, true);
    };
    field.dispatchEvent(new CustomEvent('change', { bubbles: true, detail: settle }));
  }
  const canvasOf = event => event.target.closest?.('.sign canvas');
  document.addEventListener('pointerdown', event => {
    const canvas = canvasOf(event);
    if (!canvas || !event.isPrimary || event.button) return;
    event.preventDefault();
    canvas.setPointerCapture(event.pointerId);
    canvas.last = null;
    canvas.pointer = event.pointerId;
    draw(canvas, event);
  });
  document.addEventListener('pointermove', event => {
    const canvas = canvasOf(event);
    if (canvas && canvas.pointer === event.pointerId) for (const point of event.getCoalescedEvents?.().concat(event) ?? [event]) draw(canvas, point);
  });
  for (const name of ['pointerup', 'pointercancel']) document.addEventListener(name, event => { const canvas = canvasOf(event); if (canvas) canvas.pointer = null; });
  document.addEventListener('click', event => {
    for (const canvas of inked) if (!canvas.isConnected) inked.delete(canvas);
    const pad = event.target.closest?.('.sign');
    if (pad) {
      const canvas = pad.querySelector('canvas');
      if (event.target.closest('[data-erase]')) erase(canvas);
      if (event.target.closest('[data-keep]') && inked.has(canvas)) keepSignature(canvas);
      return;
    }
    // A button or link attaches each visible signature first. A link does not wait for that, so its first click is not followed.
    if (!inked.size || !event.target.closest?.('button, a, summary')) return;
    const link = event.target.closest('a[href]');
    inked.forEach(canvas => canvas.offsetParent ? keepSignature(canvas) : erase(canvas));
    if (link && link.pathname !== location.pathname && link.target !== '_blank') event.preventDefault();
  }, true);
  addEventListener('beforeunload', event => { if ([...inked].some(canvas => canvas.offsetParent)) event.preventDefault(); });

  // A browser drops a click when the element below it is replaced between press and release; WebKit does so even when only the
  // button's text is replaced. After a tap, the click follows the release by a moment. What changes the screen by itself waits for
  // this: at most three seconds, in case a release is never reported.
  let pressed = -3000;
  for (const kind of ['down', 'up', 'cancel']) addEventListener('pointer' + kind, event => { pressed = event.timeStamp - (kind === 'down' ? 0 : 2900); }, true);
  window.pause = () => new Promise(done => setTimeout(done, 20));
  window.released = async () => { while (performance.now() - pressed < 3000) await pause(); };

  // A form of thousands of questions is in pieces, of which a browser lays out those near the window. `enter` is called with each
  // that comes there. The others are as high as the questions in them that show (page.css).
  window.watchPieces = (root, enter) => {
    const near = new Set();
    const watcher = new IntersectionObserver(entries => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) { near.delete(target); continue; }
        near.add(target);
        enter(target);
      }
    }, { rootMargin: '100% 0px' });
    for (const piece of root.querySelectorAll('.piece')) watcher.observe(piece);
    return {
      isNear: piece => near.has(piece),
      // The height that the browser remembers of a piece out of sight is that of other questions now: a frame without its remembering
      // makes it forget.
      setCount(piece, count) {
        if (piece.dataset.shown === String(count)) return;
        piece.dataset.shown = count;
        if (near.has(piece)) return;
        piece.classList.add('guessed');
        requestAnimationFrame(() => requestAnimationFrame(() => piece.classList.remove('guessed')));
      },
      end: () => watcher.disconnect(),
    };
  };

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
