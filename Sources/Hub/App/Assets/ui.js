// Elements, made without HTML: what comes from elsewhere is only ever text.
export function h(name, fields = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(fields)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children.flat(Infinity).filter(child => child !== undefined && child !== null && child !== false));
  return element;
}
// A text of a questionnaire, in its own language and direction.
export const foreign = (name, text, locale, fields = {}) => h(name, { dir: 'auto', lang: locale, ...fields }, text);

// Which way texts run: by the first letter, or mark that stands for one, of the first that has one (Unicode Standard Annex 9, rules P2 and P3).
export function direction(...texts) {
  const letter = texts.map(text => /[\p{L}\u200E\u200F\u061C]/u.exec(text)?.[0]).find(Boolean) ?? '';
  return /[\u200F\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFF\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u.test(letter) ? 'rtl' : 'ltr';
}

export function svg(size, ...paths) {
  const space = 'http://www.w3.org/2000/svg';
  const picture = document.createElementNS(space, 'svg');
  const set = (element, fields) => { for (const [key, value] of Object.entries(fields)) element.setAttribute(key, value); return element; };
  set(picture, { viewBox: `0 0 ${size} ${size}`, width: 28 * (size > 20) || 20, height: 28 * (size > 20) || 20, 'aria-hidden': 'true' });
  for (const [name, fields] of paths) picture.append(set(document.createElementNS(space, name), fields));
  return picture;
}
export const $ = (selector, within = document) => within.querySelector(selector);
export const all = (selector, within = document) => [...within.querySelectorAll(selector)];

// Puts new content in place without losing the focus.
export function put(region, ...content) {
  const active = region.contains(document.activeElement) ? document.activeElement : null;
  const name = active && (active.id ? '#' + CSS.escape(active.id) : active.getAttribute('href') && `[href="${CSS.escape(active.getAttribute('href'))}"]`);
  region.replaceChildren(...content.flat(Infinity).filter(Boolean));
  if (name) $(name, region)?.focus({ preventScroll: true });
}

// Tells something in passing; a screen reader says it.
export function tell(text) {
  const line = h('p', {}, text);
  $('#told').append(line);
  setTimeout(() => line.remove(), 8000);
}
export const card = (fields, ...children) => h('li', { class: 'card item ' + (fields.class ?? '') }, ...children);
export const facts = (...list) => h('p', { class: 'facts' }, list.filter(Boolean).map(([kind, text]) => h('span', { class: kind && 'fact ' + kind }, text)));
export const button = (text, act, fields = {}) => h('button', { type: 'button', onclick: act, ...fields }, text);
export const head = (title, ...more) => h('div', { class: 'head' }, h('h1', {}, title), ...more);
export const nothing = (text, ...more) => h('div', { class: 'empty' }, h('p', {}, text), ...more);
export const notice = (kind, ...content) => h('div', { class: 'notice ' + kind, role: kind === 'bad' ? 'alert' : undefined }, content.map(part => typeof part === 'string' ? h('p', {}, part) : part));
