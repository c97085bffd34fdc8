import Disk
import HTTPTypes
import Hummingbird
import Model
import OutboxStore
import Quire

/// Files that belong to answers.
extension PageRouter {
    /// Whether a form with files may be sent there: `/t/TEST/files/2`.
    static func takesFiles(_ path: [String]) -> Bool { path.count == 4 && path[0] == "t" && path[2] == "files" }

    /// The screen of `/t/TEST/files/2`; `nil` if the test is no longer a draft.
    private func screen(_ request: PageRequest) async throws -> FilesScreen? {
        let id = try id(request)
        guard try await isDraft(id) else { return nil }
        let context = screenContext(request)
        let draft = try await TestScreen(context: context).draft(id)
        guard let number = Int(place: request.path[3]), draft.questionnaire.questions.indices.contains(number - 1)
        else {
            throw PageProblem.notFound(request.language)
        }
        return FilesScreen(context: context, draft: draft, index: number - 1)
    }

    func showFiles(_ request: PageRequest) async throws -> PageReply {
        guard let screen = try await screen(request) else { return .seeOther("/t/\(try id(request))") }
        return try await page(request) { _ in try await offload { screen.content() } }
    }

    /// The bytes of an attachment: `/t/TEST/file/UUID`.
    func file(_ request: PageRequest) async throws -> PageReply {
        let (store, id, range) = (storeContext.store, try id(request), request.fields[.range])
        let attachment = request.path[3]
        guard
            let found = try await offload({ try AttachmentEndpoint(store: store).answer(id, attachment, range: range) })
        else { throw PageProblem.notFound(request.language) }
        return .response(found)
    }

    /// The way to a test that was finished before a file arrived, where a person without a script reads that it is not part of it.
    private func late(_ request: PageRequest) throws -> PageReply {
        let address = "/t/\(try id(request))"
        if request.wantsJSON { return .seeOther(address) }
        return done(
            request, PageNote(.warn, PageWords(language: request.language)[.finishedElsewhere]), at: address)
    }

    /// Receives the files of a form.
    func takeFiles(
        _ request: PageRequest, _ body: RequestBody, isToken: @escaping @Sendable (String) -> Bool
    ) async throws -> PageReply {
        if let refusal = try await refusal(request) { return refusal }
        guard let screen = try await screen(request) else { return try late(request) }
        let question = screen.draft.questionnaire.questions[screen.index]
        let intake = FileIntake(
            store: storeContext.store, test: screen.draft.id, questionId: question.id, mostFiles: question.mostFiles,
            accepted: question.acceptedFiles,
            words: screen.context.words, isToken: isToken)
        let address = FilesScreen.next(screen.draft.id, screen.index, of: question)
        do {
            let count = try await intake.take(body, contentType: request.fields[.contentType] ?? "")
            if count == 0 {
                throw PageProblem(
                    .badRequest, .didNotWork,
                    screen.context.words.text("Choose a file first."))
            }
        } catch OutboxError.frozen {
            // Finished meanwhile, in another tab.
            if request.wantsJSON { return try .encoded(["go": "/t/\(screen.draft.id)"], status: .conflict) }
            return try late(request)
        } catch {
            let problem = PageResponder.problem(error, request.language)
            if request.wantsJSON { return try .encoded(["problem": problem.detail], status: problem.status) }
            if problem.status == .forbidden { throw problem }
            // The files before it are attached.
            guard let now = try await self.screen(request) else { throw problem }
            return try await page(request) { _ in try await offload { now.content(fault: problem) } }
        }
        return request.wantsJSON ? try .encoded(["go": address]) : .seeOther(address)
    }

    /// Takes a file away from a draft. A second click finds it gone.
    func detachFile(_ request: PageRequest, _ id: TestID) async throws -> PageReply {
        let store = storeContext.store
        guard let file = request.form["file"].flatMap({ TestID($0) }),
            let number = request.form["n"].flatMap({ Int(place: $0) }), number > 0
        else { throw PageProblem.notFound(request.language) }
        do {
            try await offload { _ = try store.outbox.edits.detach(file, from: id) }
        } catch OutboxError.frozen {
            return .seeOther("/t/\(id)")
        }
        let questions = try await TestScreen(context: screenContext(request)).draft(id).questionnaire.questions
        guard questions.indices.contains(number - 1) else { return .seeOther("/t/\(id)") }
        return .seeOther(FilesScreen.next(id, number - 1, of: questions[number - 1]))
    }
}
