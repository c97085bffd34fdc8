import Disk
import Model

/// Carries out devices' changes to favourites, each once. All calls block on the disk.
struct FavoriteArchive: Sendable {
    let store: FavoriteStore
    private let changes: QuestionnaireArchive
    private let catalog: QuestionnaireCatalog
    private let clock: any StoreClock

    /// For requests without a token.
    static let everybody = "everybody"

    init(
        _ files: any HostFiles, _ changes: QuestionnaireArchive, _ catalog: QuestionnaireCatalog,
        clock: any StoreClock
    ) {
        store = FavoriteStore(files: files, clock: clock)
        self.changes = changes
        self.catalog = catalog
        self.clock = clock
    }

    /// Sets or unsets a favourite, and writes the receipt.
    ///
    /// - Parameters:
    ///   - action: `favorite` or `unfavorite`.
    ///   - questionnaire: by the host's id, or the device's.
    /// - Returns: never `mismatch`.
    func carryOut(
        _ change: TestID, _ action: ChangeAction, _ questionnaire: String, of person: String
    ) throws -> QuestionnaireArchive.Outcome {
        if let known = try changes.receipt(of: change) {
            guard known.receipt.action == action, try changes.isAbout(questionnaire, known.receipt) else {
                return .different
            }
            return .known(known.bytes)
        }
        if try changes.isOfTest(change) { return .different }
        // The device may know it by the id that it gave it, and it may be deleted by now.
        let id = try catalog.entry(id: questionnaire)?.id ?? changes.hostID(of: questionnaire) ?? questionnaire
        if action == .favorite {
            try store.set(id, of: person)
        } else {
            try store.unset(id, of: person)
        }
        let receipt = Receipt(
            test: change, digest: Digest(sha256Of: []), status: .sent, receivedAt: clock.now, action: action,
            published: Publication(id: id))
        return try changes.keep(receipt).map { .stored($0) } ?? .different
    }
}
