import Disk
import Host
import Model
import Simulation
import SystemPackage

/// A picture that a device sends for a questionnaire, and the replies about it.
extension WriteWorld {
    static let picture = (0..<2500).map { UInt8(truncatingIfNeeded: $0 &* 29) }
    private static let path = ContentPath(Digest(sha256Of: picture), mediaType: "image/png")
    private static let delivery = id(500)

    /// Creates a questionnaire that shows the picture.
    static let showing = QuestionnaireWrite(
        change: id(400), action: .create, questionnaire: id(4).description, base: .none,
        document: Array(
            """
            {"id": "x", "title": "Shown", "questions": [{"id": "q", "text": "?", "media": [{"path": "\(path)"}]}]}
            """.utf8))

    /// Sends the picture, from where an earlier upload ended.
    func send(_ media: MediaArchive) async throws {
        let owner = MediaOwner.questionnaire(Self.path)
        let attachment = try media.attachment(Self.delivery, of: owner, sizeBytes: Int64(Self.picture.count))
        var receipt = try media.receipt(of: attachment, owner)
        if receipt == nil {
            let begun = try media.uploads.begin(attachment, of: owner)
            let rest = Self.picture[Int(begun.offset)...]
            var pieces = [Array(rest.dropFirst(1000)), Array(rest.prefix(1000))]
            let part = UploadStore.Part(offset: begun.offset, length: Int64(rest.count), isComplete: true)
            let record = try await media.uploads.receive(attachment.id, part) { pieces.popLast() }
            receipt = try media.complete(record, of: attachment)
        }
        guard let receipt else { return }
        acknowledged.picture.withLock { $0 = receipt }
    }

    func brokenPicture() async -> [String] {
        do {
            disk.clearPlan()
            return try await checkPicture()
        } catch {
            return ["it cannot be used: \(error)"]
        }
    }

    private func checkPicture() async throws -> [String] {
        var broken: [String] = []
        let told = acknowledged.picture.withLock { $0 }
        let media = try media()
        let owner = MediaOwner.questionnaire(Self.path)
        let attachment = try media.attachment(Self.delivery, of: owner, sizeBytes: Int64(Self.picture.count))
        let known = try media.receipt(of: attachment, owner)
        if let told, known != told { broken.append("the picture was acknowledged, and is not known so") }
        // A device without a reply sends it again.
        try await send(media)
        disk.clock.advance(by: .seconds(60))
        let places = disk.filePaths.filter { disk.contents(FilePath($0)) == Self.picture }
        if places != ["\(Self.path)"] { broken.append("the picture lies in \(places)") }
        for path in disk.filePaths where path.hasSuffix(".tmp") || path.hasSuffix(".part") {
            broken.append("\(path) was left over")
        }
        return broken
    }
}

enum HostMediaTrials {
    static let all: [Trial] = [
        Trial(.host, "a picture that a device sends for a questionnaire") { renames in
            let world = WriteWorld(renames: renames)
            try world.carryOut(try world.archive(), WriteWorld.showing)
            world.disk.settle()
            world.disk.clock.advance(by: .seconds(60))
            return Attempt(
                disk: world.disk, act: { files in try await world.send(try world.media(files)) },
                check: { await world.after($0).brokenPicture() })
        }
    ]
}
