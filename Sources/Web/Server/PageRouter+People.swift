import Disk
import Model
import OutboxStore
import Quire
import Wording

/// The people who share the device.
extension PageRouter {
    /// The answer to a request for a test of a person who is not there; `nil` for every other request.
    ///
    /// A form may name the person that it switches to: then it is carried out as theirs.
    func refusal(_ request: PageRequest) async throws -> PageReply? {
        guard request.path.first == "t", request.path.count > 1, let id = TestID(request.path[1]) else { return nil }
        let store = storeContext.store
        guard let refused = try await offload({ try PersonScreen.refused(id, in: store) }) else { return nil }
        var fault: PersonError?
        if request.method == .post, request.form["switch"] == refused.owner.id {
            do {
                try await offload { _ = try store.people.use(named: refused.owner.id, pin: request.form["pin"]) }
                return nil
            } catch let error as PersonError where PINScreen.person(error) != nil {
                fault = error
            }
        }
        let screen = PersonScreen(context: screenContext(request))
        if request.wantsJSON { return try .encoded(["problem": screen.problem(refused)], status: .forbidden) }
        return try await page(request) { [fault] context in
            try await offload { try PersonScreen(context: context).content(refused, fault) }
        }
    }

    func showPeople(_ request: PageRequest) async throws -> PageReply {
        // The address of a form that was refused, and is looked at again.
        if request.path.count > 1 { return .seeOther("/person") }
        return try await page(request) { context in
            try await offload { try PersonScreen(context: context).content() }
        }
    }

    func changePerson(_ request: PageRequest, _ verb: String) async throws -> PageReply {
        let store = storeContext.store
        let form = request.form
        do {
            switch verb {
            case "use": try await offload { _ = try store.people.use(named: form["id"] ?? "", pin: form["pin"]) }
            case "set":
                let group = form["group"].flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 }
                try await offload { _ = try store.people.set(name: form["name"] ?? "", group: group) }
            case "login":
                guard let open = storeContext.remoteShowing, !storeContext.isOffline else {
                    throw PersonError.noCodesHere
                }
                _ = try await store.people.logIn(form["code"] ?? "", open)
            case "pin": return try await changePIN(request)
            case "clear": try await offload { try store.people.use(nil) }
            default: throw PageProblem.notFound(request.language)
            }
        } catch let error as PersonError {
            return try await page(request) { context in
                if let person = PINScreen.person(error), verb != "pin" {
                    return PINScreen(context: context).content(person, error)
                }
                let screen = PersonScreen(context: context)
                let field: PersonScreen.Field = verb == "login" ? .code : verb == "pin" ? .pin : .name
                return try await offload { try screen.content(fault: screen.fault(error), of: field) }
            }
        } catch is RemoteFailure {
            return try await page(request) { context in
                let screen = PersonScreen(context: context)
                let text = context.words.text("The server cannot be reached now, so the code cannot be checked.")
                return try await offload { try screen.content(fault: text, of: .code) }
            }
        }
        await background.look()
        if let id = form["begin"], !id.isEmpty { return try await begin(request, id) }
        return .seeOther(request.back)
    }

    /// Sets, changes or removes the PIN of the current person.
    private func changePIN(_ request: PageRequest) async throws -> PageReply {
        let (store, form) = (storeContext.store, request.form)
        let words = PageWords(language: request.language)
        let isRemoved = form["remove"] == "1"
        if !isRemoved, form["new"] != form["again"] {
            return try await page(request) { context in
                let text = context.words.text("The two new PINs differ.")
                return try await offload { try PersonScreen(context: context).content(fault: text, of: .pin) }
            }
        }
        try await offload { try store.people.setPIN(isRemoved ? nil : form["new"] ?? "", former: form["former"]) }
        let note = isRemoved ? words.text("The PIN is removed.") : words.text("The PIN is set.")
        return done(request, PageNote(.good, note), at: "/person")
    }

    /// Starts a test for the current person.
    func begin(_ request: PageRequest, _ id: String) async throws -> PageReply {
        let storeContext = self.storeContext
        let store = storeContext.store
        let people = try await offload { try store.people.state() }
        let current = people.current
        if let seen = request.form["person"], seen != current?.id ?? "" {
            let words = PageWords(language: request.language)
            let name = current?.fullName ?? words.text("no one")
            return done(
                request,
                PageNote(.warn, words.text("The person here is another one now (\(name)). Nothing was started.")),
                at: "/q/\(PercentEncoding.encode(id))")
        }
        let isShared = try await offload { try !people.people.isEmpty || store.people.classList.current() != nil }
        if isShared, current == nil, request.form["anyone"] != "1" {
            return .seeOther("/person?begin=\(PercentEncoding.encode(id))")
        }
        let document = try await store.open(id: id, remote: storeContext.remote, isOffline: storeContext.isOffline)
        let test: TestID
        do {
            test = try await offload { [self] in
                try beginning.withLock { _ in
                    // A draft without answers counts as new: a second click finds it.
                    if let draft = try store.draft(ofQuestionnaire: id), draft.status == .empty,
                        draft.record.questionnaire.digest == document.digest, draft.record.person?.id == current?.id
                    {
                        return draft.record.id
                    }
                    return try store.begin(document).record.id
                }
            }
        } catch PersonError.notListed {
            return .seeOther("/person?begin=\(PercentEncoding.encode(id))")
        } catch let refusal as BeginRefusal {
            let text = refusal.access.refusal(request.language) ?? ""
            return done(request, PageNote(.warn, text), at: "/q/\(PercentEncoding.encode(id))")
        }
        return .seeOther("/t/\(test)")
    }
}
