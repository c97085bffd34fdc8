import Model
import OutboxStore
import Quire

/// The people who share the device: who is there, and a test that is another person's.
struct PersonScreen: Sendable {
    let context: ScreenContext

    /// More people of the class list than this are found by searching.
    private static let mostListed = 40

    /// More people than this are only on the screen of their own.
    private static let mostInBar = 12

    /// The line at the head of each page with the current person; `nil` on a device that no people share.
    static func bar(_ state: People.State, _ request: PageRequest, isTest: Bool) -> [String: any Sendable]? {
        guard !state.people.isEmpty else { return nil }
        let words = PageWords(language: request.language)
        // The next person does not land in this one's test.
        let back = request.method == .get && request.path.first != "t" ? request.target : "/"
        return [
            "name": state.current?.fullName ?? words.text("No one has said who they are."), "isTest": isTest,
            "change": words.text("Switch person"), "others": words.text("Another person"), "back": back,
            "people": people(Array(state.people.prefix(mostInBar)), state.current),
        ]
    }

    /// The offer to claim a draft without a person; `nil` where it has one.
    static func claim(_ record: TestRecord, _ state: People.State, _ words: PageWords) -> [String: any Sendable]? {
        guard record.person == nil, let current = state.current else { return nil }
        return [
            "about": words.text("This test has no person: everybody on this device sees it."),
            "button": words.text("It belongs to \(current.fullName)"),
        ]
    }

    private static func people(
        _ people: [Person], _ current: Person?, withPIN: Set<String> = []
    ) -> [[String: any Sendable]] {
        people.map {
            ["id": $0.id, "name": $0.fullName, "current": $0.id == current?.id, "pin": withPIN.contains($0.id)]
        }
    }

    // MARK: Who is there

    /// The field that a fault belongs to.
    enum Field: Sendable {
        case name, code, pin
    }

    /// - Parameters:
    ///   - fault: why the name, or the code, that was just given cannot be used.
    ///   - field: what the fault is of.
    func content(fault: String? = nil, of field: Field = .name) throws -> Screens.Content {
        let (words, request) = (context.words, context.request)
        let state = try context.store.people.state()
        let known = try context.store.people.known()
        let begin = request.query["begin"] ?? request.form["begin"] ?? ""
        let heading = begin.isEmpty ? words.text("Who is here?") : words.text("Who is taking this?")
        var model: [String: any Sendable] = [
            "heading": heading, "begin": begin, "back": request.form["back"] ?? "/",
            "about": words.text(
                "Each person sees their own tests only, and tests without a person. What waits is sent no matter who is there."
            ),
            "people": Self.people(known, state.current, withPIN: try context.store.people.pins.holders(among: known)),
            "known": !known.isEmpty,
            "names": Set(known.map(\.name)).sorted(), "nameLabel": words.text("Name"),
            "groupLabel": words.text("Class or group, if there is one"), "setButton": words.text("This is me"),
            "givenName": request.form["name"] ?? "", "givenGroup": request.form["group"] ?? "",
        ]
        switch field {
        case .name: model["fault"] = fault
        case .code: model["codeFault"] = fault
        case .pin: break
        }
        if begin.isEmpty, let current = state.current {
            model["pin"] = try PINScreen(context: context).setting(current, fault: field == .pin ? fault : nil)
        }
        let mayType = try context.store.people.classList.allowsTypedNames()
        if mayType {
            model["typed"] = true
        } else {
            model["listedOnly"] = words.text("Only people on the class list take tests here.")
        }
        if let list = try context.store.people.classList.current() { model["class"] = listed(list, state.current) }
        if context.storeContext.remoteShowing != nil {
            model["code"] = [
                "label": words.text("Code on your card"), "button": words.text("Log in with the code"),
                "heading": words.text("Do you have a code?"),
            ]
        }
        if !begin.isEmpty, mayType {
            model["anyone"] = [
                "action": "/q/\(PercentEncoding.encode(begin))/begin", "button": words.text("Continue without a name"),
            ]
        } else if begin.isEmpty, state.current != nil {
            model["leave"] = ["button": words.text("Leave: no one is here")]
        }
        return Screens.Content(
            template: .person, title: heading, model: model, status: fault == nil ? .ok : .unprocessableContent)
    }

    /// The part of the class list that the search finds.
    private func listed(_ list: ClassList, _ current: Person?) -> [String: any Sendable] {
        let words = context.words
        let text = context.request.query["find"] ?? ""
        let found = list.matches(text)
        var model: [String: any Sendable] = [
            "heading": words.text("Class list"), "findLabel": words.text("Find by name, class or number"), "find": text,
            "findButton": words.text("Find"), "people": Self.people(Array(found.prefix(Self.mostListed)), current),
            "any": !found.isEmpty,
        ]
        if found.isEmpty { model["none"] = words.text("No one on the class list matches.") }
        if found.count > Self.mostListed {
            model["more"] = words.text("\(Self.mostListed) of \(found.count) people are shown: type more of the name.")
        }
        return model
    }

    func fault(_ error: PersonError) -> String {
        switch error {
        case .ambiguous: context.words.text("Several people have this name: choose one above, or give the class too.")
        case .unknown: context.words.text("This person is not known here any more.")
        case .notListed: context.words.text("Only people on the class list take tests here.")
        case .invalidCode: context.words.text("That is no code: type the letters and digits on the card.")
        case .unknownCode:
            context.words.text("The server does not accept this code: check each character, or ask for a new card.")
        case .noCodesHere: context.words.text("Codes can be checked only with a connection to the server.")
        case .invalidPIN, .pinNeeded, .wrongPIN, .pinWait, .unreadablePIN:
            PINScreen(context: context).fault(error) ?? context.words.text("Type your PIN.")
        case .invalid, .noneCurrent: context.words.text("This name cannot be used: give another one.")
        }
    }

    // MARK: Another person's test

    /// A test of a person who is not there.
    struct Refused: Sendable {
        var record: TestRecord
        var owner: Person
        var current: Person?
        /// The version of the test, which explains what was typed.
        var questionnaire: Questionnaire?
    }

    /// - Returns: `nil` for a test that the current person may see.
    static func refused(_ id: TestID, in store: QuireStore) throws -> Refused? {
        let shown = try store.people.shown()
        guard shown.isShared, let item = try store.outbox.find(id), item.kind == .test,
            let record = store.outbox.listed(item)?.record, let owner = record.person, !shown.includes(record)
        else { return nil }
        return Refused(
            record: record, owner: owner, current: shown.current, questionnaire: try? store.questionnaire(of: record))
    }

    func sentence(_ refused: Refused) -> String {
        let (words, owner) = (context.words, refused.owner.fullName)
        return refused.current.map { words.text("This test belongs to \(owner), and \($0.fullName) is here now.") }
            ?? words.text("This test belongs to \(owner).")
    }

    /// Says that a form was not saved; `nil` for a request without one.
    private var unsaved: String? {
        context.request.method == .post ? context.words.text("Nothing was saved.") : nil
    }

    /// The text of a JSON reply.
    func problem(_ refused: Refused) -> String {
        [sentence(refused), unsaved].compactMap(\.self).joined(separator: " ")
    }

    /// The page in place of the test; a form that was sent is on it, to be saved when its person is back.
    ///
    /// - Parameter error: of the PIN that came with the request.
    func content(_ refused: Refused, _ error: PersonError? = nil) throws -> Screens.Content {
        let (words, request) = (context.words, context.request)
        let isForm = request.method == .post
        let target = "/t/\(refused.record.id)"
        var fields = [("id", refused.owner.id), ("back", target)]
        if isForm {
            fields =
                request.form.pairs.filter { !["token", "switch", "pin"].contains($0.name) } + [
                    ("switch", refused.owner.id)
                ]
        }
        let heading = words.text("Another person's test")
        var model: [String: any Sendable] = [
            "heading": heading, "about": sentence(refused), "unsaved": unsaved ?? "", "isOpened": !isForm,
            "action": isForm ? "/" + request.path.map(PercentEncoding.encode).joined(separator: "/") : "/person/use",
            "fields": fields.map { ["name": $0.0, "value": $0.1] },
            "button": isForm
                ? words.text("Save and continue as \(refused.owner.fullName)")
                : words.text("Continue as \(refused.owner.fullName)"),
        ]
        if try context.store.people.pins.isSet(for: refused.owner.id) {
            var pin: [String: any Sendable] = ["label": words.text("PIN, or the code on your card")]
            pin["fault"] = error.flatMap(PINScreen(context: context).fault)
            model["pin"] = pin
        }
        let answers = typed(refused)
        if !answers.isEmpty { model["typed"] = ["answers": answers] }
        return Screens.Content(template: .otherperson, title: heading, model: model, status: .forbidden)
    }

    private func typed(_ refused: Refused) -> [[String: any Sendable]] {
        let form = context.request.form
        return Set(form.all("shown").compactMap { Int($0) }).sorted().compactMap { index in
            let questions = refused.questionnaire?.questions ?? []
            let question = questions.indices.contains(index) ? questions[index] : nil
            let texts = form.all("a.\(index)").map { value in
                guard let question, question.kind.hasOptions else { return value }
                if let place = Int(value), question.options.indices.contains(place) { return question.options[place] }
                return value.hasPrefix("=") ? String(value.dropFirst()) : value
            }
            let text = texts.filter { !$0.isEmpty }.joined(separator: ", ")
            if text.isEmpty { return nil }
            return ["question": context.words.text("Question \(index + 1)"), "text": text]
        }
    }
}
