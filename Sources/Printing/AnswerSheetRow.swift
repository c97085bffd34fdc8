import Model
import RichText

/// One row of an answer sheet: a number, and letters to mark or a line to write on.
struct AnswerSheetRow: Sendable {
    let question: Question
    let number: Int

    func write(to writer: inout HTMLWriter) {
        writer.element("li") { writer in
            writer.element("span", [.init("class", "number")], text: "\(number)")
            guard question.kind.hasOptions, !question.options.isEmpty else {
                writer.element("span", [.init("class", "blank")], text: "")
                if let unit = question.unit { writer.text(" " + unit) }
                return
            }
            let sign = question.kind.isMultiple ? "☐" : "○"
            for row in question.options.indices {
                writer.element("span", [.init("class", "letter")], text: "\(sign) \(OptionLetter.text(row))")
            }
        }
    }
}
