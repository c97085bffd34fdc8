// A questionnaire in another of its languages. The rules are those of Model's Translation: ids, options and rows stay as the document has
// them, so answers are the same in each language; `labels` has the words to show for them.
import * as kinds from './kinds.js';
import * as rules from './rules.js';
import * as words from './words.js';

const isText = value => typeof value === 'string';
const textsOf = value => Array.isArray(value) && value.every(isText) ? value : undefined;
const objectOf = value => kinds.isObject(value) ? value : {};

/** The translations of a document, as far as they can be read: {tag: {title, description, sections, questions}}. */
export const read = json => objectOf(json.translations);

/** The tags of the languages that a questionnaire can be read in, its own first; empty where there is no choice. */
export const languages = ({ translations = {}, ownLocale, locale }) => {
  const tags = Object.keys(translations).sort(), own = ownLocale ?? locale ?? '';
  return tags.length ? [own, ...tags.filter(tag => tag !== own)] : [];
};
const primary = tag => tag.toLowerCase().split(/[-_]/)[0];

/** The language to show it in: the person's choice for a test, else that of the interface. */
export function languageFor(questionnaire, chosen) {
  const all = languages(questionnaire);
  return all.includes(chosen) ? chosen : all.find(tag => primary(tag) === words.language) ?? all[0];
}

/** The own name of a language. */
export function nameOf(tag) {
  try { const name = new Intl.DisplayNames([tag], { type: 'language' }).of(tag); return name[0].toLocaleUpperCase(tag) + name.slice(1); } catch { return tag; }
}

const label = (texts, translated) => textsOf(translated)?.length === texts.length ? Object.fromEntries(texts.map((text, place) => [text, translated[place]])) : {};

// The same pictures with other descriptions.
const described = (media = [], texts) => textsOf(texts)?.length === media.length ? media.map((medium, place) => ({ ...medium, alt: texts[place] })) : media;

function question(base, texts, tag) {
  const made = { ...base, locale: tag, media: described(base.media, texts.media) }, given = name => isText(texts[name]) ? texts[name] : base[name];
  const names = text => JSON.stringify([...new Set(kinds.gapPieces(text).flatMap(({ gap }) => gap ?? []))].sort());
  if (isText(texts.text) && (base.kind !== 'gaps' || names(texts.text) === names(base.text))) made.text = texts.text;
  for (const name of ['hint', 'unit', 'constraintMessage']) made[name] = given(name);
  if (base.kind === 'scale' && base.values) {
    const labels = objectOf(texts.labels);
    made.options = base.options.map((option, place) => isText(labels[base.values[place]]) ? `${base.values[place]} – ${labels[base.values[place]]}` : option);
  } else if (base.values) {
    if (textsOf(texts.options)?.length === base.options.length) made.options = texts.options;
    else if (base.hasOwnWords) made.options = words.truths(tag);
  } else made.labels = { ...label(base.options, texts.options), ...label(base.rows ?? [], texts.rows) };
  if (base.kind === 'gaps') {
    made.gapLabels = Object.fromEntries(Object.entries(objectOf(texts.gaps)).map(([name, gap]) => [name, label(textsOf(base.gaps[name]?.options) ?? [], gap?.options)]));
  }
  return made;
}

/** The same with the texts of a language; the document itself stays as it is. */
export function translated(questionnaire, tag) {
  const translation = questionnaire?.translations?.[tag];
  if (!kinds.isObject(translation) || tag === questionnaire.locale) return questionnaire;
  const [sections, questions] = [objectOf(translation.sections), objectOf(translation.questions)];
  return { ...questionnaire, ownLocale: questionnaire.ownLocale ?? questionnaire.locale ?? '', locale: tag,
    title: isText(translation.title) ? translation.title : questionnaire.title,
    description: isText(translation.description) ? translation.description : questionnaire.description,
    sections: questionnaire.sections.map(section => {
      const { title, text, label, media } = objectOf(sections[section.id]), repeat = section.repeat && isText(label) ? { ...section.repeat, label } : section.repeat;
      return { ...section, title: isText(title) ? title : section.title, text: isText(text) ? text : section.text, repeat, media: described(section.media, media) };
    }),
    questions: questionnaire.questions.map(base => question(base, objectOf(questions[base.id]), tag)) };
}
/** The same in the language of a test, or of the interface, with the instances of the test. */
export function shown(questionnaire, record) {
  if (!questionnaire) return questionnaire;
  const tag = languageFor(questionnaire, record?.language);
  return questionnaire.document ? rules.repeated(translated(questionnaire.document, tag), record, words.entry()) : translated(questionnaire, tag);
}

const said = ['feedback', 'explanation'];
/** A verdict with the texts of its key in a language: `shown(in:)` of Model's QuestionEvaluation. */
export function verdict(one, tag) {
  const texts = objectOf(objectOf(one?.translations)[tag]);
  return one && { ...one, ...Object.fromEntries(said.filter(name => isText(texts[name])).map(name => [name, texts[name]])) };
}
/** What verdicts say, in each language. */
export const saidBy = verdicts => verdicts.flatMap(one => [one, ...Object.values(objectOf(one?.translations))]).flatMap(texts => said.map(name => texts?.[name]).filter(isText));

/** The questionnaire in each of its languages: for search, and for what formats its texts. */
export const versions = questionnaire => [questionnaire, ...Object.keys(questionnaire.translations ?? {}).map(tag => translated(questionnaire, tag))];
