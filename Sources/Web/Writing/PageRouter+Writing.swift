import Authoring
import Disk
import HTTPTypes
import Model
import OutboxStore
import Quire

/// The screens on which questionnaires are written, at `/write`.
extension PageRouter {
    /// Whether a form of this address may have a picture or sound.
    static func takesAuthoredFiles(_ path: [String]) -> Bool { path.first == "write" && path.last == "media" }

    func write(_ request: PageRequest) async throws -> PageReply {
        let path = Array(request.path.dropFirst())
        switch (path.first, request.method == .post) {
        case (nil, false):
            return try await page(request) { context in
                try await offload { try OwnScreen(context: context).content() }
            }
        case ("delete", true) where path.count == 1: return try await deleteOwn(request)
        default: break
        }
        let (storeContext, screens) = (self.storeContext, self.screens)
        let reply = try await offload {
            let services = try StoreAuthoring(
                storeContext, request.language, stylesheet: screens.assets.stylesheet)
            let authoring = AuthoringRequest(
                method: request.method, query: request.query, form: request.form, file: request.file,
                fields: request.fields,
                language: request.language, author: try storeContext.store.people.state().current?.fullName ?? "",
                formToken: request.session.formToken)
            return try WritingRouter(
                context: AuthoringContext(request: authoring, services: services), screens: screens.authoring
            ).answer(path)
        }
        switch reply {
        case .page(let made): return try await page(request) { _ in Screens.Content(made) }
        case .response(let response): return .response(response)
        // Publishing and discarding a draft lead back to the list.
        case .seeOther(StoreAuthoring.root) where path.last == "publish": return await published(request)
        case .seeOther(let address): return .seeOther(address)
        }
    }

    private func published(_ request: PageRequest) async -> PageReply {
        await background.look()
        if storeContext.connection.isOnline { sendSoon() }
        let words = PageWords(language: request.language)
        return done(
            request, PageNote(.good, words.text("Published on this device. The list says when the server has it.")),
            at: StoreAuthoring.root)
    }

    private func deleteOwn(_ request: PageRequest) async throws -> PageReply {
        let (store, id, version) = (storeContext.store, request.form["questionnaire"] ?? "", request.form["version"])
        let words = PageWords(language: request.language)
        let note = try await offload { () throws -> PageNote? in
            guard let opened = try store.documents.openHere(id: id) else {
                // Pressed twice it is gone already, and the first note says how.
                if try store.localQuestionnaires().local(id)?.isDeletion ?? true { return nil }
                return PageNote(
                    .warn, words.text("This questionnaire is not on this device at the moment, so nothing was deleted.")
                )
            }
            guard opened.digest.description == version else {
                return PageNote(
                    .warn, words.text("It was changed meanwhile, so nothing was deleted: look at it first."))
            }
            return PageNote(
                .good,
                try store.delete(opened) != nil
                    ? words.text("Deleted here. The server is notified with the next sync.")
                    : words.text("Deleted. No server had it."))
        }
        guard let note else { return .seeOther(StoreAuthoring.root) }
        await background.look()
        if storeContext.connection.isOnline { sendSoon() }
        return done(request, note, at: StoreAuthoring.root)
    }
}
