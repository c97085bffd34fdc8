import Model
import Wording

/// The fixed texts of the page. Templates name them as `{{w.key}}`.
enum Words {
    enum Key: String, CaseIterable {
        case aNumber, allQuestions, answerMissing, backToTest, begin, beginAnother, change, changedHere, chooseSeveral
        case clear, code, didNotWork, discard, discardAbout, discardTitle, discardYes, doorAbout, doorTitle, elsewhere
        case close, fullSize, enter, enterAbout, enterOn, enterTitle, stepAbout, favorite, find, free, goOn,
            keep, keepMine, keptInBrowser, languageTitle, removeAbout, removeYes, leave, library
        case navigation, next, nextPage, noResults, notAllowed, notAnswered, nothingHere, nothingWaits, notices
        case noticesAbout, noticesAllow, noticesOff, noticesOn, onOnePage, oneAtATime, otherVersion, outbox, pages
        case previous, previousPage, pull, quota, quotaAbout, quotaExample, rating, remote, remoteAbout, remoteLabel,
            required
        case results, retryNow, review, reviewTitle, save, savedLocally, saving, search, sendNow, sending, serverAway
        case serverBack, settings, skip, sortedBy, space, store, storeAbout, syncNow, takeTheirs, timeIsOver, toLibrary
        case wrongCode, yourAnswers, yourTests
        case comeBack, handedInSoon, legendAnswered, legendFlagged, legendInvalid, legendOpen
        case keepOrder, movedTo, notOrdered, ownWords
        case accurateTo, coordinates, latitude, locating, locationDenied, locationUnknown, locationUnsafe, longitude,
            useLocation
        case attach, chooseFiles, noFiles, removeFile
        case atMost, cutShort, fileCut, finishedElsewhere, forget, leftOver, notKept, notRunning, questionGone,
            questionNumber
        case alsoTyped, notShown, ownAnswer, storedAs, useThis
        case pinBadge, reviewChanged, testGone, undecided, unsavedAnswers, unsavedSaved
        case allChanges, lookAt, moveToNewest, newestAlready, seeUpdate, staysBehind, updateAbout, updateTitle
    }

    /// All of them, for a template.
    static func all(_ language: Language) -> [String: String] { tables[language] ?? [:] }

    private static let tables = Dictionary(uniqueKeysWithValues: Language.allCases.map { ($0, table($0)) })

    private static func table(_ language: Language) -> [String: String] {
        Dictionary(uniqueKeysWithValues: Key.allCases.map { ($0.rawValue, text($0, language)) })
    }

    static func text(_ key: Key, _ language: Language) -> String {
        switch key {
        case .navigation, .library, .find, .search, .sortedBy, .pages, .previousPage, .nextPage, .pull, .favorite,
            .skip, .syncNow, .serverAway, .serverBack, .notRunning, .toLibrary, .nothingHere, .didNotWork, .notAllowed:
            frame(key, language)
        case .begin, .beginAnother, .goOn, .yourTests, .aNumber, .allQuestions, .chooseSeveral, .clear, .next,
            .previous,
            .onOnePage, .oneAtATime, .leave, .required, .pinBadge, .review, .savedLocally, .saving, .keptInBrowser,
            .elsewhere,
            .keepMine, .takeTheirs, .changedHere, .timeIsOver, .handedInSoon, .reviewTitle, .backToTest, .answerMissing,
            .notAnswered,
            .change, .attach, .chooseFiles, .noFiles, .removeFile:
            test(key, language)
        case .atMost, .cutShort, .fileCut, .finishedElsewhere, .forget, .leftOver, .notKept, .questionGone,
            .questionNumber,
            .reviewChanged, .testGone, .undecided, .unsavedAnswers, .unsavedSaved, .alsoTyped, .notShown, .ownAnswer,
            .storedAs, .useThis:
            unsaved(key, language)
        case .comeBack, .legendAnswered, .legendFlagged, .legendInvalid, .legendOpen: navigator(key, language)
        case .keepOrder, .movedTo, .notOrdered, .ownWords: structured(key, language)
        case .accurateTo, .coordinates, .latitude, .locating, .locationDenied, .locationUnknown, .locationUnsafe,
            .longitude, .useLocation:
            location(key, language)
        case .allChanges, .lookAt, .moveToNewest, .newestAlready, .seeUpdate, .staysBehind, .updateAbout, .updateTitle:
            update(key, language)
        default: rest(key, language)
        }
    }

    private static func navigator(_ key: Key, _ language: Language) -> String {
        switch key {
        case .comeBack: language.text("Come back later")
        case .legendAnswered: language.text("answered")
        case .legendFlagged: language.text("flagged")
        case .legendInvalid: language.text("must be corrected")
        default: language.text("not answered")
        }
    }

    private static func structured(_ key: Key, _ language: Language) -> String {
        switch key {
        case .keepOrder: return language.text("Keep this order")
        case .movedTo:
            let (name, place, count) = ("%name", "%place", "%count")
            return language.text("\(name): \(place) of \(count)")
        case .notOrdered: return language.text("Not in order yet: move an option, or keep the order as it is.")
        default: return language.text("Answered in words. A new answer below takes its place.")
        }
    }

    private static func location(_ key: Key, _ language: Language) -> String {
        switch key {
        case .accurateTo:
            let place = "%"
            return language.text("Accurate to \(place) m")
        case .coordinates:
            return language.text(
                "In degrees, such as 55.75 and 37.62. South and west are negative. Both may be pasted into the first field."
            )
        case .latitude: return language.text("Latitude")
        case .locating: return language.text("Finding the location…")
        case .locationDenied:
            return language.text(
                "The browser does not share the location with this page. Allow it in the browser’s settings, or type the coordinates."
            )
        case .locationUnknown:
            return language.text("The location was not found. Try again outdoors, or type the coordinates.")
        case .locationUnsafe:
            return language.text(
                "Browsers share the location only with pages opened over https or on the same device. Type the coordinates, for example from a map."
            )
        case .longitude: return language.text("Longitude")
        case .useLocation: return language.text("Use my location")
        default: return ""
        }
    }

    private static func frame(_ key: Key, _ language: Language) -> String {
        switch key {
        case .navigation: language.text("Main menu")
        case .library: language.text("Library")
        case .find: language.text("Search")
        case .search: language.text("Search in titles and questions")
        case .sortedBy: language.text("Sorted by")
        case .pages: language.text("Pages")
        case .previousPage: language.text("Previous page")
        case .nextPage: language.text("Next page")
        case .pull: language.text("Check for updates")
        case .favorite: language.text("Favourite")
        case .skip: language.text("Skip to the content")
        case .syncNow: language.text("Sync now")
        case .serverAway:
            language.text(
                "Quire is not running. What you type is kept in this browser and saved when Quire runs again.")
        case .notRunning: language.text("Quire is not running")
        case .serverBack: language.text("Quire is running again.")
        case .toLibrary: language.text("To the library")
        case .nothingHere: language.text("Page not found")
        case .didNotWork: language.text("Something went wrong")
        default: language.text("Not allowed")
        }
    }

    private static func test(_ key: Key, _ language: Language) -> String {
        switch key {
        case .begin: language.text("Start")
        case .beginAnother: language.text("Start another")
        case .goOn: language.text("Continue")
        case .yourTests: language.text("Your tests")
        case .aNumber: language.text("A number, such as 42 or −1.5")
        case .allQuestions: language.text("All questions")
        case .chooseSeveral: language.text("Choose any number of them")
        case .clear: language.text("Clear answer")
        case .next: language.text("Next")
        case .previous: language.text("Back")
        case .onOnePage: language.text("All on one page")
        case .oneAtATime: language.text("One at a time")
        case .leave: language.text("Save and exit")
        case .required: language.text("An answer is required")
        case .pinBadge: language.text("PIN")
        case .review: language.text("Review")
        case .savedLocally: language.savedLocally
        case .saving: language.text("Saving…")
        case .keptInBrowser: language.text("Kept in this browser, not saved yet")
        case .elsewhere: language.text("This answer was changed elsewhere:")
        case .keepMine: language.text("Keep mine")
        case .takeTheirs: language.text("Use that answer")
        case .changedHere: language.text("Changed in another window.")
        case .handedInSoon: language.text("The time is over: the test will be handed in.")
        case .timeIsOver: language.text("The time is over. Your answers are saved, and you can still finish.")
        case .reviewTitle: language.text("Review your answers")
        case .backToTest: language.text("Back to the questions")
        case .answerMissing: language.text("Go to unanswered questions")
        case .notAnswered: language.text("Not answered")
        case .attach: language.text("Attach")
        case .chooseFiles: language.text("A photo, a recording or another file")
        case .noFiles: language.text("No files are attached to this answer.")
        case .removeFile: language.text("Remove")
        default: language.text("Change")
        }
    }

    /// Of a draft and a newer version of its questionnaire.
    private static func update(_ key: Key, _ language: Language) -> String {
        switch key {
        case .allChanges: language.text("All changes of the questionnaire")
        case .lookAt: language.text("Please check")
        case .moveToNewest: language.text("Continue in the newer version")
        case .newestAlready: language.text("This draft already has the newest version.")
        case .seeUpdate: language.text("What changes?")
        case .staysBehind: language.text("Not carried over")
        case .updateAbout:
            language.text(
                "This makes a new draft. The old draft stays in the outbox with all its answers until you discard it.")
        default: language.text("A newer version")
        }
    }

    /// Of what is not saved, or not sent, and why.
    private static func unsaved(_ key: Key, _ language: Language) -> String {
        switch key {
        case .alsoTyped: language.text("Typed in another window, not saved yet:")
        case .notShown:
            language.text(
                "This form did not show your saved answer, for example after the browser’s Back button. Nothing was changed; the saved answer is shown now."
            )
        case .ownAnswer: language.text("Your answer. It is not among the options of this version.")
        case .storedAs: language.text("Saved as %")
        case .useThis: language.text("Use this")
        case .atMost: language.text("At most 100 000 characters.")
        case .cutShort: language.text("An answer can have at most 100 000 characters. The rest was not saved.")
        case .fileCut:
            language.text(
                "Quire stopped before it had received the complete file, so the file was not saved. Choose it again when Quire is running."
            )
        case .finishedElsewhere:
            language.text("This test was finished in another window or program, so this answer is not part of it.")
        case .forget: language.text("Remove from this browser")
        case .leftOver:
            language.text("Typed in this browser, but not part of the test: it was finished before this was saved.")
        case .notKept: language.text("Not saved, and this browser has no room to keep it: do not close this page")
        case .questionGone:
            language.text("Typed for a question that is no longer in the test, so it was not saved:")
        case .questionNumber: language.text("Question %")
        case .reviewChanged:
            language.text("Your answers changed in the meantime, so nothing was sent. Please check them again.")
        case .testGone: language.text("This test is no longer on this device: it was discarded.")
        case .undecided: language.text("Not saved yet: choose one of the two answers")
        case .unsavedAnswers: language.text("Typed in this browser but not saved yet, so it would not be sent:")
        default: language.text("The answers kept in this browser are saved now. Please check them again.")
        }
    }

    private static func rest(_ key: Key, _ language: Language) -> String {
        switch key {
        case .outbox: language.text("Outbox")
        case .nothingWaits: language.text("Nothing is waiting: everything has been delivered.")
        case .sendNow: language.text("Send now")
        case .sending: TestStatus.sending.words(language)
        case .retryNow: language.text("Try again now")
        case .discard: language.text("Discard…")
        case .discardTitle: language.text("Discard this test?")
        case .removeAbout: language.text("These answers are removed with it:")
        case .removeYes: language.text("Remove")
        case .discardAbout:
            language.text(
                "It will not be sent from here. Its file is moved to the store’s quarantine and is not deleted.")
        case .discardYes: language.text("Discard")
        case .keep: language.text("Keep it")
        case .results: language.text("Results")
        case .noResults: language.text("No tests have been delivered yet.")
        case .rating: language.text("Rating")
        case .yourAnswers: language.text("Your answers")
        case .otherVersion: language.text("The other version:")
        case .settings: language.text("Settings")
        case .remote: language.text("Server")
        case .remoteAbout:
            language.text(
                "Questionnaires are fetched from here, and answers are sent here. If you change it, waiting tests go to the new server."
            )
        case .remoteLabel: language.text("Address")
        case .save: language.text("Save")
        case .space: language.text("Storage")
        case .free: language.text("Free")
        case .quota: language.text("Limit")
        case .quotaAbout:
            language.text(
                "For example 200 MB; leave empty for no limit. Your answers do not count and are never removed.")
        case .quotaExample: language.text("200 MB")
        case .languageTitle: language.text("Language")
        case .notices: language.text("Notifications")
        case .noticesAbout:
            language.text(
                "Shows a system notification when a test is sent or rated, even if this page is in the background.")
        case .noticesAllow: language.text("Allow notifications")
        case .noticesOn: language.text("Notifications are on.")
        case .noticesOff: language.text("This browser blocks notifications. Allow them in its settings.")
        case .store: language.text("Where your data is stored")
        case .storeAbout: language.text("Plain files that you can read, copy and back up.")
        case .doorTitle: language.text("Enter your access code")
        case .enterTitle: language.text("Open Quire")
        case .enterAbout:
            language.text(
                "This address gives one browser access to the tests on this device. Continue if this is your browser.")
        case .enterOn: language.text("Continue")
        case .fullSize: language.text("Full size")
        case .close: language.text("Close")
        case .stepAbout: language.text("You followed a link from another site.")
        case .doorAbout:
            language.text(
                "Only the person who started Quire can use this page. Open the address that “quire serve” printed, or enter its code. Each code works in one browser."
            )
        case .code: language.text("Code")
        case .enter: language.text("Enter")
        default: language.text("This code is wrong or already used. A new one is shown where “quire serve” runs.")
        }
    }
}
