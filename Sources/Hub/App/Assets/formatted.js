// Texts that their author wrote in Markdown. The hub makes trees of elements of them, which are kept beside the
// document; what people answer is never formatted.
import * as kinds from './kinds.js';
import * as translations from './translations.js';
import { h, foreign, direction } from './ui.js';

// Raised when the hub's trees of a text become different.
export const version = 2;
// The bounds of a request, below the hub's.
const mostTexts = 500, longestRequest = 200000, longestText = 131072;

// All texts of a questionnaire that its author may have formatted: passages, and lines such as options.
const passagesOf = questionnaire => [questionnaire.description, ...questionnaire.sections.map(section => section.text), ...questionnaire.questions.flatMap(question => [question.text, question.hint ?? ''])];
const linesOf = questionnaire => [...questionnaire.sections.map(section => section.title), ...questionnaire.questions.flatMap(question => [...question.options.map(text => kinds.label(question, text)), ...(question.rows ?? []).map(text => kinds.label(question, text)), ...kinds.isStructured(question) ? kinds.parts(question).flatMap(part => part.options.map(text => kinds.label(part, text))) : []])];
const distinct = texts => [...new Set(texts.filter(text => text.trim() && text.length <= longestText))];

// Asks the hub: {version, passages, lines}, each a Map by the text. Throws where there is no way to it.
export function ask(questionnaire) {
  const versions = translations.versions(questionnaire);
  return withMore({ version, passages: new Map(), lines: new Map() }, versions.flatMap(passagesOf), versions.flatMap(linesOf));
}

// The same trees with those of more texts; the very same where it has all of them.
export async function withMore(trees, passageTexts, lineTexts = []) {
  const passages = new Map(trees.passages), lines = new Map(trees.lines);
  const missing = (map, texts) => distinct(texts).filter(text => !map.has(text)).map(text => [map, text]);
  const wanted = [...missing(passages, passageTexts), ...missing(lines, lineTexts)];
  if (!wanted.length) return trees;
  while (wanted.length) {
    const part = [];
    let length = 0;
    while (wanted.length && part.length < mostTexts && (!part.length || length + wanted[0][1].length <= longestRequest)) {
      length += wanted[0][1].length;
      part.push(wanted.shift());
    }
    const of = kind => part.filter(([map]) => map === kind).map(([, text]) => text);
    const reply = await fetch(new URL('formatted', document.baseURI), {
      method: 'POST', cache: 'no-store', redirect: 'error', headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ passages: of(passages), lines: of(lines) }), signal: AbortSignal.timeout?.(30000),
    });
    if (!reply.ok) throw Object.assign(new Error(String(reply.status)), { status: reply.status });
    const made = await reply.json();
    of(passages).forEach((text, index) => passages.set(text, made.passages[index]));
    of(lines).forEach((text, index) => lines.set(text, made.lines[index]));
  }
  return { ...trees, passages, lines };
}

const elements = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'pre', 'code', 'blockquote', 'ul', 'ol', 'li', 'div', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'em', 'strong', 'a', 'bdi', 'br', 'hr']);
const formulas = new Set(['math', 'mi', 'mn', 'mo', 'mtext', 'mspace', 'mrow', 'mfrac', 'msqrt', 'mroot', 'msub', 'msup', 'msubsup', 'munder', 'mover', 'munderover', 'mtable', 'mtr', 'mtd']);
const attributes = new Set(['class', 'dir', 'tabindex', 'start', 'scope', 'data-language', 'alttext', 'display', 'width', 'linethickness', 'form', 'movablelimits', 'largeop', 'stretchy', 'accent', 'accentunder']);
const isWeb = address => { try { return ['http:', 'https:'].includes(new URL(address).protocol); } catch { return false; } };

// Elements of a tree. Only those that texts have are made, whatever the tree says.
function build(node, depth = 0) {
  if (typeof node === 'string') return node;
  if (!Array.isArray(node) || depth > 200) return '';
  const [name, fields, ...children] = node;
  const inner = children.map(child => build(child, depth + 1));
  if (!elements.has(name) && !formulas.has(name)) return inner;
  const element = formulas.has(name) ? document.createElementNS('http://www.w3.org/1998/Math/MathML', name) : document.createElement(name);
  for (const [key, value] of Object.entries(fields ?? {})) if (attributes.has(key)) element.setAttribute(key, value);
  if (name === 'a' && isWeb(fields?.href)) {
    for (const [key, value] of Object.entries({ href: fields.href, target: '_blank', rel: 'noopener noreferrer nofollow' })) element.setAttribute(key, value);
  }
  element.append(...inner.flat(Infinity));
  return element;
}
const nodes = list => (Array.isArray(list) ? list : []).map(node => build(node));

// The direction of a language whose script runs from the right (RFC 5646); else that of the text itself. As TextDirection of the page.
const scripts = ['arab', 'hebr', 'syrc', 'thaa', 'nkoo', 'adlm', 'rohg'], languages = ['ar', 'arc', 'ckb', 'dv', 'fa', 'he', 'iw', 'nqo', 'ps', 'sd', 'syr', 'ug', 'ur', 'yi'];
export function directionOf(locale) {
  const [language, ...more] = (locale ?? '').toLowerCase().split(/[-_]/), script = more.find(tag => /^\p{L}{4}$/u.test(tag));
  return (script ? scripts.includes(script) : languages.includes(language)) ? 'rtl' : 'auto';
}

// That of what a questionnaire shows: its language's, or that of its first text with a letter. TextDirection(of:) of the page.
export const sideOf = (locale, ...texts) => directionOf(locale) === 'rtl' ? 'rtl' : direction(...texts);
export const sideOfAll = ({ locale, title, questions }) => sideOf(locale, title, ...questions.map(({ text }) => text));

// The texts of one questionnaire as elements. Without trees of a text it is shown as it is written.
export function textsOf(questionnaire) {
  const { formatted, locale } = questionnaire ?? {};
  const fields = { dir: directionOf(locale), lang: locale };
  const passage = text => formatted?.passages.get(text), label = text => formatted?.lines.get(text);
  const block = (text, kind) => {
    const tree = passage(text);
    if (!tree) return h('p', { ...fields, class: kind }, text);
    return h('div', { ...fields, class: kind + ' formatted' }, tree.heading && h('p', {}, nodes(tree.heading)), nodes(tree.body));
  };
  return {
    // What is read above the questions of a section.
    passage: text => block(text, 'prose'),
    feedback: text => block(text, 'feedback'),
    explanation: text => block(text, 'explanation prose'),
    // A question with its number, which is no part of the text. `place`: its heading where it has none of its own.
    question(index, text, place, own = {}, words = text => text) {
      const number = h('span', { class: 'number', 'aria-hidden': 'true' }, String(index + 1)), tree = passage(text);
      if (!text) return [h('h2', { class: 'place', ...own }, number, h('span', {}, place))];
      if (!tree) return [h('h2', { ...fields, class: text.length > 240 && 'long', ...own }, number, h('span', {}, words(text)))];
      const made = [
        tree.heading ? h('h2', { ...fields, class: 'formatted', ...own }, number, h('span', {}, nodes(tree.heading))) : h('h2', { class: 'place', ...own }, number, h('span', {}, place)),
        tree.body?.length > 0 && h('div', { ...fields, class: 'formatted' }, nodes(tree.body)),
      ].filter(Boolean);
      for (const part of made) {
        const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) walker.currentNode.data = words(walker.currentNode.data);
      }
      return made;
    },
    description: text => block(text, 'lead'),
    hint: text => block(text, 'hint'),
    option(text) {
      const tree = label(text);
      return tree ? h('span', { ...fields, class: 'formatted' }, nodes(tree.nodes)) : h('span', { ...fields, dir: 'auto' }, text);
    },
    line: text => passage(text)?.line ?? label(text)?.line ?? text,
    // An answer on one line; its options without their marks.
    optionLine: text => label(text)?.line || text,
    // A text that has fields within.
    gapText: text => {
      const tree = passage(text);
      return tree ? h('div', { ...fields, class: 'formatted' }, tree.heading && h('p', {}, nodes(tree.heading)), nodes(tree.body)) : h('div', { ...fields, class: 'formatted written' }, text);
    },
    answerLine: (question, answer) => kinds.line(question, answer, text => label(text)?.line || passage(text)?.line || text),
    answer(question, answer) {
      if (kinds.isStructured(question)) return h('ul', { ...fields, class: 'given formatted' }, kinds.shown(question, answer, text => label(text)?.line || passage(text)?.line || text).map(text => h('li', {}, text)));
      const given = kinds.shown(question, answer);
      if (!given.some(text => isOption(question, text) && label(text))) return foreign('p', given.join(', '), locale, { class: 'given' });
      return h('ul', { ...fields, class: 'given formatted' }, given.map(text => h('li', {}, isOption(question, text) && label(text) ? nodes(label(text).nodes) : text)));
    },
  };
}
const isOption = (question, text) => kinds.isListed(question) && question.options.some(option => kinds.label(question, option) === text);
