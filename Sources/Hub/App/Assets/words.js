// What the app says, in English and Russian. A test's states have the words that they have everywhere in Quire.
import * as numbers from './numbers.js';

const table = {
  library: ['Library', 'Библиотека'], outbox: ['Outbox', 'Исходящие'], results: ['Results', 'Результаты'],
  settings: ['Settings', 'Настройки'], menu: ['Main menu', 'Главное меню'], skip: ['Skip to the content', 'Перейти к содержимому'],
  footer: ['Everything is kept in this browser and sent when there is a connection.',
    'Всё хранится в этом браузере и отправляется, когда есть связь.'],
  online: ['Online', 'В сети'], hub: ['Hub only', 'Только узел'], offline: ['Offline', 'Нет сети'],
  hubWhy: ['the server is unavailable', 'сервер недоступен'], syncNow: ['Sync now', 'Синхронизировать'],
  search: ['Search in titles and questions', 'Поиск по названиям и вопросам'], nothingFound: ['Nothing found.', 'Ничего не найдено.'],
  noList: ['The library has not been downloaded yet. It will be as soon as there is a connection.', 'Библиотека ещё не загружена. Она загрузится, как только появится связь.'],
  noTests: ['The library is empty.', 'В библиотеке нет анкет.'], more: ['Show more', 'Показать ещё'],
  here: ['on this device', 'на этом устройстве'], away: ['not on this device', 'нет на этом устройстве'],
  newer: ['newer version available', 'есть новая версия'], draft: ['draft in progress', 'есть черновик'],
  keepAll: ['Keep all on this device', 'Сохранить всё на устройстве'],
  keptAll: ['The entire library is on this device now.', 'Теперь вся библиотека на этом устройстве.'],
  keptSome: ['Not everything could be fetched. Try again when the connection is better.', 'Загружено не всё. Повторите, когда связь будет лучше.'],
  notHere: ['This questionnaire is not on this device. It can be opened when there is a connection.', 'Этой анкеты нет на устройстве. Её можно открыть, когда будет связь.'],
  unlisted: ['The server no longer lists it. It stays here until the server confirms that it was removed.', 'В списке сервера её больше нет. Анкета останется здесь, пока сервер не подтвердит удаление.'],
  gone: ['This questionnaire is no longer in the library. You can still finish what you started.', 'Этой анкеты больше нет в библиотеке. Начатый тест можно закончить.'],
  newerThere: ['There is a newer version of this questionnaire. This test keeps the version it was started with.', 'Есть новая версия анкеты. Этот тест остаётся в той, с которой начат.'],
  fetching: ['Loading…', 'Загружается…'], unreadable: ['This questionnaire cannot be read:', 'Эту анкету не удалось прочитать:'],
  begin: ['Start', 'Начать'], beginAnother: ['Start another', 'Пройти ещё раз'], goOn: ['Continue', 'Продолжить'],
  yourTests: ['Your tests', 'Ваши тесты'], aNumber: ['A number, such as 42 or −1.5', 'Число, например 42 или −1,5'],
  allQuestions: ['All questions', 'Все вопросы'], chooseSeveral: ['Choose any number of them', 'Выберите один или несколько вариантов'],
  clear: ['Clear answer', 'Очистить ответ'], next: ['Next', 'Дальше'], previous: ['Back', 'Назад'],
  onOnePage: ['All on one page', 'Все на одной странице'], oneAtATime: ['One at a time', 'По одному вопросу'],
  leave: ['Save and exit', 'Сохранить и выйти'], required: ['An answer is required', 'Обязательный вопрос'],
  review: ['Review', 'Проверить ответы'], saving: ['Saving…', 'Сохраняется…'],
  notSaved: ['Not saved: the browser could not store it. What you typed stays on the screen; do not close it. Free some space.',
    'Не сохранено: браузер не смог это записать. Введённое остаётся на экране, не закрывайте его. Освободите место.'],
  notChanged: ['Nothing was changed: the browser could not store it.', 'Ничего не изменено: браузер не смог это записать.'],
  elsewhere: ['This answer was changed elsewhere:', 'Этот ответ изменили в другом месте:'],
  undecided: ['Not saved yet: choose one of the two answers.', 'Ещё не сохранено: выберите один из двух ответов.'],
  notBegun: ['The test was not started: the browser could not store it. Free some space, then try again.',
    'Тест не начат: браузер не смог его записать. Освободите место и повторите.'],
  draftSure: ['Discard this draft? Its answers will be removed from this browser for good, and not sent.', 'Убрать этот черновик? Его ответы исчезнут из этого браузера навсегда и не будут отправлены.'],
  ownAnswer: ['Your answer. It is not among the options of this version.', 'Ваш ответ. В этой версии такого варианта нет.'],
  storedAs: ['Saved as %', 'Сохранено как %'],
  keepMine: ['Keep mine', 'Оставить моё'], takeTheirs: ['Use that answer', 'Взять тот ответ'],
  updateTitle: ['A newer version', 'Новая версия'], seeUpdate: ['What changes?', 'Что изменится?'], lookAt: ['Please check', 'Проверьте'],
  staysBehind: ['Not carried over', 'Не переносится'], moveToNewest: ['Continue in the newer version', 'Продолжить в новой версии'],
  newestAlready: ['This draft already has the newest version.', 'Черновик уже в самой новой версии.'],
  updateAbout: ['This makes a new draft. The old draft stays in the outbox with all its answers until you discard it.',
    'Появится новый черновик. Старый останется в исходящих со всеми ответами, пока вы его не уберёте.'],
  noQuestion: ['the question was removed', 'такого вопроса больше нет'], otherQuestion: ['it is a different question now', 'теперь это другой вопрос'],
  otherKind: ['it is answered differently now', 'теперь на него отвечают иначе'], noOption: ['this option was removed', 'такого варианта больше нет'],
  late: ['time limit exceeded', 'превышен лимит времени'],
  timeIsOver: ['The time is over. Your answers are saved, and you can still finish.', 'Время вышло. Ответы сохранены, тест ещё можно закончить.'],
  reviewTitle: ['Review your answers', 'Проверьте ответы'], backToTest: ['Back to the questions', 'Назад к вопросам'],
  answerMissing: ['Go to unanswered questions', 'К вопросам без ответа'], notAnswered: ['Not answered', 'Нет ответа'],
  change: ['Change', 'Изменить'], missing: ['Not on this device', 'Нет на этом устройстве'], attachment: ['Attachment', 'Вложение'],
  files: ['Photos and files', 'Фото и файлы'], chooseFiles: ['A photo, a recording or another file', 'Фото, запись или другой файл'],
  removeFile: ['Remove', 'Удалить'], goesWithTest: ['goes with the test', 'уйдёт с тестом'],
  bytesLost: ['the browser no longer has it', 'его больше нет в браузере'],
  dropSure: ['Remove this file? The server did not accept it; it is removed from this browser for good.', 'Удалить этот файл? Сервер его не принял; из этого браузера он исчезнет навсегда.'],
  outdated: ['A newer version of the app is open in another tab. Copy what is not saved, then reload this page.', 'В другой вкладке открыта новая версия приложения. Скопируйте несохранённое и перезагрузите страницу.'],
  blocked: ['Close the other windows of this app: they run an older version.', 'Закройте другие окна этого приложения: в них старая версия.'],
  copyFiles: ['The copy has the answers. The files are below; save each of them.', 'В копии ответы. Файлы ниже: сохраните каждый.'],
  fileNotSaved: ['The browser could not store this file. Free some space, then choose it again.', 'Браузер не смог записать этот файл. Освободите место и выберите его снова.'],
  send: ['Send', 'Отправить'], sendToHub: ['Send to the hub', 'Отправить на узел'],
  sendLater: ['Save, send when connected', 'Сохранить, отправить при подключении'],
  sendMeans: ['You cannot change the answers after that. They are sent at once, and kept here until the server has them.',
    'После этого ответы нельзя изменить. Они отправятся сразу и останутся здесь, пока их не получит сервер.'],
  sendToHubMeans: ['The server is unavailable. The hub keeps the answers and delivers them later. They stay here, too, until the server has them.',
    'Сервер недоступен. Узел сохранит ответы и передаст их дальше; здесь они тоже останутся, пока их не получит сервер.'],
  sendLaterMeans: ['You are offline. The answers are kept in this browser and sent when there is a connection and the app is open.',
    'Связи нет. Ответы останутся в этом браузере и отправятся, когда она появится, если приложение открыто.'],
  tooLong: ['The answers together are longer than the 4 MiB that can be sent. Shorten some.', 'Ответы вместе длиннее 4 МиБ, которые можно отправить. Сократите их.'],
  nothingWaits: ['Nothing is waiting: everything has been delivered.', 'Ничего не ждёт отправки: всё доставлено.'],
  noResults: ['No tests have been delivered yet.', 'Доставленных тестов пока нет.'], toLibrary: ['To the library', 'В библиотеку'],
  retryAll: ['Try all again now', 'Повторить всё сейчас'], retryNow: ['Try again now', 'Повторить сейчас'], copy: ['Save a copy', 'Сохранить копию'], discard: ['Discard…', 'Убрать…'],
  discardSure: ['Discard this test? It will be removed from this browser for good, and not sent from here.', 'Убрать этот тест? Он исчезнет из этого браузера навсегда и отсюда не будет отправлен.'],
  discardKept: ['The hub already has it and will still deliver it.', 'Он уже есть на узле, и узел всё равно передаст его дальше.'],
  rating: ['Rating', 'Оценка'], yourAnswers: ['Your answers', 'Ваши ответы'], right: ['Correct', 'Верно'], wrong: ['Incorrect', 'Неверно'],
  byKey: ['By the answer key', 'По ключу ответов'], proof: ['Proof of delivery', 'Подтверждение доставки'],
  history: ['History', 'История'], begun: ['Started', 'Начат'], finished: ['Finished', 'Закончен'],
  storedAt: ['Received by the server', 'Получен сервером'], keptAt: ['Kept at the hub', 'Сохранён на узле'], ratedAt: ['Rated', 'Проверен'],
  tries: ['Attempts', 'Попыток'], lastTry: ['Last attempt', 'Последняя попытка'], itsReason: ['Reason', 'Причина'],
  number: ['Number', 'Номер'], receiptFor: ['Receipt for', 'Квитанция выдана на'], digest: ['Checksum', 'Контрольная сумма'],
  nextDraft: ['Not finished yet.', 'Ещё не закончено.'],
  nextKept: ['The hub has it and will deliver it. You will see here when the server has it.', 'Узел получил его и передаст дальше. Когда он дойдёт до сервера, это будет видно здесь.'],
  nextWaits: ['It will be sent when there is a connection and the app is open.', 'Отправится, когда будет связь и приложение открыто.'],
  nextSoon: ['It will be sent in a moment.', 'Сейчас будет отправлено.'], nextRetry: ['It will be tried again.', 'Отправка повторится.'],
  nextSent: ['The server has it. The rating will appear here.', 'Сервер его получил. Оценка появится здесь.'],
  nextOpen: ['You decide: try again, save a copy, or discard it. Until then it stays here.', 'Решать вам: повторить, сохранить копию или убрать. До тех пор он останется здесь.'],
  cannotUse: ['the reply was not a receipt for this test; perhaps it came from a login page', 'ответ не был квитанцией на этот тест; возможно, ответила страница входа в сеть'],
  notTheServer: ['what answered was not the Quire server, but a login page, a proxy or another site', 'ответил не сервер Quire, а страница входа в сеть, прокси или другой сайт'],
  lost: ['The server no longer has it. You can send it again; it is never counted twice.', 'На сервере его больше нет. Его можно отправить снова; дважды он засчитан не будет.'],
  lostShort: ['No longer on the server', 'Больше нет на сервере'], savedLocally: ['Saved locally', 'Сохранено локально'],
  wantsToken: ['The server wants a token, which the hub must have (--token-file).', 'Сервер требует токен, который должен быть у узла (--token-file).'],
  noWay: ['the hub did not answer', 'узел не ответил'], language: ['Language', 'Язык'],
  storage: ['Where your data is stored', 'Где хранятся данные'],
  storageFirm: ['Your answers are kept in this browser until you remove them.', 'Ваши ответы хранятся в этом браузере, пока вы сами их не удалите.'],
  storageLoose: ['Your answers are kept in this browser, which may remove them when space is short or when you clear its data. Send them soon.',
    'Ваши ответы хранятся в этом браузере; он может удалить их, если кончится место или вы очистите его данные. Отправьте их поскорее.'],
  noWorker: ['This page was not opened over https, so the browser does not keep the app itself: it cannot be opened without the hub. As long as it stays open, answers are saved.',
    'Страница открыта не по https, поэтому браузер не хранит само приложение: без узла оно не откроется. Пока оно открыто, ответы сохраняются.'],
  worker: ['This browser keeps the app, so it opens without the hub. You can install it from the browser’s menu.', 'Браузер хранит приложение, поэтому оно открывается и без узла. Установить его можно через меню браузера.'],
  noStorage: ['This browser lets the app store nothing (a private window?), so no test can be taken here.', 'Браузер не даёт приложению ничего хранить (приватное окно?), поэтому тест здесь пройти нельзя.'],
  close: ['Close', 'Закрыть'], fullSize: ['Full size', 'Полный размер'], enlarge: ['Enlarge the picture', 'Увеличить изображение'],
  nothingHere: ['Page not found', 'Страница не найдена'], justNow: ['just now', 'только что'],
};

const known = ['en', 'ru'];
let chosen = null;
try { chosen = localStorage.getItem('quire.language'); } catch { /* the browser's own counts */ }
export let language = known.includes(chosen) ? chosen : (navigator.language ?? '').toLowerCase().startsWith('ru') ? 'ru' : 'en';

export function speak(code) {
  language = code;
  try { localStorage.setItem('quire.language', code); } catch { /* until the next start */ }
}
export const pick = (english, russian) => language === 'ru' ? russian : english;
export const say = key => pick(...table[key]);

function count(number, one, few, many) {
  const form = new Intl.PluralRules(language).select(number);
  return `${number} ${form === 'one' ? one : form === 'few' ? few : many}`;
}
export const questions = number => pick(count(number, 'question', 'questions', 'questions'), count(number, 'вопрос', 'вопроса', 'вопросов'));
export const answers = number => pick(count(number, 'answer', 'answers', 'answers'), count(number, 'ответ', 'ответа', 'ответов'));
export const fileCount = number => pick(count(number, 'file', 'files', 'files'), count(number, 'файл', 'файла', 'файлов'));
export const filesWait = number => pick(`${count(number, 'file is', 'files are', 'files are')} still to be sent`, `ещё не отправлено: ${fileCount(number)}`);
export const filesRefused = number => pick(`${count(number, 'file was', 'files were', 'files were')} not accepted`, `не принято: ${fileCount(number)}`);
export const filesGo = number => number ? ' ' + pick(`Its ${number === 1 ? 'file goes' : `${number} files go`}, too.`, number === 1 ? 'Исчезнет и его файл.' : `Исчезнут и его файлы (${number}).`) : '';
export const fileTooLate = (name, isThere) => isThere ? pick(`This test is finished already; “${name}” is not attached.`, `Этот тест уже закончен; «${name}» не приложен.`)
  : pick(`This draft was discarded; “${name}” is not attached.`, `Этот черновик убран; «${name}» не приложен.`);
// What our own servers say in English, by the last word of the problem's type; a bare status says the same to all.
const russian = new Map([
  ['digest-mismatch', 'данные дошли повреждёнными'], ['different-content', 'на сервере под этим номером лежит другое'],
  ['invalid-test', 'сервер не может прочитать этот тест'], ['test-unknown', 'сервер ещё не получил сам тест'],
  ['not-attached', 'в тесте такой файл не назван'], ['HTTP 413', 'это больше, чем принимает сервер'], ['HTTP 503', 'сервер занят'],
]);
export const reasonOf = ({ delivery: { reason, problem } }) => ['noWay', 'cannotUse', 'wantsToken', 'notTheServer', 'bytesLost'].includes(reason) ? say(reason)
  : language === 'ru' && !/[а-яё]/i.test(reason) && (russian.get(problem) ?? russian.get(reason)) || reason;
export const size = bytes => {
  const [unit, digits] = bytes < 1e6 ? [1e3, 'kB кБ'] : [1e6, 'MB МБ'];
  return bytes < 1000 ? `${bytes} ${pick('B', 'Б')}` : `${figure(bytes / unit)} ${digits.split(' ')[language === 'ru' ? 1 : 0]}`;
};
export const fileTooLong = (name, most) => pick(`“${name}” is longer than ${size(most)}, the most that the app takes. It is not attached.`,
  `«${name}» больше ${size(most)} — больше приложение не принимает. Файл не приложен.`);
export const fileUnreadable = name => pick(`The browser cannot read “${name}”. It is not attached.`, `Браузер не может прочитать «${name}». Файл не приложен.`);
export const filesAtMost = number => pick(`A test may have ${number} files. This one is not attached.`, `В тесте может быть не больше ${number} файлов. Этот не приложен.`);
export const found = (number, isSearch) => {
  const words = pick(count(number, 'questionnaire', 'questionnaires', 'questionnaires'), count(number, 'анкета', 'анкеты', 'анкет'));
  return isSearch ? pick(`Found: ${words}`, `Найдено: ${words}`) : words;
};
// A title that shows nothing to read or to click gives way to the id.
export const name = ({ title, id }) => title?.trim() ? title : id;
export const limit = seconds => {
  const [size, one, few] = seconds < 60 ? [1, 's', 'с'] : seconds < 3600 ? [60, 'min', 'мин'] : [3600, 'h', 'ч'];
  const span = figure(seconds / size);
  return pick(`${span} ${one} at most`, `не дольше ${span} ${few}`);
};
export const required = number => pick(`${number} required`, `обязательных: ${number}`);
export const place = (number, all) => pick(`Question ${number} of ${all}`, `Вопрос ${number} из ${all}`);
export const answered = (number, all) => pick(`${number} of ${all} answered`, `отвечено: ${number} из ${all}`);
export const mapLabel = (number, isAnswered) => pick(`Question ${number}, ${isAnswered ? 'answered' : 'not answered'}`,
  `Вопрос ${number}, ${isAnswered ? 'есть ответ' : 'нет ответа'}`);
export const gaps = number => number === 0 ? pick('Every question has an answer.', 'Ответы есть на все вопросы.')
  : pick(number === 1 ? '1 question has no answer:' : `${number} questions have no answer:`, `Без ответа ${count(number, 'вопрос', 'вопроса', 'вопросов')}:`);
// Why the browser's storage failed, as far as it tells.
const failure = error => error?.name === 'QuotaExceededError' ? pick('the storage is full', 'хранилище заполнено') : error?.name === 'TimeoutError' ? pick('the storage does not reply', 'хранилище не отвечает')
  : error?.name === 'DataError' ? pick('what it stored is damaged', 'сохранённое повреждено') : error?.name ?? '';
const withReason = (words, error) => failure(error) ? `${words} (${failure(error)})` : words;
export const notSaved = error => withReason(say('notSaved'), error);
export const notChanged = error => withReason(say('notChanged'), error);
export const fileNotSaved = error => withReason(say('fileNotSaved'), error);
export const stillNeeded = numbers => {
  const list = numbers.slice(0, 12).join(', ') + (numbers.length > 12 ? '…' : '');
  return numbers.length === 1 ? pick(`Question ${list} still needs an answer.`, `Нужен ответ на вопрос ${list}.`)
    : pick(`Questions ${list} still need an answer.`, `Нужны ответы на вопросы ${list}.`);
};
export const numberFault = text => {
  const [fraction, whole] = numbers.read(text).ambiguous ?? [];
  return whole ? pick(`“${text.slice(0, 40)}” may mean ${fraction} or ${whole}: write ${whole} or ${fraction}.`,
    `«${text.slice(0, 40)}» можно понять как ${fraction} или ${whole}: напишите ${whole} или ${fraction}.`) : noNumber(text);
};
const noNumber = text => pick(`“${text.slice(0, 40)}” is not a number. It is saved as you typed it, but must be a number before the test can be sent.`,
  `«${text.slice(0, 40)}» — не число. Ответ сохранён как есть, но отправить тест можно будет только с числом.`);
export const timeLeft = seconds => {
  if (seconds <= 0) return pick('time is over', 'время вышло');
  const two = number => String(number).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const time = hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
  return pick(`${time} left`, `осталось ${time}`);
};
export const carriedOver = (number, all) => number === all ? pick('All answers are carried over.', 'Переносятся все ответы.')
  : pick(`${number} of ${all} answers are carried over; the others stay in the old draft.`,
    `Переносится ответов: ${number} из ${all}; остальные остаются в старом черновике.`);
export const leftBehind = left => [pick('Not carried over from the old version:', 'Не перенесено из старой версии:'), ...left.map(({ question, answer }) => {
  const clipped = [...question.trim().replace(/\s+/g, ' ')].slice(0, 100).join(''), given = [answer.answer].flat().join(', ');
  return pick(`“${clipped}” – ${given}`, `«${clipped}» — ${given}`);
})].join('\n');
export const transferChange = ({ formerQuestion, question, formerAnswer, answer }) => [
  formerQuestion === undefined ? null : formerQuestion === question ? pick(`“${question}” shows another picture or sound.`, `«${question}»: другая картинка или звук.`)
    : pick(`The question was “${formerQuestion}” and is “${question}”.`, `Вопрос был «${formerQuestion}», стал «${question}».`),
  formerAnswer === undefined ? null : pick(`The answer was “${formerAnswer}” and is “${answer}”.`, `Ответ был «${formerAnswer}», стал «${answer}».`)].filter(Boolean);
// What the server says of the time that a test took.
export const late = taken => {
  if (!(taken?.limitSeconds > 0)) return pick('The time limit was exceeded.', 'Превышен лимит времени.');
  const exact = seconds => [[Math.floor(seconds / 3600), 'h', 'ч'], [Math.floor(seconds / 60) % 60, 'min', 'мин'], [seconds % 60, 's', 'с']]
    .filter(([number]) => number > 0).map(([number, english, russian]) => `${number} ${pick(english, russian)}`).join(' ') || pick('0 s', '0 с');
  const measure = { activeTime: ['time with the test open', 'время с открытым тестом'], serverClock: ["by the server's clock", 'по часам сервера'],
    deviceClock: ["by the device's clock", 'по часам устройства'] }[taken.measuredBy];
  const [limit, took] = [exact(taken.limitSeconds), exact(Math.ceil(taken.tookSeconds))], by = measure ? ` (${pick(...measure)})` : '';
  return pick(`The time limit of ${limit} was exceeded: it took ${took}${by}.`, `Превышен лимит времени ${limit}: ушло ${took}${by}.`);
};
export const ago = seconds => {
  if (seconds < 60) return say('justNow');
  const [unit, size] = seconds < 3600 ? ['minute', 60] : seconds < 86400 ? ['hour', 3600] : ['day', 86400];
  return new Intl.RelativeTimeFormat(language).format(-Math.floor(seconds / size), unit);
};
export const updated = seconds => pick(`Updated ${ago(seconds)}`, `Обновлено ${ago(seconds)}`);
export const moment = text => new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(text));
export const figure = number => new Intl.NumberFormat(language, { maximumFractionDigits: 1, useGrouping: false }).format(number);
export const score = evaluation => [figure(evaluation.score), pick('of ', 'из ') + figure(evaluation.maximum)];

// The states, as `TestStatus.words` has them.
export function state(test) {
  switch (test.status) {
    case 'done': return test.keptAt ? pick('Kept at the hub', 'Сохранено на узле') : pick('Saved locally, waiting to be sent', 'Сохранено локально, ждёт отправки');
    case 'sending': return pick('Sending…', 'Отправляется…');
    case 'sent': return pick('Sent', 'Отправлено');
    case 'checking': return pick('Being checked', 'На проверке');
    case 'rated': return pick('Rated', 'Проверено');
    case 'conflict': return pick('Changed elsewhere', 'Изменено в другом месте');
    case 'rejected': {
      const reason = test.delivery?.reason && reasonOf(test);
      return reason ? pick(`Not accepted: ${reason}`, `Не принято: ${reason}`) : pick('Not accepted', 'Не принято');
    }
    case 'empty': case 'in-progress': return pick('Draft, saved locally', 'Черновик, сохранён локально');
    default: return say('savedLocally');
  }
}
export const tone = status => ({ empty: 'draft', 'in-progress': 'draft', done: 'busy', sending: 'busy', sent: 'calm', checking: 'calm', rated: 'good' })[status] ?? 'bad';
