import Model
import Wording

/// The field into which rows of a spreadsheet are pasted.
struct PasteScreen {
    let page: DraftPage
    var text = ""
    var faults: [PastedQuestions.Fault] = []
    var isEmpty = false

    func content() throws -> AuthoringScreens.Content {
        let language = page.language
        var model: [String: any Sendable] = [
            "action": page.href("paste"), "newline": "\n", "text": text, "hasFaults": !faults.isEmpty,
            "isEmpty": isEmpty,
            "faults": faults.prefix(50).map { ["text": language.text("Line \($0.line):") + " " + words($0.reason)] },
            "kinds": Question.Kind.offered.map { ["name": $0.name(language)] },
        ]
        model["example"] = [
            [
                Question.Kind.offered[0].name(language), language.text("What is the capital of Italy?"),
                language.text("Rome | Milan | Turin"), language.text("Rome"), "2",
            ],
            [Question.Kind.number.name(language), language.text("How many hills has Rome?"), "", "7", "1"],
        ].map { ["cells": $0.map { ["text": $0] }] as [String: any Sendable] }
        var content = try page.content(.draftpaste, "paste", model)
        if !faults.isEmpty || isEmpty { content.status = .unprocessableContent }
        return content
    }

    private func words(_ reason: PastedQuestions.Fault.Reason) -> String {
        let language = page.language
        switch reason {
        case .openQuote: return language.text("a quote is opened and never closed.")
        case .unknownKind(let name): return language.text("“\(name.prefix(60))” is not a kind of question.")
        case .noText: return language.text("the question has no text.")
        case .keyIsNoOption(let text): return language.text("the right answer “\(text.prefix(60))” is not an option.")
        case .notANumber(let text): return language.text("“\(text.prefix(60))” is not a number.")
        }
    }
}
