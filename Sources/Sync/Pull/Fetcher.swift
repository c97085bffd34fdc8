import CacheStore
import Disk
import HTTPCaching
import HTTPTypes
import Model
import WireFormat

/// Fetches content from the remote into the cache: one URL at a time, conditionally if something is stored.
package struct Fetcher: Sendable {
    let cache: Cache
    let remote: any Remote
    let clock: any StoreClock
    let overrides: [CacheControlOverride]
    /// Is given each reply about the list of questionnaires.
    var heardList: @Sendable (RemoteReply) -> Void = { _ in }

    package init(cache: Cache, remote: any Remote, clock: any StoreClock, overrides: [CacheControlOverride]) {
        self.cache = cache
        self.remote = remote
        self.clock = clock
        self.overrides = overrides
    }

    /// The kind of the requested content.
    package enum Kind: Sendable {
        case list
        /// With the id that it must have.
        case document(id: String)
    }

    package enum Outcome: Sendable {
        /// 304: the stored content is still valid.
        case unchanged(CacheEntry)
        /// It came, and is kept.
        case kept(CacheEntry, [UInt8])
        /// It came, and is not kept: the server forbids it, or the quota is full.
        case notKept([UInt8], reason: NotKept)
        /// The server has nothing there (404, 410).
        case gone
        /// The server answered with another status, or with invalid content.
        case refused(status: Int, reason: String)

        /// The stored entry; `nil` without one.
        var entry: CacheEntry? {
            switch self {
            case .kept(let entry, _), .unchanged(let entry): entry
            case .notKept, .gone, .refused: nil
            }
        }

        /// The same, for callers that need no content.
        var withoutContent: Outcome {
            switch self {
            case .kept(let entry, _): .kept(entry, [])
            case .notKept(_, let reason): .notKept([], reason: reason)
            case .unchanged, .gone, .refused: self
            }
        }
    }

    package enum NotKept: Sendable, Equatable {
        case noStore
        /// The quota is full.
        case noRoom(String)
        /// The disk is full, whatever the quota.
        case diskFull(String)
    }

    /// The fields of a request for content.
    package static var requestFields: HTTPFields {
        var fields = HTTPFields()
        fields[.acceptEncoding] = "gzip"
        return fields
    }

    /// Asks the remote for a URL, whatever the cache says of its freshness.
    package func fetch(
        _ url: String, _ kind: Kind, eviction: EvictionPolicy = .leastRecentlyUsed, replacingEdit: Bool = false
    ) async throws -> Outcome {
        let (stored, fields) = try question(url, kind, replacingEdit: replacingEdit)
        // Longer content is refused, packed or unpacked.
        let reply = try await remote.get(url, fields: fields, maximumBytes: Questionnaire.maximumBytes)
        // The next large reply is read when this one is processed.
        defer { withExtendedLifetime(reply.turn) {} }
        if case .list = kind { heardList(reply) }
        if reply.status == 200 || reply.status == 203 {
            return try await keep(
                reply, url: url, kind: kind, request: fields, eviction: eviction, replacingEdit: replacingEdit)
        }
        return try await outcome(of: reply, without: stored, url: url, request: fields)
    }

    /// The stored entry of a URL, and the conditional fields that ask for a newer version.
    ///
    /// - Parameter kind: `nil` for media.
    func question(
        _ url: String, _ kind: Kind?, replacingEdit: Bool
    ) throws -> (stored: CacheEntry?, fields: HTTPFields) {
        // An HTTP cache's response under the same URL (an error, a part, coded content) cannot be resumed, nor can
        // bytes that no list shows as a questionnaire: a 304 would leave them so.
        var stored = try cache.entry(url: url).value
        if stored?.isPlainContent != true { stored = nil }
        if case .document = kind, stored?.document == nil { stored = nil }
        var fields = Self.requestFields
        // Conditions only for content that exists, and that the server sent.
        if let stored, try cache.isPresent(stored), stored.edited == nil || !replacingEdit {
            for field in Validators.conditions(for: stored.response) { fields.append(field) }
        }
        return (stored, fields)
    }

    /// The meaning of a reply without content.
    ///
    /// - Throws: `RemoteFailure` where it is not the server's own: that a page is missing elsewhere says nothing.
    func outcome(
        of reply: RemoteReply, without stored: CacheEntry?, url: String, request: HTTPFields
    ) async throws -> Outcome {
        if reply.isFromStranger { throw RemoteFailure(.notTheServer, "\(url): \(reply.strangerReason)") }
        switch reply.status {
        case 304:
            guard let stored else { return .refused(status: 304, reason: "304 came without a condition") }
            let newFields = CacheControlOverride.apply(overrides, to: reply.fields, url: url)
            if case .refuse(.noStore) = Storability.decide(request: request, status: 200, response: newFields) {
                try await offload { try cache.remove(url: url) }
                return .unchanged(stored)
            }
            let updated = try await offload {
                try cache.update(url: url) { entry in
                    entry.isPulled = true
                    entry.response = entry.response.updated(
                        by: newFields, requestTime: reply.requestTime, responseTime: reply.responseTime)
                }
            }
            return .unchanged(updated ?? stored)
        case 404, 410: return .gone
        default:
            return .refused(status: reply.status, reason: Self.refusal(reply))
        }
    }

    private static func refusal(_ reply: RemoteReply) -> String {
        if let sentence = ReceivedProblem(reply)?.sentence { return "\(sentence) (\(reply.status))" }
        if reply.status == 401 { return "the server wants a valid token: see “quire remote”" }
        return "the server answered \(reply.status)"
    }

    /// Whether the same request may be answered otherwise in a while.
    static func isForNow(_ status: Int) -> Bool {
        (500...599).contains(status) || [401, 408, 425, 429].contains(status)
    }

    /// The white space of JSON, and a byte order mark.
    private static let spaces: Set<UInt8> = [0x09, 0x0A, 0x0D, 0x20, 0xEF, 0xBB, 0xBF]

    private func keep(
        _ reply: RemoteReply, url: String, kind: Kind, request: HTTPFields, eviction: EvictionPolicy,
        replacingEdit: Bool
    ) async throws -> Outcome {
        let bytes = try ContentReading.content(of: reply, maximumBytes: Questionnaire.maximumBytes)
        // A page that calls itself one is not stored in the place of a document. JSON under that type is a server's mistake.
        if reply.isFromStranger, bytes.first(where: { !Self.spaces.contains($0) }) != UInt8(ascii: "{") {
            throw RemoteFailure(.notTheServer, "\(url): \(reply.strangerReason)")
        }
        var summary: DocumentSummary?
        var searchText: String?
        switch kind {
        case .list: _ = try Self.list(bytes, of: url, advice: remote.listAdvice)
        case .document(let id):
            do throws(DocumentFault) {
                let questionnaire = try Questionnaire(json: bytes)
                guard questionnaire.id == id else {
                    throw DocumentFault(field: "id", reason: "is “\(questionnaire.id.prefix(80))” instead of “\(id)”")
                }
                summary = DocumentSummary(questionnaire, media: Self.mediaURLs(questionnaire, documentURL: url))
                searchText = questionnaire.foldedText
            } catch {
                return .refused(status: reply.status, reason: "what came is not the questionnaire: \(error)")
            }
        }
        let responseFields = CacheControlOverride.apply(overrides, to: reply.fields, url: url)
        guard case .store = Storability.decide(request: request, status: reply.status, response: responseFields) else {
            // Content stored under other rules is removed.
            try await offload { try cache.remove(url: url) }
            return .notKept(bytes, reason: .noStore)
        }
        let mediaType = reply.fields[.contentType] ?? "application/octet-stream"
        let arrival = Cache.Arrival(
            url: url, bytes: bytes,
            mediaType: summary == nil ? String(mediaType.prefix(200)) : "application/json",
            response: Self.storedResponse(reply, responseFields, request), document: summary, searchText: searchText)
        do {
            let entry = try await offload {
                try cache.store(arrival, eviction: eviction, replacingEdit: replacingEdit)
            }
            return .kept(entry, bytes)
        } catch CacheError.editedHere {
            // It was edited during the fetch: the edit stays.
            guard let entry = try cache.entry(url: url).value else { return .notKept(bytes, reason: .noStore) }
            return .unchanged(entry)
        } catch let error as CacheError {
            return .notKept(bytes, reason: .noRoom(error.description))
        } catch let error as FileError where error.isFull {
            return .notKept(bytes, reason: .diskFull(error.description))
        }
    }

    /// What came as a list; it is not stored where it is none.
    static func list(
        _ bytes: [UInt8], of url: String, advice: String
    ) throws(RemoteFailure) -> QuestionnaireList {
        do throws(DocumentFault) {
            return try DocumentCoding.decode(QuestionnaireList.self, from: bytes)
        } catch {
            throw RemoteFailure(.invalidReply, "\(url) is not a list of questionnaires: \(error); \(advice)")
        }
    }

    /// Lets the stored content of a URL go, with its validators.
    func forget(_ url: String) async throws { try await offload { try cache.remove(url: url) } }

    /// The absolute URLs of a questionnaire's media; those on other servers are left out.
    static func mediaURLs(_ questionnaire: Questionnaire, documentURL: String) -> [String] {
        var urls: [String] = []
        for medium in questionnaire.media {
            if let url = mediaURL(medium, documentURL: documentURL), !urls.contains(url) { urls.append(url) }
        }
        return urls
    }

    /// The absolute URL of a picture or sound; `nil` when it leads to another server.
    package static func mediaURL(_ medium: Media, documentURL: String) -> String? {
        // It is the path of a file: a `#` in it begins no fragment.
        RemoteURL.resolve(medium.path.replacing("#", with: "%23"), against: documentURL)
    }

    static func storedResponse(_ reply: RemoteReply, _ fields: HTTPFields, _ request: HTTPFields) -> StoredResponse {
        StoredResponse(
            status: reply.status, fields: keptFields(fields), requestTime: reply.requestTime,
            responseTime: reply.responseTime,
            varyingFields: VaryMatch.selectingFields(of: request, vary: fields) ?? HTTPFields())
    }

    /// Fields that speak of the connection, of the person or of the coding on the way are not kept.
    static func keptFields(_ fields: HTTPFields) -> HTTPFields {
        var kept = HTTPFields()
        for field in fields where !droppedFields.contains(field.name) && field.value.utf8.count <= 4096 {
            kept.append(field)
        }
        return kept
    }

    private static let droppedFields: Set<HTTPField.Name> = [
        .connection, .setCookie, .transferEncoding, .contentEncoding, .contentLength, .contentDigest,
        .proxyAuthenticate,
        .wwwAuthenticate, .te, .trailer, .upgrade,
    ]
}
