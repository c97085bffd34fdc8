import Disk
import HTTPTypes
import Model
import ObjectStores
import Sync
import SystemPackage
import WireFormat

/// A folder as a remote (`docs/folder.md`): a stick, a share, or a bucket with the same layout (`docs/object-storage.md`).
/// Questionnaires are read from it; tests, changes of questionnaires, favourites and attachments are put into it. A host
/// imports them with `quire host --collect`, and its receipts come back the same way.
///
/// It answers like a hub: submissions that are in the folder, durably, are kept there. They are delivered when the
/// host's receipt is there.
package final class FolderRemote: Remote {
    package let base: String
    package let listURL: String
    /// Where it is, for people and for `quire host --collect`.
    let place: String
    let clock: any StoreClock
    private let opening: @Sendable () throws -> any ExchangeFiles
    private let reachability: @Sendable () -> Presence
    private let closing: @Sendable () async -> Void

    /// - Parameter base: a file URL of a folder, like `file:///media/stick`.
    /// - Throws: `RemoteAddressError` when it is another kind of URL.
    package convenience init(base: String, clock: any StoreClock) throws(RemoteAddressError) {
        let address = try FolderAddress(base)
        let path = address.path
        let opening: @Sendable () throws -> any ExchangeFiles = {
            do {
                return try ExchangeFolder(try POSIXFileSystem(root: path))
            } catch let error as FileError where error.isMissing {
                throw RemoteFailure(.unreachable, "there is no folder \(path): is the stick plugged in?")
            }
        }
        self.init(
            base: address.base, place: path.string, clock: clock, opening: opening,
            reachability: {
                do {
                    _ = try opening()
                    return .certain
                } catch {
                    return .away("\(error)")
                }
            })
    }

    /// - Parameters:
    ///   - base: without a slash at its end.
    ///   - opening: opens the files; it may block.
    ///   - reachability: known at once, without traffic.
    package init(
        base: String, place: String, clock: any StoreClock, opening: @escaping @Sendable () throws -> any ExchangeFiles,
        reachability: @escaping @Sendable () -> Presence, closing: @escaping @Sendable () async -> Void = {}
    ) {
        self.base = base
        self.place = place
        self.clock = clock
        self.opening = opening
        self.reachability = reachability
        self.closing = closing
        listURL = base + "/" + ExchangeLayout.list.string
    }

    package nonisolated(nonsending) func shutdown() async { await closing() }

    package func documentURL(id: String) -> String {
        base + "/" + ExchangeLayout.questionnaires.string + "/"
            + PercentEncoding.encode(id.isEmpty ? "" : ExchangeLayout.documentName(id: id))
    }

    package func presence() -> Presence { reachability() }

    // MARK: Questionnaires

    package func get(_ url: String, fields: HTTPFields, maximumBytes: Int) async throws(RemoteFailure) -> RemoteReply {
        guard let places = places(url) else {
            throw RemoteFailure(.invalidReply, "\(url.prefix(300)) is not in this folder, \(base)")
        }
        let requestTime = clock.now
        return try await working { folder in
            for place in places {
                guard let (bytes, _) = try folder.read(place, maximumBytes: Int64(maximumBytes)) else { continue }
                return self.representation(bytes, of: place, request: fields, requestTime)
            }
            if url == self.listURL {
                throw RemoteFailure(
                    .invalidReply,
                    "\(self.place) has no questionnaires yet: on the host, “quire host --collect \(self.place)” puts them there"
                )
            }
            return self.problem(404, "there is no such file in the folder", requestTime)
        }
    }

    /// The files that a URL may mean, the likelier first; `nil` when it leads elsewhere.
    func places(_ url: String) -> [FilePath]? {
        if url == listURL { return [ExchangeLayout.list] }
        let prefix = base + "/" + ExchangeLayout.questionnaires.string + "/"
        guard url.hasPrefix(prefix) else { return nil }
        let parts = url.dropFirst(prefix.count).split(separator: "/", omittingEmptySubsequences: false).map {
            PercentEncoding.decode(String($0))
        }
        guard
            parts.allSatisfy({ part in
                part.map { !$0.isEmpty && !$0.hasPrefix(".") && !$0.contains("/") && !$0.utf8.contains(0) } ?? false
            })
        else { return nil }
        let names = parts.compactMap(\.self)
        let file = ExchangeLayout.questionnaires.appending(name: names.joined(separator: "/"))
        return names.count == 1 ? [ExchangeLayout.document(name: names[0]), file] : [file]
    }

    private func representation(
        _ bytes: [UInt8], of place: FilePath, request: HTTPFields, _ requestTime: Timestamp
    ) -> RemoteReply {
        let (isUnchanged, fields) = head(of: place, Digest(sha256Of: bytes), request)
        return isUnchanged ? reply(304, fields, [], requestTime) : reply(200, fields, bytes, requestTime)
    }

    /// The fields of a file, and whether the client already has it.
    func head(
        of place: FilePath, _ digest: Digest, _ request: HTTPFields
    ) -> (isUnchanged: Bool, fields: HTTPFields) {
        let tag = "\"\(digest.hex)\""
        var fields = HTTPFields()
        fields[.eTag] = tag
        fields[.cacheControl] = "max-age=3600"
        let isUnchanged = request[.ifNoneMatch].map { condition in
            condition.split(separator: ",").contains { candidate in
                let candidate = candidate.drop { $0 == " " }
                return (candidate.hasPrefix("W/") ? candidate.dropFirst(2) : candidate).prefix { $0 != " " } == tag
            }
        }
        if isUnchanged == true { return (true, fields) }
        fields[.contentType] = MediaType.of(fileName: place.name ?? "")
        return (false, fields)
    }

    // MARK: Tests

    package func put(_ test: TestID, bytes: [UInt8], digest: Digest) async throws(RemoteFailure) -> RemoteReply {
        let requestTime = clock.now
        return try await working { folder in
            if let said = try self.said(of: test, digest, folder, requestTime) { return said }
            return try self.keep(
                bytes, at: ExchangeLayout.test(test), maximumBytes: 4 << 20, folder, requestTime,
                unless: { Self.isTest($0, test) }, "the folder has this test with other answers"
            ) { KeptReceipt(test: test, digest: digest, keptAt: $0) }
        }
    }

    // MARK: Parts

    func open() throws(RemoteFailure) -> any ExchangeFiles {
        do {
            return try opening()
        } catch let failure as RemoteFailure {
            throw failure
        } catch let error as FileError where error.isAway {
            throw failure(error)
        } catch {
            throw RemoteFailure(.unreachable, "\(error)")
        }
    }

    /// Runs blocking work in the folder, opened for each call: a stick comes and goes.
    func working<Result: Sendable>(
        _ work: @escaping @Sendable (any ExchangeFiles) throws -> Result
    ) async throws(RemoteFailure) -> Result {
        do {
            return try await offload { try work(try self.open()) }
        } catch let failure as RemoteFailure {
            throw failure
        } catch let error as FileError {
            throw self.failure(error)
        } catch {
            throw RemoteFailure(.interrupted, "\(error)")
        }
    }

    func failure(_ error: FileError) -> RemoteFailure {
        let kind: RemoteFailure.Kind =
            switch error.code {
            // Nothing can be put there: that says nothing against this test.
            case _ where error.isUnwritable: .unreachable
            case .hostIsDown: .unreachable
            case .fileTooLarge: .invalidReply
            default: .interrupted
            }
        return RemoteFailure(kind, error.description)
    }

    /// - Returns: the reply for a full folder.
    func unlessFull(
        _ folder: any ExchangeFiles, _ requestTime: Timestamp, _ write: () throws -> Void
    ) throws -> RemoteReply? {
        do {
            try write()
        } catch let error as FileError where error.isFull {
            guard makeRoom(folder) else { return full(requestTime) }
            do {
                try write()
            } catch let error as FileError where error.isFull {
                return full(requestTime)
            }
        }
        return nil
    }

    /// Removes the files of killed writers: a part of a video may fill a stick.
    ///
    /// - Returns: whether there was something.
    func makeRoom(_ folder: any ExchangeFiles) -> Bool {
        let removed = try? folder.removeAbandonedFiles()
        return (removed ?? 0) > 0
    }

    func full(_ requestTime: Timestamp) -> RemoteReply {
        problem(507, "\(place) is full: free some space there", requestTime)
    }

    static let json: HTTPFields = [.contentType: "application/json"]

    func reply(_ status: Int, _ fields: HTTPFields, _ body: [UInt8], _ requestTime: Timestamp) -> RemoteReply {
        RemoteReply(status: status, fields: fields, body: body, requestTime: requestTime, responseTime: clock.now)
    }

    func problem(_ status: Int, _ detail: String, _ requestTime: Timestamp) -> RemoteReply {
        var document = ProblemDocument(status: status, name: "Folder", kind: "folder", detail: detail)
        // The folder's receipts are as they were before problems had titles here.
        document.title = nil
        return reply(status, [.contentType: ProblemDocument.mediaType], document.bytes, requestTime)
    }
}
