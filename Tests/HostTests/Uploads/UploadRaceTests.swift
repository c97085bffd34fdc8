import Disk
import Model
import SystemPackage
import Testing

@testable import Host

/// The connection broke.
private struct Broken: Error {}

/// Of two connections that send one file the host believes neither more than its bytes.
@Suite("Two connections that send one file to the host")
struct UploadRaceTests {
    private let fixture: HostFixture
    private let media: MediaArchive
    private let lock: LockFile?
    private let content = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 43) }
    private let owner: MediaOwner
    private let attachment: Model.Attachment

    init() throws {
        fixture = try HostFixture()
        let opened = try fixture.host().open()
        media = opened.responder.media.archive
        lock = opened.lock
        attachment = Model.Attachment(
            id: .random(), questionId: "sky", name: "1.png", mediaType: "image/png", sizeBytes: 5000,
            digest: Digest(sha256Of: content))
        let test = TestRecord(
            id: .random(),
            questionnaire: QuestionnaireReference(id: "colours", title: "C", digest: Digest(sha256Of: "c".utf8)),
            dateStarted: fixture.clock.now, answers: [], attachments: [attachment], deviceId: "d", sequence: 1)
        owner = .test(test.id)
        let submission = try TestSubmission(try DocumentCoding.encode(test), id: test.id)
        guard case .stored = try opened.responder.tests.archive.store(submission) else { throw Broken() }
        _ = try media.uploads.begin(attachment, of: owner)
    }

    /// Sends all of it, or the other bytes that the connection transfers.
    private func send(_ bytes: [UInt8], breaksAfter count: Int? = nil) async throws -> UploadRecord {
        var pieces = [count.map { Array(bytes.prefix($0)) } ?? bytes]
        let part = UploadStore.Part(offset: 0, length: 5000, isComplete: true)
        return try await media.uploads.receive(attachment.id, part) {
            if let piece = pieces.popLast() { return piece }
            if count != nil { throw Broken() }
            return nil
        }
    }

    private var other: [UInt8] { content.map { $0 ^ 1 } }
    private func uploads() throws -> [String] { try fixture.names(fixture.data.appending("uploads")) }

    private func expectWhole(_ receipt: [UInt8]) throws {
        #expect(try DocumentCoding.decode(Receipt.self, from: receipt).digest == attachment.digest)
        let file = fixture.data.appending("media").appending(attachment.digest.hex)
        #expect(try fixture.bytes(file) == content)
        #expect(try uploads().isEmpty)
    }

    @Test("what comes after the digest was compared does not get under it", arguments: [nil, 1000])
    func afterTheDigest(_ breaksAfter: Int?) async throws {
        let mine = try await send(content)
        let checked = try media.uploads.checkedBytes(of: mine)
        // The same connection's client has come back, or another one sends something else.
        if let breaksAfter {
            await #expect(throws: Broken.self) { try await send(other, breaksAfter: breaksAfter) }
        } else {
            _ = try await send(other)
        }
        #expect(try OpenContent(checked, in: media.fileSystem).digest() == attachment.digest)
        media.uploads.giveBack(checked, of: attachment.id)
        #expect(try !uploads().contains { $0.hasSuffix(".whole") })
        try expectWhole(try media.complete(try await send(content), of: attachment))
    }

    @Test("an upload overtaken before the digest check gets that error, and none about the digest")
    func beforeTheDigest() async throws {
        let mine = try await send(content)
        let theirs = try await send(other)
        #expect(throws: UploadFault.superseded) { try media.complete(mine, of: attachment) }
        #expect(throws: UploadFault.digestMismatch) { try media.complete(theirs, of: attachment) }
        #expect(try fixture.names(fixture.data.appending("media")).isEmpty)
        #expect(try media.uploads.pause(attachment.id)?.offset == 0)
        try expectWhole(try media.complete(try await send(content), of: attachment))
    }

    @Test("two uploads of the right bytes get one receipt, whichever is first")
    func bothRight() async throws {
        let (first, second) = (try await send(content), try await send(content))
        let receipt = try media.complete(second, of: attachment)
        #expect(try media.complete(first, of: attachment) == receipt)
        try expectWhole(receipt)
    }

    @Test("bytes sent after the end of an upload do not reach the next one")
    func ended() async throws {
        let half = Array(content.prefix(2500))
        var count = 0
        let part = UploadStore.Part(offset: 0, length: 5000, isComplete: true)
        await #expect(throws: UploadFault.superseded) {
            _ = try await media.uploads.receive(attachment.id, part) {
                count += 1
                if count == 1 {
                    try media.uploads.end(attachment.id)
                    _ = try media.uploads.begin(attachment, of: owner)
                    let later = UploadStore.Part(offset: 0, length: 2500, isComplete: false)
                    var pieces = [half]
                    let record = try await media.uploads.receive(attachment.id, later) { pieces.popLast() }
                    #expect(record.offset == 2500)
                }
                return count == 1 ? other : nil
            }
        }
        #expect(try media.uploads.pause(attachment.id)?.offset == 2500)
        #expect(try fixture.bytes(fixture.data.appending("uploads/\(attachment.id).part")) == half)
    }

    @Test("a host that was killed while it compared the digest resumes from the received bytes")
    func killed() async throws {
        _ = try media.uploads.checkedBytes(of: try await send(content))
        #expect(try !uploads().contains("\(attachment.id).part"))
        try media.recover()
        #expect(try uploads() == ["\(attachment.id).json", "\(attachment.id).part"])
        #expect(try media.uploads.begin(attachment, of: owner).offset == 5000)
        let rest = UploadStore.Part(offset: 5000, length: 0, isComplete: true)
        let record = try await media.uploads.receive(attachment.id, rest) { nil }
        try expectWhole(try media.complete(record, of: attachment))
    }

    @Test("the rest of a complete file whose upload was restarted is removed")
    func leftOver() async throws {
        let checked = try media.uploads.checkedBytes(of: try await send(content))
        _ = try await send(content)
        try media.recover()
        #expect(try media.fileSystem.status(at: checked) == nil)
        #expect(try media.uploads.begin(attachment, of: owner).offset == 5000)
    }
}
