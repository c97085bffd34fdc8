// The kinds of questions, by the same rules as the program's table in Model/Kinds: reads questions of a document and answers of
// fields, and finds the faults of answers.
import * as numbers from './numbers.js';
import * as rules from './rules.js';
import * as words from './words.js';

const listed = ['choice', 'choices', 'boolean', 'scale'], moments = ['date', 'time', 'dateTime'];
const asked = [...listed, ...moments, 'text', 'number', 'location', 'file', 'note', 'ranking', 'matching', 'matrix', 'gaps'];
const structured = ['ranking', 'matching', 'matrix', 'gaps'], inGaps = ['choice', 'boolean', 'text', 'number', ...moments];
const mostSteps = 101;

const isText = value => typeof value === 'string';
/** The texts of an answer. */
export const texts = value => [value].flat().map(one => isText(one) ? one : one === null || typeof one !== 'object' ? String(one) : JSON.stringify(one));

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
  if (structured.includes(stated)) {
    made.rows = Array.isArray(source.rows) ? source.rows.filter(isText) : [];
    made.multiple = stated === 'matrix' && source.multiple === true;
    made.gaps = isObject(source.gaps) ? source.gaps : {};
    made.locale = locale;
    // Without what it is made of it is answered in words.
    const isWhole = stated === 'gaps' ? gapPieces(made.text).some(({ gap }) => gap !== undefined) : made.options.length > 0 && (stated === 'ranking' || made.rows.length > 0);
    if (!isWhole) Object.assign(made, { kind: 'text', askedAsText: [stated, made.rows] });
  }
  if (stated === 'file') Object.assign(made, { accept: member('accept'), capture: member('capture'), maxFiles: source.maxFiles > 0 && Number.isInteger(source.maxFiles) ? source.maxFiles : undefined });
  if (stated === 'boolean') {
    made.values = [true, false];
    made.hasOwnWords = made.options.length !== 2;
    if (made.hasOwnWords) made.options = words.truths(locale);
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
export const isNumber = question => question.kind === 'number';
export const takesSeveral = question => question.kind === 'choices';
export const takesFiles = question => question.kind === 'file';
/** The most files of an answer; Infinity where the author sets no limit. */
export const mostFiles = question => takesFiles(question) ? Math.min(question.maxFiles ?? Infinity, question.constraint?.maxCount ?? Infinity) : Infinity;
/** What a field for files offers. */
export const fileField = ({ accept, capture }) => ({
  accept: accept ?? { camera: 'image/*', signature: 'image/*', microphone: 'audio/*' }[capture],
  capture: { camera: 'environment', microphone: 'microphone' }[capture],
});
// The types that endings say. AcceptedFiles and MediaType of the Model have the same rule; Tests/Vectors/accepted-files.json has the cases.
const typesByEnding = {
  png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg', gif: 'image/gif', webp: 'image/webp', avif: 'image/avif', heic: 'image/heic', svg: 'image/svg+xml', bmp: 'image/bmp',
  mp3: 'audio/mpeg', m4a: 'audio/mp4', ogg: 'audio/ogg', oga: 'audio/ogg', opus: 'audio/ogg', wav: 'audio/wav', flac: 'audio/flac',
  mp4: 'video/mp4', mov: 'video/quicktime', webm: 'video/webm', ogv: 'video/ogg', pdf: 'application/pdf', json: 'application/json', txt: 'text/plain',
};
const typeOf = name => { const lower = name.toLowerCase(), ending = lower.slice(lower.lastIndexOf('.') + 1); return lower.includes('.') && Object.hasOwn(typesByEnding, ending) ? typesByEnding[ending] : ''; };
const isType = text => /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:;[\x20-\x7e]*)?$/.test(text);
// The media types that browsers show; all others can only be saved. Same rule as MediaKind in Swift (Tests/Vectors/media-kinds.json).
const shownTypes = {
  image: ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/svg+xml'],
  audio: ['audio/mpeg', 'audio/ogg', 'audio/wav', 'audio/x-wav', 'audio/mp4', 'audio/aac', 'audio/flac', 'audio/webm'],
  video: ['video/mp4', 'video/webm', 'video/ogg'],
};
/** How a medium is shown: as image, audio or video, or '' where it is saved instead. */
export function mediaKind(path, stated = '') {
  const type = (isType(stated) ? stated : typeOf(path)).split(';')[0].replaceAll(' ', '').toLowerCase();
  return Object.keys(shownTypes).find(kind => shownTypes[kind].includes(type)) ?? '';
}
const isFileEntry = text => text[0] === '.' ? text.length > 1 : text === '*/*' || /^[\w!#$&^.+-]+\/(?:[\w!#$&^.+-]+|\*)$/.test(text);
/** Whether the author of a question takes a file: `accept` names endings and types. */
export function takesFile({ accept = '' }, { name, type = '' }) {
  const entries = accept.split(',').map(text => text.replace(/\s/gu, '').toLowerCase()).filter(isFileEntry), lower = name.toLowerCase();
  const types = [type.split(';')[0].trim().toLowerCase(), typeOf(name)];
  // Of a file of unknown type, only a list of endings can say that it is not taken.
  const isUnknown = types.every(one => !one || one === 'application/octet-stream');
  return !entries.length || entries.some(entry => entry[0] === '.' ? lower.endsWith(entry) : entry === '*/*' || isUnknown || types.some(one => entry.endsWith('/*') ? one.startsWith(entry.slice(0, -1)) : one === entry));
}
/** How many files a test has for a question. */
export const fileCount = (question, record) => (record.attachments ?? []).filter(({ questionId }) => questionId === question.id).length;
export const isObject = value => value !== null && typeof value === 'object' && !Array.isArray(value);
/** How a question is answered, by the names of Model's AnswerInput. */
export const inputOf = ({ kind }) => ({ choices: 'options', text: 'text', number: 'decimal', ranking: 'order', matching: 'rows', matrix: 'rows', gaps: 'gaps',
  location: 'location', file: 'files', note: 'nothing' })[kind] ?? (moments.includes(kind) ? 'moment' : 'option');
export const isStructured = question => structured.includes(question.kind);

/** The text of gaps in pieces, {text} or {gap: name}, as Model's GapText has them. */
export function gapPieces(text) {
  const pieces = [];
  let plain = 0;
  for (const match of text.matchAll(/\{\{(?![\p{White_Space}\p{M}])([^{}\n\v\f\r\u0085\u2028\u2029]+)\}\}(?!\p{M})/gu)) {
    if (/\p{White_Space}$/u.test(match[1]) || new TextEncoder().encode(match[1]).length > 64) continue;
    if (plain < match.index) pieces.push({ text: text.slice(plain, match.index) });
    pieces.push({ gap: match[1] });
    plain = match.index + match[0].length;
  }
  if (plain < text.length || !pieces.length) pieces.push({ text: text.slice(plain) });
  return pieces;
}
/** A question's text with a line to write on in place of each gap. */
export const withBlanks = (question, text = question.text) => question.kind === 'gaps' ? gapPieces(text).map(piece => piece.text ?? '____').join('') : text;

/** The words of an option or a row in the language that the question is shown in. */
export const label = ({ labels }, text) => Object.hasOwn(labels ?? {}, text) ? labels[text] : text;

/** The places of a question's options in the order shown. */
export const optionPlaces = question => question.order ?? [...question.options.keys()];

/** The rows or gaps of a question, each as a question of its own. */
export function parts(question) {
  if (question.kind !== 'gaps') return (question.rows ?? []).map(row => ({ id: row, text: label(question, row), kind: question.multiple ? 'choices' : 'choice', options: question.options, labels: question.labels, order: question.order }));
  return [...new Set(gapPieces(question.text).flatMap(({ gap }) => gap ?? []))].map(name => {
    const { kind, options: given } = partOf(question.gaps, name) ?? {}, options = Array.isArray(given) ? given.filter(isText) : [];
    const stated = kind ?? (options.length ? 'choice' : 'text'), isKnown = inGaps.includes(stated) && (stated !== 'choice' || options.length > 0);
    const part = { id: name, text: name, kind: isKnown ? stated : 'text', options, labels: partOf(question.gapLabels, name) };
    if (part.kind === 'boolean') Object.assign(part, { values: [true, false], options: options.length === 2 ? options.map(text => label(part, text)) : words.truths(question.locale) });
    return part;
  });
}
/** The answer to a part; undefined for none, also for a row that is called as a member that all objects have. */
export const partOf = (answer, name) => isObject(answer) && Object.hasOwn(answer, name) ? answer[name] : undefined;
/** A ranking as far as it has got: places of options, the rest, and texts that are none of them. */
export function ranking(question, answer) {
  const places = [], own = [];
  for (const text of Array.isArray(answer) ? answer.filter(one => one !== '') : []) {
    const place = question.options.findIndex((option, place) => !places.includes(place) && option.normalize() === String(text).normalize());
    if (place < 0) own.push(String(text)); else places.push(place);
  }
  return { places, own, rest: optionPlaces(question).filter(place => !places.includes(place)) };
}
/** Where the answer to a part stands among its options. */
export function matched(part, answer) {
  const value = answer === undefined ? -1 : part.values?.indexOf(answer) ?? -1;
  if (value >= 0) return { places: [value], own: [] };
  const places = [], own = [];
  for (const text of answer === undefined || answer === null ? [] : texts(answer)) {
    const place = part.options.findIndex((option, place) => !places.includes(place) && option.normalize() === text.normalize());
    if (place < 0) own.push(text); else places.push(place);
  }
  return { places: places.sort((one, other) => one - other), own };
}
/** An answer in words to a question that is answered in another form; undefined where it has that form. */
export const ownText = (question, answer) => (question.kind === 'ranking' ? Array.isArray(answer) : isObject(answer)) || rules.isBlank(answer) ? undefined : texts(answer).join('\n');
/** A written value in its canonical form where it has one. */
export const settled = ({ kind }, text) => kind === 'number' ? numbers.read(text).number ?? text : moments.includes(kind) ? readMoment(kind, text).text ?? text : text;

export const isLocation = question => question.kind === 'location';
export const takesAnswer = question => question.kind !== 'note';

export const isPlace = answer => Number.isFinite(answer?.latitude) && Number.isFinite(answer?.longitude);
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
export function shown(question, answer, author = text => text) {
  const named = (part, text) => part.options?.includes(text) ? author(label(part, text)) : text;
  if (question?.kind === 'ranking' && Array.isArray(answer.answer)) return answer.answer.map((text, place) => `${place + 1}. ${named(question, text)}`);
  if (question && isStructured(question) && isObject(answer.answer)) {
    const all = parts(question), given = new Map(all.map(part => [part.id, partOf(answer.answer, part.id) === undefined ? '' : line(part, { answer: partOf(answer.answer, part.id) }, author)]));
    const others = Object.keys(answer.answer).filter(name => !given.has(name)).sort().map(name => `${name} → ${texts(answer.answer[name]).join(', ')}`);
    if (question.kind === 'gaps') return [gapPieces(author(question.text)).map(piece => piece.text ?? (given.get(piece.gap) || '____')).join(''), ...others];
    return [...all.filter(({ id }) => given.get(id)).map(({ id, text }) => `${author(text)} → ${given.get(id)}`), ...others];
  }
  if (isPlace(answer.answer)) return [placeText(answer.answer)];
  const place = question?.values?.indexOf(answer.answer) ?? -1;
  return place >= 0 ? [author(question.options[place])] : texts(answer.answer).map(text => question && isListed(question) ? named(question, text) : text);
}
export const line = (question, answer, author) => shown(question, answer, author).join(question?.rows?.length ? '; ' : ', ');

/** The ids of the questions that the answers of a test hide, and of those that it did not draw. */
export function hidden(questionnaire, record) {
  const notDrawn = questionnaire?.notDrawn ?? [];
  if (!questionnaire?.isConditional) return new Set(notDrawn);
  const names = new Map((record.attachments ?? []).map(({ questionId, name }) => [questionId, name]));
  const answers = new Map();
  for (const { questionId, answer } of record.answers) if (!answers.has(questionId)) answers.set(questionId, answer);
  questionnaire.visibility ??= new rules.Visibility(questionnaire);
  const hidden = questionnaire.visibility.hidden(id => {
    const given = answers.get(id);
    return rules.isBlank(given) ? names.get(id) : given;
  });
  for (const id of notDrawn) hidden.add(id);
  return hidden;
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
  if (isStructured(question)) {
    const found = structureFault(question, answer.answer);
    if (found) return found;
  }
  let codes = [];
  // A constraint of another form than ours limits nothing.
  try { codes = rules.violations(question.constraint ?? {}, value); } catch { /* The host says so to the author. */ }
  return codes.length ? question.constraintMessage ?? words.violation(codes[0], question.constraint) : '';
}

// What is wrong with an order, with rows or gaps, or missing there.
function structureFault(question, answer) {
  if (ownText(question, answer) !== undefined) return '';
  if (question.kind === 'ranking') {
    const { own, rest } = ranking(question, answer);
    return own.length ? words.notOption(own[0]) : rest.length ? words.unranked(rest.map(place => label(question, question.options[place]))) : '';
  }
  const missing = [];
  for (const part of parts(question)) {
    const given = partOf(answer, part.id);
    const found = fault(part, given === undefined ? undefined : { answer: given });
    if (found) return question.kind === 'gaps' ? words.gapFault(part.id, found) : `${part.text.slice(0, 60)}: ${found}`;
    if (rules.isBlank(given)) missing.push(part.text);
  }
  return question.required && missing.length ? words.stillMissing(question.kind, missing) : '';
}
