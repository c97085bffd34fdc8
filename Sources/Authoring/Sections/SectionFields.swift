import HTTPServing
import Model

/// The fields of a section's form: texts as they were typed.
struct SectionFields: Hashable, Sendable {
    var title = ""
    var text = ""
    /// How many of its questions each test draws; empty for all.
    var pick = ""
    var repeats = false
    var least = ""
    var most = ""
    /// The name of one instance.
    var label = ""
    var condition = ConditionFields()

    init() {}

    init(_ section: DraftSection) {
        title = section.title
        text = section.members["text"]?.text ?? ""
        pick = section.members.number("pick")
        let repetition = section.members["repeat"]?.members
        repeats = repetition != nil
        least = repetition?.number("min") ?? ""
        most = repetition?.number("max") ?? ""
        label = repetition?["label"]?.text ?? ""
        condition = ConditionFields(section.members["condition"])
    }

    init(_ form: FormFields) {
        func field(_ name: String) -> String { form[name]?.unixLines ?? "" }
        title = field("title").trimmed
        text = field("text")
        pick = field("pick").trimmed
        repeats = form["repeats"] == "1"
        (least, most, label) = (field("least").trimmed, field("most").trimmed, field("label").trimmed)
        condition = ConditionFields(form)
    }

    /// Writes what differs from what the form showed. A form that was not changed changes nothing.
    func apply(to id: String, in document: inout DraftDocument) {
        var sections = document.sections
        guard let place = sections.firstIndex(where: { $0.id == id }) else { return }
        let former = SectionFields(sections[place])
        var fields = self
        fields.condition =
            former.condition.isShown
            ? condition.withChosenValues(after: former.condition, in: document) : former.condition
        if fields == former { return }
        if title != former.title { sections[place].members.set("title", text: title) }
        if text != former.text { sections[place].members.set("text", text: text) }
        if pick != former.pick { sections[place].members.set("pick", number: pick) }
        fields.writeRepetition(to: &sections[place].members)
        if fields.condition != former.condition {
            sections[place].members["condition"] = fields.condition.written(in: document)
        }
        document.sections = sections
    }

    private func writeRepetition(to members: inout [String: JSONValue]) {
        guard repeats else {
            members["repeat"] = nil
            return
        }
        var repetition = members["repeat"]?.members ?? [:]
        repetition.set("min", number: least)
        repetition.set("max", number: most)
        repetition.set("label", text: label)
        // Without limits and a name it is an empty object, and repeats all the same.
        members["repeat"] = .object(repetition)
    }
}
