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
        case .find: ("Search", "Найти")
        case .search: ("Search in titles and questions", "Поиск по названиям и вопросам")
        case .sortedBy: ("Sorted by", "Порядок")
        case .pages: ("Pages", "Страницы")
        case .previousPage: ("Previous page", "Предыдущая страница")
        case .nextPage: ("Next page", "Следующая страница")
        case .pull: ("Check for updates", "Обновить список")
        case .favorite: ("Favourite", "Избранное")
        case .skip: ("Skip to the content", "Перейти к содержимому")
        case .syncNow: ("Sync now", "Синхронизировать")
        case .serverAway:
            (
                "Quire is not running. What you type is kept in this browser and saved when Quire runs again.",
                "Программа Quire не запущена. Введённое хранится в этом браузере и сохранится, когда она снова заработает."
            )
        case .notRunning: ("Quire is not running", "Программа Quire не запущена")
        case .serverBack: ("Quire is running again.", "Программа Quire снова работает.")
        case .toLibrary: ("To the library", "В библиотеку")
        case .nothingHere: ("Page not found", "Страница не найдена")
        case .didNotWork: ("Something went wrong", "Не получилось")
        default: ("Not allowed", "Доступ запрещён")
        }
    }

    private static func test(_ key: Key) -> (String, String) {
        switch key {
        case .begin: ("Start", "Начать")
        case .beginAnother: ("Start another", "Пройти ещё раз")
        case .goOn: ("Continue", "Продолжить")
        case .yourTests: ("Your tests", "Ваши тесты")
        case .aNumber: ("A number, such as 42 or −1.5", "Число, например 42 или −1,5")
        case .allQuestions: ("All questions", "Все вопросы")
        case .chooseSeveral: ("Choose any number of them", "Выберите один или несколько вариантов")
        case .clear: ("Clear answer", "Очистить ответ")
        case .next: ("Next", "Дальше")
        case .previous: ("Back", "Назад")
        case .onOnePage: ("All on one page", "Все на одной странице")
        case .oneAtATime: ("One at a time", "По одному вопросу")
        case .leave: ("Save and exit", "Сохранить и выйти")
        case .required: ("An answer is required", "Обязательный вопрос")
        case .review: ("Review", "Проверить ответы")
        case .savedLocally: (Language.english.savedLocally, Language.russian.savedLocally)
        case .saving: ("Saving…", "Сохраняется…")
        case .keptInBrowser:
            ("Kept in this browser, not saved yet", "Хранится в этом браузере, ещё не сохранено")
        case .elsewhere:
            ("This answer was changed elsewhere:", "Этот ответ изменили в другом месте:")
        case .keepMine: ("Keep mine", "Оставить моё")
        case .takeTheirs: ("Use that answer", "Взять тот ответ")
        case .changedHere: ("Changed in another window.", "Изменено в другом окне.")
        case .timeIsOver:
            (
                "The time is over. Your answers are saved, and you can still finish.",
                "Время вышло. Ответы сохранены, тест ещё можно закончить."
            )
        case .reviewTitle: ("Review your answers", "Проверьте ответы")
        case .backToTest: ("Back to the questions", "Назад к вопросам")
        case .answerMissing: ("Go to unanswered questions", "К вопросам без ответа")
        case .notAnswered: ("Not answered", "Нет ответа")
        case .attach: ("Attach", "Приложить")
        case .chooseFiles: ("A photo, a recording or another file", "Фото, запись или другой файл")
        case .noFiles: ("No files are attached to this answer.", "К этому ответу файлы не приложены.")
        case .removeFile: ("Remove", "Удалить")
        default: ("Change", "Изменить")
        }
    }

    /// Of a draft and a newer version of its questionnaire.
    private static func update(_ key: Key) -> (String, String) {
        switch key {
        case .allChanges: ("All changes of the questionnaire", "Все изменения анкеты")
        case .lookAt: ("Please check", "Проверьте")
        case .moveToNewest: ("Continue in the newer version", "Продолжить в новой версии")
        case .newestAlready: ("This draft already has the newest version.", "Черновик уже в самой новой версии.")
        case .seeUpdate: ("What changes?", "Что изменится?")
        case .staysBehind: ("Not carried over", "Не переносится")
        case .updateAbout:
            (
                "This makes a new draft. The old draft stays in the outbox with all its answers until you discard it.",
                "Появится новый черновик. Старый останется в исходящих со всеми ответами, пока вы его не уберёте."
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
                "An answer can have at most 100 000 characters. The rest was not saved.",
                "В ответе не больше 100 000 знаков. Остальное не сохранено."
            )
        case .fileCut:
            (
                "Quire stopped before it had received the complete file, so the file was not saved. Choose it again when "
                    + "Quire is running.",
                "Программа Quire остановилась раньше, чем получила весь файл, поэтому он не сохранён. Выберите его снова, "
                    + "когда она заработает."
            )
        case .finishedElsewhere:
            (
                "This test was finished in another window or program, so this answer is not part of it.",
                "Этот тест закончили в другом окне или другой программе, поэтому этот ответ в него не вошёл."
            )
        case .forget: ("Remove from this browser", "Убрать из этого браузера")
        case .leftOver:
            (
                "Typed in this browser, but not part of the test: it was finished before this was saved.",
                "Введено в этом браузере, но в тест не вошло: его закончили раньше."
            )
        case .notKept:
            (
                "Not saved, and this browser has no room to keep it: do not close this page",
                "Не сохранено, и в этом браузере для этого нет места: не закрывайте страницу"
            )
        case .questionNumber: ("Question %", "Вопрос %")
        case .reviewChanged:
            (
                "Your answers changed in the meantime, so nothing was sent. Please check them again.",
                "Ответы тем временем изменились, поэтому тест не отправлен. Проверьте их ещё раз."
            )
        case .testGone:
            (
                "This test is no longer on this device: it was discarded.",
                "Этого теста больше нет на устройстве: его убрали."
            )
        case .undecided:
            ("Not saved yet: choose one of the two answers", "Ещё не сохранено: выберите один из двух ответов")
        case .unsavedAnswers:
            (
                "Typed in this browser but not saved yet, so it would not be sent:",
                "Введено в этом браузере, но ещё не сохранено и не будет отправлено:"
            )
        default:
            (
                "The answers kept in this browser are saved now. Please check them again.",
                "Ответы из этого браузера теперь сохранены. Проверьте их ещё раз."
            )
        }
    }

    private static func rest(_ key: Key) -> (String, String) {
        switch key {
        case .outbox: ("Outbox", "Исходящие")
        case .nothingWaits:
            ("Nothing is waiting: everything has been delivered.", "Ничего не ждёт отправки: всё доставлено.")
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
        case .noResults: ("No tests have been delivered yet.", "Доставленных тестов пока нет.")
        case .rating: ("Rating", "Оценка")
        case .yourAnswers: ("Your answers", "Ваши ответы")
        case .otherVersion: ("The other version:", "Другая версия:")
        case .settings: ("Settings", "Настройки")
        case .remote: ("Server", "Сервер")
        case .remoteAbout:
            (
                "Questionnaires are fetched from here, and answers are sent here. If you change it, waiting tests go to the new server.",
                "Отсюда загружаются анкеты, сюда отправляются ответы. Если сменить адрес, всё ожидающее уйдёт на новый сервер."
            )
        case .remoteLabel: ("Address", "Адрес")
        case .save: ("Save", "Сохранить")
        case .space: ("Storage", "Место")
        case .free: ("Free", "Свободно")
        case .quota: ("Limit", "Лимит")
        case .quotaAbout:
            (
                "For example 200 MB; leave empty for no limit. Your answers do not count and are never removed.",
                "Например, 200 МБ; пустое поле — без лимита. Ваши ответы не учитываются и никогда не удаляются."
            )
        case .quotaExample: ("200 MB", "200 МБ")
        case .languageTitle: ("Language", "Язык")
        case .notices: ("Notifications", "Уведомления")
        case .noticesAbout:
            (
                "Shows a system notification when a test is sent or rated, even if this page is in the background.",
                "Системное уведомление, когда тест отправлен или проверен, даже если страница открыта в фоне."
            )
        case .noticesAllow: ("Allow notifications", "Разрешить уведомления")
        case .noticesOn: ("Notifications are on.", "Уведомления включены.")
        case .noticesOff:
            (
                "This browser blocks notifications. Allow them in its settings.",
                "Браузер блокирует уведомления. Разрешите их в его настройках."
            )
        case .store: ("Where your data is stored", "Где хранятся данные")
        case .storeAbout:
            ("Plain files that you can read, copy and back up.", "Обычные файлы: их можно читать и копировать.")
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
                "Only the person who started Quire can use this page. Open the address that “quire serve” printed, or enter "
                    + "its code. Each code works in one browser.",
                "Страница доступна только тому, кто запустил Quire. Откройте адрес, который вывела команда «quire serve», "
                    + "или введите её код. Один код действует в одном браузере."
            )
        case .code: ("Code", "Код")
        case .enter: ("Enter", "Войти")
        default:
            (
                "This code is wrong or already used. A new one is shown where “quire serve” runs.",
                "Код неверен или уже использован. Новый — там, где запущен «quire serve»."
            )
        }
    }
}
