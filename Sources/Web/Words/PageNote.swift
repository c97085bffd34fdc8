import HTTPTypes
import Synchronization

/// A sentence about the last action, shown once on the next page.
struct PageNote: Sendable, Hashable {
    /// Which colour it has.
    enum Kind: String, Sendable { case good, calm, warn, bad }

    var kind: Kind
    var text: String

    init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
    }
}

/// The notes for the next page of each browser. They are in no address, so that a reload or a bookmark does not repeat
/// them.
final class PageNotes: Sendable {
    private let waiting = Mutex<[String: PageNote]>([:])

    /// More browsers than this are not waited for.
    private static let most = 100

    func leave(_ note: PageNote, for session: PageAuthenticator.Session) {
        waiting.withLock { waiting in
            if waiting.count >= Self.most { waiting.removeAll() }
            waiting[session.id] = note
        }
    }

    /// The note for a person who opens a page; a script that polls does not consume it.
    func take(_ request: PageRequest) -> PageNote? {
        guard request.method == .get, request.fields[.secFetchDest].map({ $0 == "document" }) ?? true else {
            return nil
        }
        return waiting.withLock { $0.removeValue(forKey: request.session.id) }
    }
}
