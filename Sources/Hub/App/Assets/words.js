// The app's texts. The English texts are the keys of `catalogs`, the texts of every other language, which the hub puts before this
// text (docs/architecture.md). A test's states have the words that they have everywhere in Quire.
import * as numbers from './numbers.js';

const table = {
  library: 'Library', outbox: 'Outbox', results: 'Results',
  settings: 'Settings', menu: 'Main menu', skip: 'Skip to the content',
  footer: 'Everything is kept in this browser and sent when there is a connection.',
  online: 'Online', hub: 'Hub only', offline: 'Offline',
  hubWhy: 'the server is unavailable', syncNow: 'Sync now',
  search: 'Search in titles and questions', nothingFound: 'Nothing found.',
  noList: 'The library has not been downloaded yet. It will be as soon as there is a connection.',
  noTests: 'The library is empty.', more: 'Show more',
  here: 'on this device', away: 'not on this device',
  newer: 'newer version available', draft: 'draft in progress',
  keepAll: 'Keep all on this device',
  keptAll: 'The entire library is on this device now.',
  keptSome: 'Not everything could be fetched. Try again when the connection is better.',
  notHere: 'This questionnaire is not on this device. It can be opened when there is a connection.',
  unlisted: 'The server no longer lists it. It stays here until the server confirms that it was removed.',
  gone: 'This questionnaire is no longer in the library. You can still finish what you started.',
  newerThere: 'There is a newer version of this questionnaire. This test keeps the version it was started with.',
  fetching: 'Loading…', unreadable: 'This questionnaire cannot be read:',
  begin: 'Start', beginAnother: 'Start another', goOn: 'Continue',
  yourTests: 'Your tests', versionsOfTest: 'Versions of this test', firstVersion: 'first version', aNumber: 'A number, such as 42 or −1.5',
  allQuestions: 'All questions', chooseSeveral: 'Choose any number of them',
  clear: 'Clear answer', next: 'Next', previous: 'Back',
  onOnePage: 'All on one page', oneAtATime: 'One at a time',
  leave: 'Save and exit', required: 'An answer is required',
  review: 'Review', saving: 'Saving…',
  notSaved: 'Not saved: the browser could not store it. What you typed stays on the screen; do not close it. Free some space.',
  notChanged: 'Nothing was changed: the browser could not store it.',
  elsewhere: 'This answer was changed elsewhere:',
  undecided: 'Not saved yet: choose one of the two answers.',
  notBegun: 'The test was not started: the browser could not store it. Free some space, then try again.',
  draftSure: 'Discard this draft? Its answers will be removed from this browser for good, and not sent.',
  otherAnswer: 'Other answer',
  ownAnswer: 'Your answer. It is not among the options of this version.',
  storedAs: 'Saved as %', material: 'Material for these questions', allOptions: 'All options', yourAnswer: 'your answer',
  passed: 'Passed', notPassed: 'Not passed',
  keepMine: 'Keep mine', takeTheirs: 'Use that answer',
  updateTitle: 'A newer version', seeUpdate: 'What changes?', lookAt: 'Please check',
  staysBehind: 'Not carried over', moveToNewest: 'Continue in the newer version',
  newestAlready: 'This draft already has the newest version.',
  updateAbout: 'This makes a new draft. The old draft stays in the outbox with all its answers until you discard it.',
  noQuestion: 'the question was removed', otherQuestion: 'it is a different question now',
  otherKind: 'it is answered differently now', noOption: 'this option was removed',
  late: 'time limit exceeded',
  endedByTimeLimit: 'The time is over: the test is handed in as it was.',
  timeIsOver: 'The time is over. Your answers are saved, and you can still finish.',
  reviewTitle: 'Review your answers', backToTest: 'Back to the questions',
  answerMissing: 'Go to unanswered questions', notAnswered: 'Not answered',
  change: 'Change', missing: 'Not on this device', attachment: 'Attachment',
  files: 'Photos and files', chooseFiles: 'A photo, a recording or another file',
  keepOrder: 'Keep this order', notOrdered: 'Not in order yet: move an option, or keep the order as it is.',
  ownWords: 'Answered in words. A new answer below takes its place.',
  useLocation: 'Use my location', latitude: 'Latitude', longitude: 'Longitude', locating: 'Finding the location…',
  coordinates: 'In degrees, such as 55.75 and 37.62. South and west are negative. Both may be pasted into the first field.',
  locationDenied: 'The browser does not share the location with this page. Allow it in the browser’s settings, or type the coordinates.',
  locationUnknown: 'The location was not found. Try again outdoors, or type the coordinates.',
  locationUnsafe: 'Browsers share the location only with pages opened over https or on the same device. Type the coordinates, for example from a map.',
  takePhoto: 'Take a photo', recordSound: 'Record sound',
  signHere: 'Draw your signature with a finger, a pen or the mouse.', keepSignature: 'Attach the signature', erase: 'Erase', signature: 'signature', orPicture: 'Or attach a picture of it',
  signatureNotKept: 'Not saved yet: attach the signature or erase it.',
  noFiles: 'No files are attached to this answer.', removeOne: 'Remove one to attach another.',
  removeFile: 'Remove', goesWithTest: 'goes with the test',
  bytesLost: 'the browser no longer has it',
  dropSure: 'Remove this file? The server did not accept it; it is removed from this browser for good.',
  outdated: 'A newer version of the app is open in another tab. Copy what is not saved, then reload this page.',
  blocked: 'Close the other windows of this app: they run an older version.',
  copyFiles: 'The copy has the answers. The files are below; save each of them.',
  fileNotSaved: 'The browser could not store this file. Free some space, then choose it again.',
  send: 'Send', sendToHub: 'Send to the hub',
  sendLater: 'Save, send when connected',
  sendMeans: 'You cannot change the answers after that. They are sent at once, and kept here until the server has them.',
  sendToHubMeans: 'The server is unavailable. The hub keeps the answers and delivers them later. They stay here, too, until the server has them.',
  sendLaterMeans: 'You are offline. The answers are kept in this browser and sent when there is a connection and the app is open.',
  tooLong: 'The answers together are longer than the 4 MiB that can be sent. Shorten some.',
  nothingWaits: 'Nothing is waiting: everything has been delivered.',
  noResults: 'No tests have been delivered yet.', toLibrary: 'To the library',
  retryAll: 'Try all again now', retryNow: 'Try again now', copy: 'Save a copy', discard: 'Discard…',
  discardSure: 'Discard this test? It will be removed from this browser for good, and not sent from here.',
  discardKept: 'The hub already has it and will still deliver it.',
  rating: 'Rating', yourAnswers: 'Your answers', right: 'Correct', wrong: 'Incorrect',
  returned: 'Returned to be corrected', correct: 'Correct the answers', ratingChanged: 'Rating changed',
  byKey: 'By the answer key', proof: 'Proof of delivery',
  history: 'History', begun: 'Started', finished: 'Finished',
  storedAt: 'Received by the server', keptAt: 'Kept at the hub | history', ratedAt: 'Rated | history',
  tries: 'Attempts', lastTry: 'Last attempt', itsReason: 'Reason',
  number: 'Number', receiptFor: 'Receipt for', digest: 'Checksum',
  nextDraft: 'Not finished yet.',
  nextKept: 'The hub has it and will deliver it. You will see here when the server has it.',
  nextWaits: 'It will be sent when there is a connection and the app is open.',
  nextSoon: 'It will be sent in a moment.', nextRetry: 'It will be tried again.',
  nextSent: 'The server has it. The rating will appear here.',
  nextOpen: 'You decide: try again, save a copy, or discard it. Until then it stays here.',
  cannotUse: 'the reply was not a receipt for this test; perhaps it came from a login page',
  notTheServer: 'what answered was not the Quire server, but a login page, a proxy or another site',
  lost: 'The server no longer has it. You can send it again; it is never counted twice.',
  lostShort: 'No longer on the server', savedLocally: 'Saved locally',
  wantsToken: 'The server wants a token, which the hub must have (--token-file).',
  noWay: 'the hub did not answer', language: 'Language',
  storage: 'Where your data is stored',
  storageFirm: 'Your answers are kept in this browser until you remove them.',
  storageLoose: 'Your answers are kept in this browser, which may remove them when space is short or when you clear its data. Send them soon.',
  noWorker: 'This page was not opened over https, so the browser does not keep the app itself: it cannot be opened without the hub. As long as it stays open, answers are saved.',
  unsafe: 'This page was not opened over https. Without it the app cannot be opened when the hub is away, drafts are not kept at the hub, no PIN can be set, and the location must be typed. Answers are saved and sent.',
  worker: 'This browser keeps the app, so it opens without the hub. You can install it from the browser’s menu.',
  noStorage: 'This browser lets the app store nothing (a private window?), so no test can be taken here.',
  close: 'Close', fullSize: 'Full size', enlarge: 'Enlarge the picture',
  comeBack: 'Come back later', questionLanguage: 'Language of the questions',
  legendAnswered: 'answered', legendOpen: 'not answered', legendFlagged: 'flagged', legendInvalid: 'must be corrected',
  nothingHere: 'Page not found', justNow: 'just now',
  whoTakes: 'Who is taking this?', whoIsHere: 'Who is here?', noOneHere: 'No one has said who they are.', switchPerson: 'Switch person',
  anotherPerson: 'Another person', othersTest: 'Another person\'s test', withoutName: 'Continue without a name', leaveDevice: 'Leave: no one is here',
  aboutPeople: 'Each person sees their own tests only, and tests without a person. What waits is sent no matter who is there.',
  classList: 'Class list', findPerson: 'Find by name, class or number', noOneMatches: 'No one on the class list matches.',
  personName: 'Name', personGroup: 'Class or group, if there is one', thisIsMe: 'This is me', badName: 'This name cannot be used: give another one.',
  severalNames: 'Several people have this name: choose one above, or give the class too.', listedOnly: 'Only people on the class list take tests here.',
  haveCode: 'Do you have a code?', cardCode: 'Code on your card', logIn: 'Log in with the code', noCode: 'That is no code: type the letters and digits on the card.',
  unknownCode: 'The server does not accept this code: check each character, or ask for a new card.', noCodes: 'The server knows no codes.',
  draftAtHub: 'copy at the hub', draftElsewhereShort: 'changed on another device', draftHandedInShort: 'handed in from another device', draftFull: 'no copy at the hub: too large, or no room',
  draftElsewhere: 'This draft was continued on another device too. Choose one of the two: only one can be handed in. The other one is kept on this phone until then.',
  keepDraft: 'Keep this draft', takeDraft: 'Take the other draft', hereAnswer: 'This phone', elsewhereAnswer: 'The other draft', noAnswerDiffers: 'No answer differs.',
  draftOtherAway: 'The other draft is at the hub, which cannot be reached now. Choose when its answers can be shown here.',
  noPersonYet: 'This test has no person: everybody on this device sees it.',
  draftAside: 'The other draft is kept here until the test is handed in',
  draftHandedIn: 'This test was handed in from another device, and that counts. Answers that you give here cannot be handed in any more.',
  sentElsewhere: 'It was handed in before with other answers, perhaps from another device. Those count; the answers below are kept here only.',
  draftsTitle: 'Drafts at the hub', draftsKept: 'Your drafts are also kept at the hub, encrypted with your code. If this browser loses its data, log in with the code to get them back.',
  draftsNoCode: 'Log in with the code on your card, and your drafts are also kept at the hub, encrypted with your code.',
  draftsRefused: 'The server does not accept your code any more, so your drafts are kept in this browser only. Log in with the code on your new card.',
  draftsUnsafe: 'This page was not opened over https, so the browser cannot encrypt. Drafts stay in this browser only; none is given to the hub.',
  codeAway: 'The server cannot be reached now, so the code cannot be checked.', proven: 'proven with a code',
  pinBadge: 'PIN', setPIN: 'Set a PIN', changePIN: 'Change or remove the PIN', savePIN: 'Save the PIN', removePIN: 'Remove the PIN',
  pinSaved: 'The PIN is set.', pinRemoved: 'The PIN is removed.', newPIN: 'New PIN, 4 to 12 digits', newPINAgain: 'The new PIN once more',
  pinNow: 'Your PIN now, or the code on your card', pinOrCode: 'PIN, or the code on your card',
  aboutPIN: 'A PIN protects what this person wrote on this device.',
  aboutOwnPIN: 'With a PIN no one else on this device sees your tests and results. What waits is sent all the same.',
  pinUnsafe: 'This page was not opened over https, so the browser cannot protect a PIN, and none can be set. Everyone who uses this phone can switch to you.',
  forgotPIN: 'Forgot the PIN?', codeOpens: 'Type the code on your card above: it opens your tests too.',
  logInOpens: 'With the code on your card you log in without the PIN:',
  teacherOpens: 'Without a card ask your teacher, who removes the PIN here with a teacher’s key. Your tests stay. This needs a connection to the server.',
  teacherKey: 'Teacher’s key',
};

// The English sentences of Quire's servers, by the last word of the problem's type; those of a bare status are everyone's.
const problems = new Map(Object.entries({
  'digest-mismatch': 'the data arrived damaged', 'different-content': 'the server has something else under this number',
  'invalid-test': 'the server cannot read this test', 'test-unknown': 'the server does not have the test itself yet',
  'not-attached': 'the test does not name this file', 'HTTP 413': 'it is larger than the server accepts', 'HTTP 503': 'the server is busy',
}));

export const languages = [['en', 'English'], ...Object.entries(catalogs).map(([code, catalog]) => [code, catalog[''].name])];
const known = code => languages.some(([one]) => one === code);
let chosen = null;
try { chosen = localStorage.getItem('quire.language'); } catch { /* the browser's own counts */ }
const native = (navigator.language ?? '').toLowerCase().split('-')[0];
export let language = [chosen, native].find(known) ?? 'en';

export function speak(code) {
  language = code;
  try { localStorage.setItem('quire.language', code); } catch { /* until the next start */ }
}
const fill = (text, values) => text.replace(/\{(\d)\}/g, (place, index) => values[index] ?? place);
// The part of a key after ` | ` distinguishes texts that are the same in English alone.
export const text = (key, ...values) => fill(catalogs[language]?.[key] ?? key.split(' | ')[0], values);
export const say = key => text(table[key]);
export function plural(number, one, other) {
  const found = catalogs[language]?.[other];
  const form = found?.[new Intl.PluralRules(language).select(number)] ?? found?.other;
  return fill(typeof found === 'string' ? found : form ?? (number === 1 ? one : other), [number]);
}
export const questions = number => plural(number, '1 question', '{0} questions');
export const answers = number => plural(number, '1 answer', '{0} answers');
export const fileCount = number => plural(number, '1 file', '{0} files');
export const filesWait = number => plural(number, '1 file is still to be sent', '{0} files are still to be sent');
export const filesRefused = number => plural(number, '1 file was not accepted', '{0} files were not accepted');
export const filesLost = names => text('These files did not come back with the draft: {0}. Attach them again.', quoted(names));
export const draftsBack = number => plural(number, '1 draft came back from the hub.', '{0} drafts came back from the hub.');
export const draftsLocked = number => plural(number, '1 draft at the hub was encrypted with another code of yours and cannot be opened.', '{0} drafts at the hub were encrypted with another code of yours and cannot be opened.');
export const moreDiffer = number => plural(number, '1 more answer differs.', '{0} more answers differ.');
export const filesGo = number => number ? ' ' + (number === 1 ? text('Its file goes, too.') : text('Its {0} files go, too.', number)) : '';
export const fileTooLate = (name, isThere) => isThere ? text('This test is finished already; “{0}” is not attached.', name)
  : text('This draft was discarded; “{0}” is not attached.', name);
const isTranslated = reason => [...reason].some(letter => letter > '\x7f' && /\p{L}/u.test(letter));
export const reasonOf = ({ delivery: { reason, problem } }) => {
  if (['noWay', 'cannotUse', 'wantsToken', 'notTheServer', 'bytesLost'].includes(reason)) return say(reason);
  const known = problems.get(problem) ?? problems.get(reason);
  return language !== 'en' && known && !isTranslated(reason) ? text(known) : reason;
};
export const size = bytes => {
  const units = text('B kB MB GB TB').split(' '), [unit, name] = bytes < 1e6 ? [1e3, units[1]] : [1e6, units[2]];
  return bytes < 1000 ? `${bytes} ${units[0]}` : `${figure(bytes / unit)} ${name}`;
};
export const fileTooLong = (name, most) => text('“{0}” is longer than {1}, the most that the app takes. It is not attached.', name, size(most));
export const fileUnreadable = name => text('The browser cannot read “{0}”. It is not attached.', name);
export const filesAtMost = number => text('A test may have {0} files. This one is not attached.', number);
export const entry = () => text('Entry');
export const instanceOf = (name, count) => text('{0} of {1}', name, count);
export const addInstance = name => text('Add: {0}', name);
export const removeInstance = name => text('Remove: {0}', name);
export const removeSure = name => text('Remove “{0}”? Its answers are removed from this device.', name);
export const moveWords = (way, name) => way === 'up' ? text('Move up: {0}', name) : text('Move down: {0}', name);
export const movedTo = (name, place, count) => text('{0}: {1} of {2}', name, place, count);
export const gapWords = (number, count) => text('Gap {0} of {1}', number, count);
const quoted = list => list.slice(0, 4).map(one => text('“{0}”', one.slice(0, 40))).join(', ') + (list.length > 4 ? '…' : '');
export const unranked = options => text('Not in the order yet: {0}.', quoted(options));
export const notOption = given => text('“{0}” is not one of the options, or has two places.', given.slice(0, 40));
export const stillMissing = (kind, names) => kind === 'gaps' ? text('Gaps still to be filled in: {0}.', quoted(names)) : text('Still to be answered: {0}.', quoted(names));
export const gapFault = (name, fault) => text('Gap {0}: {1}', name.slice(0, 40), fault);
export const accurateTo = meters => text('Accurate to {0} m', meters);
export const notLocation = given => text('“{0}” is no pair of coordinates like 55.75, 37.62.', given.slice(0, 40));
export const notOnEarth = () => text('A latitude is from -90 to 90 degrees, and a longitude from -180 to 180.');
export const fileOfOtherType = (name, accept) => text('“{0}” is not attached: files of these types are asked for: {1}.', name, accept);
export const atMostFiles = number => plural(number, 'At most 1 file.', 'At most {0} files.');
export const attachAtMost = number => plural(number, 'Attach at most 1 file.', 'Attach at most {0} files.');
export const attachAtLeast = number => plural(number, 'Attach at least 1 file.', 'Attach at least {0} files.');
export const found = (number, isSearch) => {
  const words = plural(number, '1 questionnaire', '{0} questionnaires');
  return isSearch ? text('Found: {0}', words) : words;
};
// A title that shows nothing to read or to click gives way to the id.
export const name = ({ title, id }) => title?.trim() ? title : id;
export const limit = seconds => {
  const [size, unit] = seconds < 60 ? [1, text('s')] : seconds < 3600 ? [60, text('min')] : [3600, text('h')];
  return text('{0} at most', `${figure(seconds / size)} ${unit}`);
};
export const required = number => text('{0} required', number);
export const place = (number, all) => text('Question {0} of {1}', number, all);
export const answered = (number, all) => text('{0} of {1} answered', number, all);
export const mapLabel = (number, isAnswered, isFlagged, isInvalid) => text('Question {0}, {1}', number, [isAnswered ? text('answered') : text('not answered'), isInvalid && text('must be corrected'), isFlagged && text('flagged')].filter(Boolean).join(', '));
export const flaggedAre = numbers => text('Flagged to come back to: {0}', numbers.join(', '));
export const gaps = number => number === 0 ? text('Every question has an answer.')
  : plural(number, '1 question has no answer:', '{0} questions have no answer:');
// Why the browser's storage failed, as far as it tells.
const failure = error => error?.name === 'QuotaExceededError' ? text('the storage is full') : error?.name === 'TimeoutError' ? text('the storage does not reply')
  : error?.name === 'DataError' ? text('what it stored is damaged') : error?.name ?? '';
const withReason = (words, error) => failure(error) ? `${words} (${failure(error)})` : words;
export const rightAnswer = answers => text('Right answer: {0}', answers.join(text(' or ')));
export const notSaved = error => withReason(say('notSaved'), error);
export const notChanged = error => withReason(say('notChanged'), error);
export const fileNotSaved = error => withReason(say('fileNotSaved'), error);
export const stillNeeded = numbers => {
  const list = numbers.slice(0, 12).join(', ') + (numbers.length > 12 ? '…' : '');
  return numbers.length === 1 ? text('Question {0} still needs an answer.', list) : text('Questions {0} still need an answer.', list);
};
// Yes and no in the language of a questionnaire.
export const truths = locale => ['Yes', 'No'].map(word => catalogs[(locale ?? '').toLowerCase().split(/[-_.@]/)[0]]?.[word] ?? word);
// Examples for the fields of dates and times.
export const momentWords = (kind, isLocal) => isLocal ? text('Date and time by this device’s clock') : ({ date: text('date like 2026-11-25'), time: text('time like 14:30'),
  dateTime: text('date with a time and offset like 2026-11-25T14:30+03:00') })[kind];
export const momentFault = (kind, given, ambiguous) => ambiguous
  ? text('“{0}” may mean {1}: write one of them.', given.slice(0, 40), ambiguous.join(text(' or ')))
  : text('“{0}” is no {1}.', given.slice(0, 40), momentWords(kind));
export const askedAsText = ([kind, rows], options) => [text('This program does not have this kind of question ({0}): answer in words.', kind.slice(0, 40)),
  rows.length > 0 && `${text('Rows')}: ${rows.join('; ')}.`, options.length > 0 && `${text('Options')}: ${options.join('; ')}.`].filter(Boolean).join(' ');
// The demands of constraints.
const limits = {
  number: 'Enter a number.', min: 'Enter at least {0}.', max: 'Enter at most {0}.', step: 'Enter a number in steps of {0}.',
  integer: 'Enter a whole number.', minLength: 'Write at least {0} characters.', maxLength: 'Write at most {0} characters.',
  pattern: 'The answer does not have the expected form.', minCount: 'Choose at least {0}.', maxCount: 'Choose at most {0}.',
  date: 'Enter a date or a time.', before: 'It must be before {0}.', after: 'It must be after {0}.',
};
export const violation = (code, constraint) => text(limits[code], String(constraint[code] ?? ''));
export const numberFault = given => {
  const [fraction, whole] = numbers.read(given).ambiguous ?? [];
  return whole ? text('“{0}” may mean {1} or {2}: write {3} or {4}.', given.slice(0, 40), fraction, whole, whole, fraction)
    : text('“{0}” is not a number. It is saved as you typed it, but must be a number before the test can be sent.', given.slice(0, 40));
};
export const timeWarning = seconds => seconds <= 60 ? text('Less than a minute left.') : text('Less than 5 minutes left.');
export const endsByItself = () => text('handed in by itself at the end of the time');
export const timeLeft = seconds => {
  if (seconds <= 0) return text('time is over');
  const two = number => String(number).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return text('{0} left', hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`);
};
export const carriedOver = (number, all) => number === all ? text('All answers are carried over.')
  : text('{0} of {1} answers are carried over; the others stay in the old draft.', number, all);
export const leftBehind = left => [text('Not carried over from the old version:'), ...left.map(({ question, answer }) =>
  text('“{0}” – {1}', [...question.trim().replace(/\s+/g, ' ')].slice(0, 100).join(''), [answer.answer].flat().join(', ')))].join('\n');
export const transferChange = ({ formerQuestion, question, formerAnswer, answer }) => [
  formerQuestion === undefined ? null : formerQuestion === question ? text('“{0}” shows another picture or sound.', question)
    : text('The question was “{0}” and is “{1}”.', formerQuestion, question),
  formerAnswer === undefined ? null : text('The answer was “{0}” and is “{1}”.', formerAnswer, answer)].filter(Boolean);
// What the server says of the time that a test took.
export const late = taken => {
  if (!(taken?.limitSeconds > 0)) return text('The time limit was exceeded.');
  const exact = seconds => [[Math.floor(seconds / 3600), text('h')], [Math.floor(seconds / 60) % 60, text('min')], [seconds % 60, text('s')]]
    .filter(([number]) => number > 0).map(([number, unit]) => `${number} ${unit}`).join(' ') || `0 ${text('s')}`;
  const measure = { activeTime: text('time with the test open'), serverClock: text('by the server\'s clock'), deviceClock: text('by the device\'s clock') }[taken.measuredBy];
  const [limit, took] = [exact(taken.limitSeconds), exact(Math.ceil(taken.tookSeconds))];
  return measure ? text('The time limit of {0} was exceeded: it took {1} ({2}).', limit, took, measure) : text('The time limit of {0} was exceeded: it took {1}.', limit, took);
};
export const ago = seconds => {
  if (seconds < 60) return say('justNow');
  const [unit, size] = seconds < 3600 ? ['minute', 60] : seconds < 86400 ? ['hour', 3600] : ['day', 86400];
  return new Intl.RelativeTimeFormat(language).format(-Math.floor(seconds / size), unit);
};
export const revision = earlier => earlier.length > 0 && text('revision {0}', earlier.length + 1);
export const ownedBy = name => text('It belongs to {0}', name);
export const belongsTo = (owner, current) => current ? text('This test belongs to {0}, and {1} is here now.', owner, current) : text('This test belongs to {0}.', owner);
// Why a PIN, or a teacher's key that is to remove one, was refused.
const pinFaults = {
  needed: 'Type your PIN.', wrong: 'This PIN is wrong.', wait: 'Too many wrong PINs.', invalid: 'A PIN has 4 to 12 digits.', differ: 'The two new PINs differ.',
  left: 'Nothing was changed: this person is no longer here. Switch to them first.',
  damaged: 'The PIN on this device is damaged. Ask the person who looks after the device to reset it.',
  noTeacherKey: 'This is not the key of a teacher.', keyAway: 'The server cannot be reached now, so the key cannot be checked.',
  noKeysHere: 'The server has no keys, so it knows no teacher. Use the code on a card.',
};
export const pinFault = ({ kind, seconds }) => text(pinFaults[kind]) + (seconds <= 0 ? '' : ' ' + (seconds < 120 ? text('The next try is in {0} s.', seconds) : text('The next try is in {0} min.', Math.ceil(seconds / 60))));
export const noPINNow = name => text('{0} has no PIN now.', name);
export const lockedWithPIN = name => text('Locked with a PIN: {0}', name);
export const continueAs = name => text('Continue as {0}', name);
export const peopleShown = (shown, all) => text('{0} of {1} people are shown: type more of the name.', shown, all);
// Why a test cannot begin, and what is said of one that can: as Swift's Availability+Words.
export const refusal = ({ kind, at, of }) => ({ opens: () => text('It opens at {0}: come back then.', moment(at)), closed: () => text('It was closed at {0}: ask your teacher.', moment(at)),
  noAttemptLeft: () => plural(of, 'You have handed it in already, and it may be handed in once: ask your teacher.', 'You have handed it in {0} times, and it may not be handed in again: ask your teacher.') })[kind]?.() ?? '';
export const availability = (limits, now, attempt) => !limits ? [] : [now < limits.opensAt && text('opens at {0}', moment(limits.opensAt)),
  limits.closesAt !== undefined && (now < limits.closesAt ? text('closes at {0}', moment(limits.closesAt)) : text('closed at {0}', moment(limits.closesAt))),
  now >= limits.closesAt && limits.late === 'mark' && text('late tests are marked'), limits.attempts > 0 && text('attempt {0} of {1}', Math.min(attempt, limits.attempts), limits.attempts)].filter(Boolean);
export const updated = seconds => text('Updated {0}', ago(seconds));
export const releasedAfter = time => text('More of the result is shown after {0}.', moment(time));
export const moment = text => new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(text));
export const figure = number => new Intl.NumberFormat(language, { maximumFractionDigits: 1, useGrouping: false }).format(number);
export const ratingChanged = ({ ratedAt }, former) => {
  const before = `${figure(former.score)} ${text('of')} ${figure(former.maximum)}`;
  return ratedAt ? text('The rating was changed {0}. Before, it was {1}.', moment(ratedAt), before) : text('The rating was changed. Before, it was {0}.', before);
};
export const returnedBy = name => text('Returned to be corrected by {0}', name);
export const score = evaluation => [figure(evaluation.score), text('of {0}', figure(evaluation.maximum))];

// The states, as `TestStatus.words` has them.
export function state(test) {
  switch (test.status) {
    case 'done': return test.keptAt ? text('Kept at the hub') : text('Saved locally, waiting to be sent');
    case 'sending': return text('Sending…');
    case 'sent': return text('Sent');
    case 'checking': return text('Being checked');
    case 'rated': return text('Rated');
    case 'conflict': return text('Changed elsewhere');
    case 'rejected': {
      const reason = test.delivery?.reason && reasonOf(test);
      return reason ? text('Not accepted: {0}', reason) : text('Not accepted');
    }
    case 'empty': case 'in-progress': return text('Draft, saved locally');
    default: return say('savedLocally');
  }
}
export const tone = status => ({ empty: 'draft', 'in-progress': 'draft', done: 'busy', sending: 'busy', sent: 'calm', checking: 'calm', rated: 'good' })[status] ?? 'bad';
