// The kinds of questions, by the same rules as the program's table in Model/Kinds: reads questions of a document and answers of
// fields, and finds the faults of answers.
import * as numbers from './numbers.js';
import * as rules from './rules.js';
import * as words from './words.js';

const listed = ['choice', 'choices', 'boolean', 'scale'], moments = ['date', 'time', 'dateTime'];
const asked = [...listed, ...moments, 'text', 'number', 'location', 'file', 'note'];
const mostSteps = 101;

const isText = value => typeof value === 'string';
const texts = value => [value].flat().map(one => isText(one) ? one : one === null || typeof one !== 'object' ? String(one) : JSON.stringify(one));

export function isCondition(condition) {
  if (condition === null || typeof condition !== 'object') return false;
  const { question, all, any, not } = condition;
  if (isText(question)) return all === undefined && any === undefined && not === undefined;
  if (not !== undefined) return isCondition(not);
  const parts = all ?? any;
  return Array.isArray(parts) && parts.every(isCondition);
}

/** The steps of a scale; empty where there are none, or too many. */
function steps(scale) {
  const { min, max, step = 1 } = scale ?? {};
  if (![min, max, step].every(Number.isFinite) || step <= 0 || max < min) return [];
  const count = Math.floor((max - min) / step + 1e-9);
  return count < mostSteps ? Array.from({ length: count + 1 }, (_, place) => Math.round((min + place * step) * 1e6) / 1e6) : [];
}

/** Completes a question with the members that its kind has. */
export function complete(question, source, locale) {
  const stated = isText(source.kind) ? source.kind : question.kind;
  const member = name => isText(source[name]) ? source[name] : undefined;
  const made = { ...question, kind: asked.includes(stated) ? stated : 'text', hint: member('hint'), unit: member('unit'), constraintMessage: member('constraintMessage') };
  if (!asked.includes(stated)) made.askedAsText = [stated, Array.isArray(source.rows) ? source.rows.filter(isText) : []];
  if (source.constraint !== null && typeof source.constraint === 'object' && !Array.isArray(source.constraint)) made.constraint = source.constraint;
  if (isCondition(source.condition)) made.condition = source.condition;
  if (source.other === true) made.other = true;
  if (typeof source.multiline === 'boolean') made.multiline = source.multiline;
  if (stated === 'file') Object.assign(made, { accept: member('accept'), capture: member('capture'), maxFiles: source.maxFiles > 0 && Number.isInteger(source.maxFiles) ? source.maxFiles : undefined });
  if (stated === 'boolean') {
    made.values = [true, false];
    if (made.options.length !== 2) made.options = words.truths(locale);
  } else if (stated === 'scale') {
    const { labels } = source.scale ?? {};
    made.values = steps(source.scale);
    made.options = made.values.map(step => isText(labels?.[step]) ? `${step} – ${labels[step]}` : String(step));
    if (!made.values.length) Object.assign(made, { kind: 'number', values: undefined, options: [] });
  }
  return made;
}

export const isListed = question => listed.includes(question.kind);
export const isMoment = question => moments.includes(question.kind);
export const isOneLine = question => question.kind === 'text' && question.multiline === false;
export const takesFiles = question => question.kind === 'file';
/** The most files of an answer; Infinity where the author sets no limit. */
export const mostFiles = question => takesFiles(question) ? Math.min(question.maxFiles ?? Infinity, question.constraint?.maxCount ?? Infinity) : Infinity;
/** What a field for files offers. */
export const fileField = ({ accept, capture }) => ({
  accept: accept ?? { camera: 'image/*', signature: 'image/*', microphone: 'audio/*' }[capture],
  capture: { camera: 'environment', microphone: 'microphone' }[capture],
});
/** How many files a test has for a question. */
export const fileCount = (question, record) => (record.attachments ?? []).filter(({ questionId }) => questionId === question.id).length;
export const isLocation = question => question.kind === 'location';
export const takesAnswer = question => question.kind !== 'note';

const isPlace = answer => Number.isFinite(answer?.latitude) && Number.isFinite(answer?.longitude);
/** A place as people read it, and may write it. */
export const placeText = ({ latitude, longitude, accuracyMeters: accuracy }) => `${latitude}, ${longitude}${Number.isFinite(accuracy) ? ` (±${accuracy} m)` : ''}`;
/** The fields of a place for an answer: latitude, longitude, and the accuracy of a measured one. */
export function placeFields(stored) {
  if (isPlace(stored)) return [String(stored.latitude), String(stored.longitude), stored.accuracyMeters ?? null];
  const [latitude, ...rest] = texts(stored ?? '').join(', ').replace(/[\r\n]/g, '').split('; ');
  return [latitude, rest.join('; '), null];
}
/** The answer of those fields. Both coordinates may be in the first one. */
export function placeOf(latitude, longitude, accuracy = null) {
  const text = longitude.trim() ? `${latitude}; ${longitude}` : latitude, { location } = rules.readLocation(text);
  return location ? { ...location, ...accuracy !== null && { accuracyMeters: accuracy } } : text;
}

/** An answer as people read it. */
export function shown(question, answer) {
  if (isPlace(answer.answer)) return [placeText(answer.answer)];
  const place = question?.values?.indexOf(answer.answer) ?? -1;
  return place >= 0 ? [question.options[place]] : texts(answer.answer);
}
export const line = (question, answer) => shown(question, answer).join(', ');

/** The ids of the questions that the answers of a test hide. */
export function hidden(questionnaire, record) {
  if (!questionnaire?.isConditional) return new Set();
  const names = new Map((record.attachments ?? []).map(({ questionId, name }) => [questionId, name]));
  questionnaire.visibility ??= new rules.Visibility(questionnaire);
  return questionnaire.visibility.hidden(id => {
    const given = record.answers.find(answer => answer.questionId === id)?.answer;
    return rules.isBlank(given) ? names.get(id) : given;
  });
}

// Dates and times.

const localOffset = text => -new Date(text).getTimezoneOffset() || 0;

/** A written date or time: {text}, {ambiguous} or {}. */
export function readMoment(kind, text) {
  if (kind !== 'dateTime') return kind === 'date' ? rules.readDate(text) : rules.readTime(text);
  const stated = rules.readDateTime(text);
  if (stated.text || stated.ambiguous) return stated;
  const universal = rules.readDateTime(text, 0);
  return universal.text ? rules.readDateTime(text, localOffset(universal.text.slice(0, -1))) : universal;
}

/** The type of the field for an answer, and the answer as that field has it. */
export function momentField(kind, stored) {
  const text = texts(stored ?? '').join(', ');
  if (text && readMoment(kind, text).text !== text) return ['text', text];
  if (kind !== 'dateTime') return [kind, text];
  const local = text && rules.localText(text, localOffset);
  return local === null ? ['text', text] : ['datetime-local', local];
}

// The fault of an answer as a sentence; empty for a valid one.

export function fault(question, answer, files = 0) {
  if (takesFiles(question)) {
    const most = mostFiles(question), least = question.constraint?.minCount ?? 0;
    if (files > most) return words.attachAtMost(most);
    if (files && files < least) return question.constraintMessage ?? words.attachAtLeast(least);
  }
  if (!answer || rules.isBlank(answer.answer)) return '';
  const text = texts(answer.answer).join(', ');
  let value = answer.answer;
  if (question.kind === 'number') {
    value = numbers.read(text).number;
    if (!value) return words.numberFault(text);
  } else if (isMoment(question)) {
    const read = readMoment(question.kind, text);
    if (!read.text) return words.momentFault(question.kind, text, read.ambiguous);
    value = read.text;
  }
  if (isLocation(question)) {
    const isObject = isPlace(answer.answer), { isOutOfRange = isObject && !rules.isOnEarth(answer.answer), location } = isObject ? {} : rules.readLocation(text);
    if (isOutOfRange) return words.notOnEarth();
    return isObject || location ? '' : words.notLocation(text);
  }
  let codes = [];
  // A constraint of another form than ours limits nothing.
  try { codes = rules.violations(question.constraint ?? {}, value); } catch { /* The host says so to the author. */ }
  return codes.length ? question.constraintMessage ?? words.violation(codes[0], question.constraint) : '';
}
