import Authoring
import Model

/// The fixed texts of the desk. Templates name them as `{{w.key}}`.
enum DeskWords {
    static func all(_ language: Language) -> [String: String] { tables[language] ?? [:] }

    private static let tables = Dictionary(uniqueKeysWithValues: Language.allCases.map { ($0, table($0)) })

    private static func table(_ language: Language) -> [String: String] {
        WritingWords.all(language).merging(frame(language)) { $1 }.merging(screens(language)) { $1 }.merging(
            marking(language)
        ) { $1 }
        .merging(after(language)) { $1 }
        .merging(VersionWords.table(language)) { $1 }
    }

    private static func frame(_ language: Language) -> [String: String] {
        [
            "skip": language.text("Skip to the content"),
            "navigation": language.text("Main menu"),
            "questionnaires": language.text("Questionnaires"),
            "logOut": language.text("Log out"),
            "logInTitle": language.text("Log in to the desk"),
            "logInAbout": language.text(
                "Enter a key of a teacher, an author or an admin. “quire host keys add --role teacher” makes one."),
            "key": language.text("Key"),
            "yourName": language.text("Your name"),
            "yourNameAbout": language.text(
                "Shown beside the points that you give. Without it the key’s label is shown."),
            "logIn": language.text("Log in"),
        ]
    }

    private static func screens(_ language: Language) -> [String: String] {
        [
            "noQuestionnaires": language.text("No questionnaires are published, and no tests have arrived."),
            "noTests": language.text("No tests have arrived yet."),
            "parts": language.text("Parts of this questionnaire"),
            "handedIn": language.text("Handed in"),
            "results": language.text("Results"),
            "attempts": language.text("Attempts"),
            "shown": language.text("What the cells show"),
            "classReport": language.text("Report to print"),
            "legend": language.text("? waits for a person, · was not asked"),
            "scores": language.text("Scores"),
            "asTable": language.text("The same as a table"),
            "partOfPoints": language.text("Part of the points"),
            "sections": language.text("Sections", context: "results"),
            "section": language.text("Section"),
            "questionsOfSection": language.text("Questions", context: "of a section"),
            "mean": language.text("Mean"),
            "tests": language.text("Tests"),
            "answer": language.text("Answer"),
            "chosen": language.text("chosen"),
            "share": language.text("Share"),
            "strongest": language.text("strongest third"),
            "weakest": language.text("weakest third"),
            "noFreeAnswers": language.text("No question of this questionnaire is answered in people’s own words."),
            "searchAnswers": language.text("Words in the answers"),
            "searchAnswersAbout": language.text(
                "An answer is found if it has all of the words, also in other forms: “trees” finds “tree”."),
            "questionOfAnswers": language.text("Question", context: "field"),
            "searchButton": language.text("Search"),
            "searchTheAnswers": language.text("Search these answers"),
            "frequentWords": language.text("Words that many answers have"),
        ]
    }

    private static func marking(_ language: Language) -> [String: String] {
        [
            "mark": language.text("Mark"),
            "nothingToMark": language.text("Nothing waits for marks."),
            "byQuestion": language.text("By question"),
            "byTest": language.text("By test"),
            "changePoints": language.text("Change the points"),
            "reason": language.text("Why the key’s points are changed"),
            "comment": language.text("Comment for the person"),
            "savedComments": language.text("Saved comments"),
            "savedCommentsAbout": language.text(
                "While you mark, choose one from the list: it is put into your comment, where you can change it. With points it is a line of a rubric: they are added to those of the answer."
            ),
            "insertComment": language.text("Insert"),
            "keepComment": language.text("Keep this comment for other answers"),
            "commentText": language.text("Comment"),
            "forQuestion": language.text("For the question"),
            "pointsAdded": language.text("Points it adds, if any"),
            "forEveryone": language.text("For everyone who marks"),
            "saveComment": language.text("Save the comment"),
            "markingTitle": language.text("Marking"),
            "skipThis": language.text("Skip"),
            "wholeTest": language.text("The complete test"),
            "history": language.text("What it was before"),
        ]
    }

    /// Words for tests that have their marks: rating again, sending back.
    private static func after(_ language: Language) -> [String: String] {
        [
            "rateAgain": language.text("Rate everything again"),
            "rateAgainAbout": language.text(
                "Correct the key first, here or in the questionnaire’s file. Every test is compared with the key of the version that it was taken with, as that key is now. Points that persons gave stay."
            ),
            "name": language.text("Name"),
            "attempt": language.text("Attempt"),
            "person": language.text("Person"),
            "group": language.text("Group"),
            "status": language.text("Status"),
            "watching": language.text("Class"),
            "watchingAbout": language.text(
                "“Is at it” and “waits at a hub” are as devices and hubs last reported them. Someone without a connection may have started all the same."
            ),
            "nobodyToWatch": language.text("There is no class list, and no test of a person has arrived."),
            "reload": language.text("Reload"),
            "score": language.text("Score"),
            "received": language.text("Received"),
            "remarks": language.text("Remarks"),
            "forPaper": language.text("All on one page, to print"),
            "lateOnly": language.text("Late ones only"),
            "show": language.text("Show", context: "list"),
            "showAll": language.text("Show all"),
            "before": language.text("Before"),
            "after": language.text("After", context: "rating"),
            "corrections": language.text("Corrections of one another"),
            "sendBack": language.text("Send back to be corrected"),
            "sendBackAbout": language.text(
                "The person sees your comment and corrects the answers in a new test. This one and its points stay."),
            "toCorrect": language.text("What is to be corrected"),
            "withdraw": language.text("No correction needed any more"),
        ]
    }
}
