import Disk
import HTTPServing
import HTTPTypes
import Hummingbird
import Model
import NIOCore
import OutboxStore
import Quire

/// Receives files from a form: each is written to disk as it arrives, and belongs to the answer when it is complete.
struct FileIntake {
    let store: QuireStore
    let test: TestID
    let questionId: String
    /// The most files of the answer; `nil` where the author sets no limit.
    let mostFiles: Int?
    /// `nil` for files of any type.
    let accepted: AcceptedFiles?
    let words: PageWords
    /// Whether a form token is the one that this browser was shown.
    let isToken: @Sendable (String) -> Bool

    private static let longestTokenBytes = 4096
    /// The most bytes that are read of an unwanted file, so that the browser sees the reason.
    private static let mostUnwantedBytes: Int64 = 8 << 30

    private enum Part {
        /// Of no interest.
        case other
        case token([UInt8])
        case file(MediaSpool, type: String?)
    }

    /// - Returns: how many files were attached.
    /// - Throws: `PageProblem` for a foreign form, and the outbox's errors.
    func take(_ body: RequestBody, contentType: String) async throws -> Int {
        var pieces = body.makeAsyncIterator()
        do {
            return try await take(&pieces, contentType: contentType)
        } catch {
            // A browser that is answered before it has sent everything reports a broken connection.
            var rest = Self.mostUnwantedBytes
            while rest > 0, let piece = try? await pieces.next() { rest -= Int64(piece.readableBytes) }
            throw error
        }
    }

    private func take(_ pieces: inout RequestBody.AsyncIterator, contentType: String) async throws -> Int {
        guard var reader = MultipartReader(contentType: contentType) else { throw noForm }
        var part = Part.other
        var isAdmitted = false
        var count = 0
        do {
            while let piece = try await pieces.next() {
                let events: [MultipartReader.Event]
                do throws(MultipartReader.Fault) {
                    events = try reader.read(Array(piece.readableBytesView))
                } catch {
                    throw noForm
                }
                for event in events {
                    switch event {
                    case .part(let name, let fileName, let type):
                        part = try await begin(name, fileName, type, isAdmitted: isAdmitted)
                    case .bytes(let bytes): try await append(bytes, to: &part)
                    case .endOfPart:
                        switch part {
                        case .other: break
                        case .token(let bytes):
                            guard isToken(String(decoding: bytes, as: UTF8.self)) else { throw notOurs }
                            isAdmitted = true
                        case .file(let spool, let type):
                            // A finished file is not given up, whatever happens next.
                            part = .other
                            try await attach(spool, type)
                            count += 1
                        }
                        part = .other
                    }
                }
            }
            do throws(MultipartReader.Fault) { try reader.finish() } catch { throw noForm }
        } catch {
            if case .file(let spool, _) = part { store.outbox.media.giveUp(spool) }
            throw error
        }
        // Nothing was done yet that could be reported.
        guard isAdmitted else { throw notOurs }
        return count
    }

    private func begin(_ name: String, _ fileName: String?, _ type: String?, isAdmitted: Bool) async throws -> Part {
        if name == "token", fileName == nil { return .token([]) }
        guard name == "file", let fileName else { return .other }
        // The form authenticates itself before it sends anything.
        guard isAdmitted else { throw notOurs }
        if fileName.isEmpty { return .other }
        if let mostFiles, try await offload({ [self] in try attachedCount() }) >= mostFiles {
            throw PageProblem(
                .unprocessableContent, .didNotWork,
                words.atMostFiles(mostFiles) + " " + words.text("Remove one to attach another."))
        }
        let cleaned = Attachment.name(cleaning: fileName)
        // The browser's type counts if the name shows none.
        let isTold = MediaType.of(fileName: cleaned) != MediaType.unknown
        let stated = isTold ? nil : type.flatMap { MediaType.isType($0) ? $0 : nil }
        let mediaType = MediaType.of(fileName: cleaned, stated: stated)
        if let accepted, !accepted.takes(name: cleaned, mediaType: mediaType) {
            throw PageProblem(
                .unprocessableContent, .didNotWork,
                words.text(
                    "“\(cleaned)” is not attached: files of these types are asked for: \(accepted.entries.joined(separator: ", "))."
                ))
        }
        let spool = try await offload { [store, test, questionId] in
            try store.testAttachments.checkAttachable(test, questionId: questionId, name: cleaned, mediaType: mediaType)
            return try store.outbox.media.spool(named: cleaned)
        }
        return .file(spool, type: stated)
    }

    private func attachedCount() throws -> Int {
        try store.outbox.test(test)?.record.attachments(to: questionId).count ?? 0
    }

    private func append(_ bytes: [UInt8], to part: inout Part) async throws {
        switch part {
        case .other: break
        case .token(let known):
            guard known.count + bytes.count <= Self.longestTokenBytes else { throw notOurs }
            part = .token(known + bytes)
        case .file(let spool, let type):
            guard spool.sizeBytes + Int64(bytes.count) <= Attachment.maximumBytes else {
                throw PageProblem(.contentTooLarge, .didNotWork, words.tooLong(spool.name))
            }
            part = .file(
                try await offload { [store] in
                    var spool = spool
                    try store.outbox.media.append(bytes, to: &spool)
                    return spool
                }, type: type)
        }
    }

    private func attach(_ spool: MediaSpool, _ type: String?) async throws {
        try await offload { [store, test, questionId] in
            let spooled = try store.outbox.media.finish(spool)
            _ = try store.testAttachments.attach(
                spooled, to: test, questionId: questionId, name: spool.name, mediaType: type)
        }
    }

    private var noForm: PageProblem {
        PageProblem(
            .badRequest, .didNotWork,
            words.text("The file did not arrive completely, so it is not attached. Choose it again."))
    }

    private var notOurs: PageProblem { .notOurs(words.language) }
}
