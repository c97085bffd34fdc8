import Model

/// The fixed texts of the screens on which questionnaires are written.
package enum WritingWords {
    package static func all(_ language: Language) -> [String: String] { tables[language] ?? [:] }

    private static let tables = Dictionary(uniqueKeysWithValues: Language.allCases.map { ($0, table($0)) })

    private static func table(_ language: Language) -> [String: String] {
        list(language).merging(question(language)) { $1 }.merging(answers(language)) { $1 }
            .merging(settings(language)) { $1 }.merging(publishing(language)) { $1 }
            .merging(trial(language)) { $1 }
            .merging(SectionWords.table(language)) { $1 }.merging(CopyWords.table(language)) { $1 }
            .merging(differences(language)) { $1 }.merging(MediaWords.table(language)) { $1 }
            .merging(MergeWords.table(language)) { $1 }.merging(VersionWords.table(language)) { $1 }
    }

    private static func list(_ language: Language) -> [String: String] {
        [
            "parts": language.text("Parts of this questionnaire"),
            "questionnaires": language.text("Questionnaires"),
            "newQuestionnaire": language.text("New questionnaire"),
            "titleField": language.text("Title"),
            "localeField": language.text("Language of the questions"),
            "startWriting": language.text("Start writing"),
            "cancel": language.text("Cancel"),
            "undo": language.text("Undo"),
            "noQuestions": language.text("There are no questions yet. Choose a kind and add the first one."),
            "duplicate": language.text("Duplicate"),
            "delete": language.text("Delete"),
            "newQuestionKind": language.text("Kind of the new question"),
            "addQuestion": language.text("Add a question"),
            "edit": language.text("Edit"),
            "pasteLink": language.text("Paste rows of a spreadsheet"),
            "pasteField": language.text("Rows of a spreadsheet"),
            "pasteAbout": language.text(
                "One row is one question: kind, text, options, right answers, points. Options and right answers are separated by |."
            ),
            "pasteButton": language.text("Add the questions"),
            "pasteExample": language.text("Example"),
            "pasteKinds": language.text("Kinds:"),
            "pasteFaults": language.text("Nothing was added. These lines are not right:"),
            "pasteEmpty": language.text("There are no rows. Copy them in the spreadsheet and paste them here."),
        ]
    }

    private static func question(_ language: Language) -> [String: String] {
        [
            "previousQuestion": language.text("Previous question"),
            "nextQuestion": language.text("Next question"),
            "keptTyped": language.text("This was typed here on \("{time}") and is not saved yet."),
            "discardTyped": language.text("Discard what was typed"),
            "unknownKind": language.text(
                "This program does not know the kind of the question, so its fields stay as they are:"),
            "kindField": language.text("Kind", context: "question"),
            "kindAbout": language.text("After another kind is chosen, save: the form then has its fields."),
            "textField": language.text("Question", context: "field"),
            "markdownAbout": language.text(
                "*emphasis*, **strong**, lists, tables and formulas such as $x^2$ are shown formatted."),
            "gapsAbout": language.text("Write a gap as a number in double braces, for example") + " {{1}}.",
            "truthLegend": language.text("The two answers"),
            "truthAbout": language.text("Tick the right one. Other words than Yes and No can be typed."),
            "optionsLegend": language.text("Options"),
            "tickAbout": language.text("Tick what is right. Without a tick a teacher marks the answers."),
            "rankingAbout": language.text("People put these in order. Write them in the right order."),
            "moreOptions": language.text("More options"),
            "otherField": language.text("People may write an answer of their own"),
            "orderedField": language.text("This order is the right one"),
            "rowsLegend": language.text("Rows"),
            "rowsAbout": language.text("Each row gets one of the options. Save to choose the right ones."),
            "noneRight": language.text("nothing chosen"),
            "moreRows": language.text("More rows"),
            "multipleField": language.text("A row may have several options"),
            "conditionTitle": language.text("Show it only if…"),
            "conditionLegend": language.text("Condition"),
            "conditionAbout": language.text("Choose a question and save: then its answers can be chosen."),
            "noCondition": language.text("no condition"),
            "anyOfField": language.text("One of these is enough"),
            "gapsLegend": language.text("Gaps"),
            "gapOptions": language.text("Options, one a line"),
            "gapAccepted": language.text("Right answers, one a line"),
        ]
    }

    private static func answers(_ language: Language) -> [String: String] {
        [
            "scaleLegend": language.text("Scale", context: "kind"),
            "scaleFrom": language.text("First number"),
            "scaleTo": language.text("Last number"),
            "scaleStep": language.text("Step"),
            "leastLabel": language.text("Word beside the first number"),
            "mostLabel": language.text("Word beside the last number"),
            "keyLegend": language.text("Right answers"),
            "keyAbout": language.text("Leave this empty if a teacher is to mark the answers."),
            "feedbackAndPoints": language.text("Feedback and points"),
            "optionPoints": language.text("Points for it"),
            "feedback": language.text("Feedback"),
            "moreAnswers": language.text("More right answers"),
            "toleranceField": language.text("Accepted difference"),
            "exactField": language.text("Letter case and accents count"),
            "answerLegend": language.text("The answer"),
            "multilineField": language.text("Several lines"),
            "longestField": language.text("At most so many characters"),
            "leastField": language.text("At least"),
            "mostField": language.text("At most"),
            "unitField": language.text("Unit"),
            "wholeField": language.text("Whole numbers only"),
            "afterField": language.text("Later than"),
            "beforeField": language.text("Earlier than"),
            "acceptField": language.text("Which files"),
            "captureField": language.text("How it is made"),
            "mostFilesField": language.text("At most so many files"),
            "marksLegend": language.text("Marks"),
            "pointsField": language.text("Points"),
            "partialField": language.text("Part of the points for a partly right answer"),
            "requiredField": language.text("An answer is required"),
            "hintField": language.text("Hint"),
            "hintAbout": language.text("Shown below the question."),
            "explanationField": language.text("Explanation"),
            "explanationAbout": language.text("Why the right answer is right. The settings say when people see it."),
            "save": language.text("Save"),
            "saveAndBack": language.text("Save and go to the list"),
            "saveAndNext": language.text("Save and next"),
            "withoutSaving": language.text("Back without saving"),
        ]
    }

    private static func settings(_ language: Language) -> [String: String] {
        [
            "descriptionField": language.text("Description"),
            "markdownField": language.text("Texts are formatted (Markdown and formulas)"),
            "timesLegend": language.text("When it can be taken"),
            "opensField": language.text("Opens"), "closesField": language.text("Closes"),
            "timesHere": language.text("Times are those of your time zone ({zone}). Leave a field empty for no limit."),
            "lateField": language.text("A late test"),
            "attemptsField": language.text("Attempts for each person"),
            "minutesField": language.text("Minutes for a test"),
            "endsField": language.text("Hand in by itself when the time is over"),
            "subjectField": language.text("Subject"), "levelField": language.text("Level"),
            "tagsField": language.text("Tags, separated by commas"),
            "orderLegend": language.text("Order"),
            "shuffleQuestionsField": language.text("Each test has the questions in another order"),
            "shuffleOptionsField": language.text("Each test has the options in another order"),
            "releaseLegend": language.text("What people see afterwards"),
            "passField": language.text("Passed from so many percent"),
        ]
    }

    private static func publishing(_ language: Language) -> [String: String] {
        [
            "checkTitle": language.text("Check"),
            "checkClean": language.text("Nothing was found that cannot be right."),
            "publishOver": language.text("Replace the published version"),
            "notReady": language.text("It can be published when nothing above must be changed any more."),
        ]
    }

    private static func differences(_ language: Language) -> [String: String] {
        [
            "whatChanged": language.text("What is different"),
            "noDifference": language.text("Nothing is different."),
            "formerly": language.text("before:"),
            "nowText": language.text("now:"),
            "allVersions": language.text("All versions"),
        ]
    }

    /// With the words of the template that is the taker's page's own.
    private static func trial(_ language: Language) -> [String: String] {
        [
            "previewTitle": language.text("As people see it"),
            "previewAbout": language.text("As it was saved last. Nothing that is typed here is kept."),
            "nothingToTry": language.text("There is nothing to try yet. What is missing is listed here:"),
            "tryAbout": language.text(
                "This is how people take it. Your answers are marked and then forgotten: nothing is stored."),
            "markTrial": language.text("Mark my answers"),
            "updateQuestions": language.text("Update the questions"),
            "noKeyAtAll": language.text("No question has a key: a teacher marks all answers."),
            "rightAnswers": language.text("Right:"),
            "tryAgain": language.text("Try again"),
            "required": language.text("An answer is required"),
            "chooseSeveral": language.text("Choose any number of them"),
            "clear": language.text("Clear answer"),
            "atMost": language.text("At most 100 000 characters."),
            "aNumber": language.text("A number, such as 42 or −1.5"),
            "keepOrder": language.text("Keep this order"),
            "notOrdered": language.text("Not in order yet: move an option, or keep the order as it is."),
            "latitude": language.text("Latitude"),
            "longitude": language.text("Longitude"),
            "coordinates": language.text(
                "In degrees, such as 55.75 and 37.62. South and west are negative. Both may be pasted into the first field."
            ),
        ]
    }
}
