import Model

/// The fixed texts of the page. Templates name them as `{{w.key}}`.
enum Words {
    enum Key: String, CaseIterable {
        case aNumber, allQuestions, answerMissing, backToTest, begin, beginAnother, change, changedHere, chooseSeveral
        case clear, code, didNotWork, discard, discardAbout, discardTitle, discardYes, doorAbout, doorTitle, elsewhere
        case close, enlarge, fullSize, enter, enterAbout, enterOn, enterTitle, stepAbout, favorite, find, free, goOn,
            keep, keepMine, keptInBrowser, languageTitle, leave, library
        case navigation, next, nextPage, noResults, notAllowed, notAnswered, nothingHere, nothingWaits, notices
        case noticesAbout, noticesAllow, noticesOff, noticesOn, onOnePage, oneAtATime, otherVersion, outbox, pages
        case previous, previousPage, pull, quota, quotaAbout, quotaExample, rating, remote, remoteAbout, remoteLabel,
            required
        case results, retryNow, review, reviewTitle, save, savedLocally, saving, search, sendNow, sending, serverAway
        case serverBack, settings, skip, sortedBy, space, store, storeAbout, syncNow, takeTheirs, timeIsOver, toLibrary
        case wrongCode, yourAnswers, yourTests
        case attach, chooseFiles, noFiles, removeFile
        case atMost, cutShort, fileCut, finishedElsewhere, forget, leftOver, notKept, notRunning, questionNumber
        case alsoTyped, notShown, ownAnswer, storedAs, useThis
        case reviewChanged, testGone, undecided, unsavedAnswers, unsavedSaved
        case allChanges, lookAt, moveToNewest, newestAlready, seeUpdate, staysBehind, updateAbout, updateTitle
    }

    /// All of them, for a template.
    static func all(_ language: Language) -> [String: String] { language == .russian ? russian : english }

    private static let english = table(.english)
    private static let russian = table(.russian)

    private static func table(_ language: Language) -> [String: String] {
        Dictionary(uniqueKeysWithValues: Key.allCases.map { ($0.rawValue, text($0, language)) })
    }

    static func text(_ key: Key, _ language: Language) -> String {
        let pair = pair(key)
        return language.pick(pair.0, pair.1)
    }

    private static func pair(_ key: Key) -> (String, String) {
        switch key {
        case .navigation, .library, .find, .search, .sortedBy, .pages, .previousPage, .nextPage, .pull, .favorite,
            .skip, .syncNow, .serverAway, .serverBack, .notRunning, .toLibrary, .nothingHere, .didNotWork, .notAllowed:
            frame(key)
        case .begin, .beginAnother, .goOn, .yourTests, .aNumber, .allQuestions, .chooseSeveral, .clear, .next,
            .previous,
            .onOnePage, .oneAtATime, .leave, .required, .review, .savedLocally, .saving, .keptInBrowser, .elsewhere,
            .keepMine, .takeTheirs, .changedHere, .timeIsOver, .reviewTitle, .backToTest, .answerMissing, .notAnswered,
            .change, .attach, .chooseFiles, .noFiles, .removeFile:
            test(key)
        case .atMost, .cutShort, .fileCut, .finishedElsewhere, .forget, .leftOver, .notKept, .questionNumber,
            .reviewChanged, .testGone, .undecided, .unsavedAnswers, .unsavedSaved, .alsoTyped, .notShown, .ownAnswer,
            .storedAs, .useThis:
            unsaved(key)
        case .allChanges, .lookAt, .moveToNewest, .newestAlready, .seeUpdate, .staysBehind, .updateAbout, .updateTitle:
            update(key)
        default: rest(key)
        }
    }

    private static func frame(_ key: Key) -> (String, String) {
        switch key {
        case .navigation: ("Main menu", "Главное меню")
        case .library: ("Library", "Библиотека")
        case .find: ("Find", "Найти")
        case .search: ("Search in titles and questions", "Поиск по названиям и вопросам")
        case .sortedBy: ("Sorted by", "Порядок")
        case .pages: ("Pages", "Страницы")
        case .previousPage: ("Previous page", "Предыдущая страница")
        case .nextPage: ("Next page", "Следующая страница")
        case .pull: ("Look for new ones", "Проверить новые")
        case .favorite: ("Favourite", "Избранное")
        case .skip: ("Skip to the content", "К содержанию")
        case .syncNow: ("Sync now", "Синхронизировать")
        case .serverAway:
            (
                "The page’s program is not running. What you type is kept in this browser and saved when it is back.",
                "Программа страницы не запущена. Введённое хранится в этом браузере и сохранится, когда она вернётся."
            )
        case .notRunning: ("The page’s program is not running", "Программа страницы не запущена")
        case .serverBack: ("The page’s program is back.", "Программа страницы снова работает.")
        case .toLibrary: ("To the library", "В библиотеку")
        case .nothingHere: ("Nothing here", "Здесь ничего нет")
        case .didNotWork: ("That did not work", "Не получилось")
        default: ("Not allowed", "Нельзя")
        }
    }

    private static func test(_ key: Key) -> (String, String) {
        switch key {
        case .begin: ("Begin", "Начать")
        case .beginAnother: ("Begin another", "Начать ещё один")
        case .goOn: ("Go on", "Продолжить")
        case .yourTests: ("Your tests", "Ваши тесты")
        case .aNumber: ("A number, such as 42 or −1.5", "Число, например 42 или −1,5")
        case .allQuestions: ("All questions", "Все вопросы")
        case .chooseSeveral: ("Choose any number of them", "Выберите один или несколько вариантов")
        case .clear: ("Take the answer away", "Убрать ответ")
        case .next: ("Next", "Дальше")
        case .previous: ("Back", "Назад")
        case .onOnePage: ("All on one page", "Все на одной странице")
        case .oneAtATime: ("One at a time", "По одному вопросу")
        case .leave: ("Leave, go on later", "Выйти, продолжить потом")
        case .required: ("An answer is required", "Обязательный вопрос")
        case .review: ("Review", "К проверке")
        case .savedLocally: (Language.english.savedLocally, Language.russian.savedLocally)
        case .saving: ("Saving…", "Сохраняется…")
        case .keptInBrowser:
            ("Kept in this browser, not saved yet", "Хранится в этом браузере, ещё не сохранено")
        case .elsewhere:
            ("Meanwhile this was answered elsewhere:", "Тем временем на это ответили в другом месте:")
        case .keepMine: ("Keep mine", "Оставить моё")
        case .takeTheirs: ("Take that", "Взять тот ответ")
        case .changedHere: ("Changed in another window.", "Изменено в другом окне.")
        case .timeIsOver:
            (
                "The time is over. Your answers are saved, and you can still finish.",
                "Время вышло. Ответы сохранены, тест ещё можно закончить."
            )
        case .reviewTitle: ("Before it is sent", "Перед отправкой")
        case .backToTest: ("Back to the questions", "Назад к вопросам")
        case .answerMissing: ("Answer what is missing", "Ответить на пропущенное")
        case .notAnswered: ("Not answered", "Нет ответа")
        case .attach: ("Attach", "Приложить")
        case .chooseFiles: ("A photo, a recording or another file", "Фото, запись или другой файл")
        case .noFiles: ("Nothing is attached to this answer.", "К этому ответу ничего не приложено.")
        case .removeFile: ("Take away", "Убрать")
        default: ("Change", "Изменить")
        }
    }

    /// Of a draft and a newer version of its questionnaire.
    private static func update(_ key: Key) -> (String, String) {
        switch key {
        case .allChanges: ("All changes of the questionnaire", "Все изменения теста")
        case .lookAt: ("Please check", "Проверьте")
        case .moveToNewest: ("Continue in the newer version", "Продолжить в новой версии")
        case .newestAlready: ("The draft has the newest version.", "У черновика самая новая версия.")
        case .seeUpdate: ("What changes?", "Что изменится?")
        case .staysBehind: ("Not carried over", "Не переносится")
        case .updateAbout:
            (
                "A new draft is made. The draft of the former version stays in the outbox with all its answers until you "
                    + "discard it.",
                "Появится новый черновик. Черновик прежней версии останется в исходящих со всеми ответами, пока вы его не "
                    + "уберёте."
            )
        default: ("A newer version", "Новая версия")
        }
    }

    /// Of what is not saved, or not sent, and why.
    private static func unsaved(_ key: Key) -> (String, String) {
        switch key {
        case .alsoTyped:
            ("Typed in another window, not saved yet:", "Введено в другом окне, ещё не сохранено:")
        case .notShown:
            (
                "This form did not show your saved answer, for example after the browser’s Back button. Nothing was "
                    + "changed; the saved answer is shown now.",
                "Форма показывала не то, что сохранено, например после кнопки «Назад» браузера. Ничего не изменено; "
                    + "сейчас показан сохранённый ответ."
            )
        case .ownAnswer:
            (
                "Your answer. It is not among the options of this version.",
                "Ваш ответ. В этой версии такого варианта нет."
            )
        case .storedAs: ("Saved as %", "Сохранено как %")
        case .useThis: ("Use this", "Взять этот ответ")
        case .atMost: ("At most 100 000 characters.", "Не больше 100 000 знаков.")
        case .cutShort:
            (
                "An answer has at most 100 000 characters: what is beyond that was not taken.",
                "В ответе не больше 100 000 знаков: что сверх того, не принято."
            )
        case .fileCut:
            (
                "The page’s program went away before it had the whole file, so the file is not kept. Choose it again when "
                    + "the program is back.",
                "Программа страницы остановилась раньше, чем получила весь файл, поэтому он не сохранён. Выберите его снова, "
                    + "когда она вернётся."
            )
        case .finishedElsewhere:
            (
                "This test was finished in another window or program, so this answer is not part of it.",
                "Этот тест закончили в другом окне или другой программе, поэтому этот ответ в него не вошёл."
            )
        case .forget: ("Remove from this browser", "Убрать из этого браузера")
        case .leftOver:
            (
                "This was typed in this browser, and is not part of the test, which was finished before:",
                "Это введено в этом браузере и не вошло в тест: он был закончен раньше:"
            )
        case .notKept:
            (
                "Not saved, and this browser has no room to keep it: do not close this page",
                "Не сохранено, и в этом браузере для этого нет места: не закрывайте страницу"
            )
        case .questionNumber: ("Question %", "Вопрос %")
        case .reviewChanged:
            (
                "The answers changed meanwhile, so nothing was sent. Look at them once more.",
                "Тем временем ответы изменились, поэтому ничего не отправлено. Проверьте их ещё раз."
            )
        case .testGone:
            (
                "This is not on this device any more: it was discarded.",
                "Этого больше нет на этом устройстве: это убрали."
            )
        case .undecided:
            ("Not saved yet: choose one of the two answers", "Ещё не сохранено: выберите один из двух ответов")
        case .unsavedAnswers:
            (
                "Typed in this browser and not saved yet, so it would not be sent:",
                "Введено в этом браузере и ещё не сохранено, поэтому не было бы отправлено:"
            )
        default:
            (
                "What this browser had kept is saved now. Look at the answers once more.",
                "То, что хранил этот браузер, теперь сохранено. Проверьте ответы ещё раз."
            )
        }
    }

    private static func rest(_ key: Key) -> (String, String) {
        switch key {
        case .outbox: ("Outbox", "Исходящие")
        case .nothingWaits: ("Nothing waits here: all is delivered.", "Здесь ничего не ждёт: всё доставлено.")
        case .sendNow: ("Send now", "Отправить сейчас")
        case .sending: (TestStatus.sending.words(.english), TestStatus.sending.words(.russian))
        case .retryNow: ("Try again now", "Повторить сейчас")
        case .discard: ("Discard…", "Убрать…")
        case .discardTitle: ("Discard this test?", "Убрать этот тест?")
        case .discardAbout:
            (
                "It will not be sent from here. Its file is moved to the store’s quarantine and is not deleted.",
                "Отсюда он не будет отправлен. Его файл переместится в карантин хранилища и не будет удалён."
            )
        case .discardYes: ("Discard", "Убрать")
        case .keep: ("Keep it", "Оставить")
        case .results: ("Results", "Результаты")
        case .noResults: ("No test was delivered yet.", "Пока не доставлено ни одного теста.")
        case .rating: ("Rating", "Оценка")
        case .yourAnswers: ("Your answers", "Ваши ответы")
        case .otherVersion: ("The other version:", "Другая версия:")
        case .settings: ("Settings", "Настройки")
        case .remote: ("Server", "Сервер")
        case .remoteAbout:
            (
                "Questionnaires come from here, and answers go here. What waits goes to the new one.",
                "Отсюда приходят тесты, сюда уходят ответы. То, что ждёт, уйдёт на новый сервер."
            )
        case .remoteLabel: ("Address", "Адрес")
        case .save: ("Save", "Сохранить")
        case .space: ("Space", "Место")
        case .free: ("Free", "Свободно")
        case .quota: ("Limit", "Предел")
        case .quotaAbout:
            (
                "Such as 200 MB; empty for no limit. Your answers are never counted, and never removed.",
                "Например, 200 МБ; пусто — без предела. Ваши ответы не учитываются и никогда не удаляются."
            )
        case .quotaExample: ("200 MB", "200 МБ")
        case .languageTitle: ("Language", "Язык")
        case .notices: ("Notices", "Уведомления")
        case .noticesAbout:
            (
                "A notice of the system when a test was sent or rated, also while you look elsewhere.",
                "Уведомление системы, когда тест отправлен или проверен, даже если вы смотрите в другое окно."
            )
        case .noticesAllow: ("Allow notices", "Разрешить уведомления")
        case .noticesOn: ("Notices are on.", "Уведомления включены.")
        case .noticesOff:
            (
                "This browser does not allow them: change that in its own settings.",
                "Браузер их не разрешает: это меняется в его настройках."
            )
        case .store: ("Where it lies", "Где это лежит")
        case .storeAbout:
            ("Plain files that you may read, copy and back up.", "Обычные файлы: их можно читать и копировать.")
        case .doorTitle: ("Enter your access code", "Введите код доступа")
        case .enterTitle: ("Open Quire", "Открыть Quire")
        case .enterAbout:
            (
                "This address gives one browser access to the tests on this device. Continue if this is your browser.",
                "Этот адрес даёт одному браузеру доступ к тестам на этом устройстве. Продолжите, если это ваш браузер."
            )
        case .enterOn: ("Continue", "Продолжить")
        case .enlarge: ("Enlarge the picture", "Увеличить изображение")
        case .fullSize: ("Full size", "Полный размер")
        case .close: ("Close", "Закрыть")
        case .stepAbout:
            ("You followed a link from another site.", "Вы перешли по ссылке с другого сайта.")
        case .doorAbout:
            (
                "This page belongs to whoever started it. Open the address that “quire serve” printed, or enter its code. "
                    + "Each code lets one browser in.",
                "Эта страница принадлежит тому, кто её запустил. Откройте адрес, который напечатал «quire serve», или "
                    + "введите его код. Один код впускает один браузер."
            )
        case .code: ("Code", "Код")
        case .enter: ("Enter", "Войти")
        default:
            (
                "That is not the code, or it was used already. A new one is where “quire serve” runs.",
                "Это не тот код, или он уже использован. Новый — там, где запущен «quire serve»."
            )
        }
    }
}
