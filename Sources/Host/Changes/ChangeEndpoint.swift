import HTTPTypes
import Hummingbird
import Model
import WireFormat

/// Accepts changes from devices, and reports changes. All calls block on the disk.
struct ChangeEndpoint: Sendable {
    let archive: QuestionnaireArchive
    let catalog: QuestionnaireCatalog
    let favorites: FavoriteArchive

    /// `PUT` and `DELETE questionnaires/{id}`
    func write(_ id: String, _ request: HostRequest) throws -> Response {
        if let fault = Questionnaire.fault(inID: id) {
            throw Problem.invalidQuestionnaire(field: "id", "The id in the path \(fault).")
        }
        do {
            var document: [UInt8]?
            if request.method == .put {
                try request.checkDigest()
                document = try request.decodedBody()
                _ = try Questionnaire(json: document ?? [])
            }
            let write = try QuestionnaireWrite(request, questionnaire: id, document: document)
            return try answer(try archive.carryOut(write), write)
        } catch let fault as DocumentFault {
            throw Problem.invalidQuestionnaire(field: fault.field, "The questionnaire cannot be read: \(fault).")
        }
    }

    private func answer(_ outcome: QuestionnaireArchive.Outcome, _ write: QuestionnaireWrite) throws -> Response {
        switch outcome {
        case .stored(let receipt):
            var response = TestEndpoint.receipt(receipt, status: write.action == .create ? .created : .ok)
            if let published = try archive.receipt(of: write.change)?.receipt.published {
                response.headers[.eTag] = published.etag
                if write.action == .create {
                    response.headers[.location] = APIPath.questionnaire(published.id).text
                }
            }
            return response
        case .known(let receipt): return TestEndpoint.receipt(receipt, status: .ok)
        case .different, .mismatch: throw ChangeEndpoint.problem(outcome, write.change, of: write.questionnaire)
        }
    }

    /// Why a change was not carried out.
    static func problem(
        _ outcome: QuestionnaireArchive.Outcome, _ change: TestID, of questionnaire: String
    ) -> Problem {
        switch outcome {
        case .stored, .known, .different:
            return Problem(
                .conflict, kind: "different-content", title: "Something else was done under this id",
                detail: "The host knows change \(change) with other content: send yours under a new id.")
        case .mismatch(nil):
            return Problem(
                .notFound, kind: "questionnaire-unknown", title: "There is no such questionnaire",
                detail: "There is no questionnaire with the id “\(questionnaire.prefix(200))”.")
        case .mismatch(let current?):
            var problem: Problem
            if current.deleted == true {
                problem = Problem(
                    .preconditionFailed, kind: "deleted", title: "It was deleted here",
                    detail: "The host has deleted this questionnaire since the version that the change is based on.")
            } else {
                problem = Problem(
                    .preconditionFailed, kind: "version-mismatch", title: "There is another version",
                    detail:
                        "The host has another version than the one that the change is based on: compare, then decide.")
            }
            problem.document.current = current
            problem.headerFields[.eTag] = current.etag
            return problem
        }
    }

    /// `PUT` and `DELETE favorites/{id}`
    func favorite(_ id: String, _ request: HostRequest) throws -> Response {
        if let fault = Questionnaire.fault(inID: id) {
            throw Problem.invalidQuestionnaire(field: "id", "The id in the path \(fault).")
        }
        let change = try QuestionnaireWrite.change(request)
        let action: ChangeAction = request.method == .put ? .favorite : .unfavorite
        let outcome = try favorites.carryOut(change, action, id, of: request.caller.favorites)
        switch outcome {
        case .stored(let receipt), .known(let receipt): return TestEndpoint.receipt(receipt, status: .ok)
        case .different, .mismatch: throw ChangeEndpoint.problem(outcome, change, of: id)
        }
    }

    private struct FavoriteList: Encodable {
        var favorites: [FavoriteStore.Favorite]
    }

    /// `GET favorites`
    func favoriteList(_ request: HostRequest) throws -> Response {
        let list = FavoriteList(favorites: try favorites.store.all(of: request.caller.favorites))
        return try TestEndpoint.represent(try DocumentCoding.encodeLine(list), request)
    }

    private struct ChangeList: Encodable {
        struct Change: Encodable {
            var sequence: Int
            var kind: ChangeRegister.Kind
            var questionnaire: Publication
        }

        var register: String
        var last: Int
        var changes: [Change]
        var hasMore: Bool
    }

    /// `GET changes`
    func list(_ request: HostRequest) throws -> Response {
        var since = 0
        if let text = request.query["since"] {
            guard let number = Int(text), number >= 0 else {
                throw Problem.badRequest("since must be the number of a change, or 0.")
            }
            since = number
        }
        let limit = try PageRequest(request.query).limit
        let (content, changes, hasMore) = try archive.register.page(after: since, limit: limit) {
            try catalog.refresh()
        }
        if since > content.sequence || request.query["register"].map({ $0 != content.register }) == true {
            throw Problem(
                .gone, kind: "unknown-sequence", title: "The numbers are those of another register",
                detail: "The host's change register was recreated since: ask again with since=0.")
        }
        let page = changes.map {
            ChangeList.Change(sequence: $0.sequence, kind: $0.kind, questionnaire: $0.publication)
        }
        let list = ChangeList(register: content.register, last: content.sequence, changes: page, hasMore: hasMore)
        return try TestEndpoint.represent(try DocumentCoding.encodeLine(list), request)
    }
}
