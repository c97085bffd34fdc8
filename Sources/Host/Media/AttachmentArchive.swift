import Disk
import HTTPTypes
import Hummingbird
import Model
import NIOCore

/// The files of some tests in one ZIP archive, sent piece by piece.
struct AttachmentArchive: Sendable {
    struct File: Sendable {
        var entry: ZipArchive.Entry
        var digest: Digest
    }

    let files: [File]
    let place: any TestFiles

    func response(named name: String, isHead: Bool) -> Response {
        var fields = HTTPFields()
        fields[.contentType] = "application/zip"
        fields[.cacheControl] = "no-store"
        fields[.contentDisposition] = "attachment; filename*=UTF-8''" + PercentEncoding.encode(name)
        fields[.xContentTypeOptions] = "nosniff"
        let size = Int(ZipArchive.sizeBytes(of: files.map(\.entry)))
        let files = isHead ? [] : files
        return Response(
            status: .ok, headers: fields,
            body: ResponseBody(contentLength: size) { [place] writer in
                var archive = ZipArchive()
                for file in files {
                    guard let content = try await offload({ try place.media(file.digest) }) else {
                        throw HostError.shortenedMedia(file.entry.name)
                    }
                    let checksum = try await offload { try Self.checksum(of: content, file.entry) }
                    try await writer.write(ByteBuffer(bytes: archive.begin(file.entry, checksum: checksum)))
                    var offset: Int64 = 0
                    while offset < file.entry.sizeBytes {
                        let (start, rest) = (offset, file.entry.sizeBytes - offset)
                        let piece = try await offload { try content.piece(at: start, maximumBytes: rest) }
                        // It was truncated meanwhile: the connection is broken, so that no one takes this for all of it.
                        if piece.isEmpty { throw HostError.shortenedMedia(file.entry.name) }
                        try await writer.write(ByteBuffer(bytes: piece))
                        offset += Int64(piece.count)
                    }
                }
                try await writer.write(ByteBuffer(bytes: archive.end()))
                try await writer.finish(nil)
            })
    }

    private static func checksum(of content: OpenContent, _ entry: ZipArchive.Entry) throws -> UInt32 {
        var checksum = ZipArchive.Checksum()
        var offset: Int64 = 0
        while offset < entry.sizeBytes {
            let piece = try content.piece(at: offset, maximumBytes: entry.sizeBytes - offset)
            if piece.isEmpty { throw HostError.shortenedMedia(entry.name) }
            checksum.add(piece)
            offset += Int64(piece.count)
        }
        return checksum.value
    }
}

extension HostServices {
    /// The files of a questionnaire's tests that have arrived, in folders named by group and person.
    ///
    /// - Parameters:
    ///   - tests: in the order of the archive.
    ///   - folder: the parts of the name of a test's folder.
    package func files(
        of tests: [ResultOverview.Entry], of overview: ResultOverview, named name: String, isHead: Bool,
        folder: (ResultOverview.Entry) -> [String]
    ) throws -> Response {
        var names = ZipNames()
        var files: [AttachmentArchive.File] = []
        for test in tests where test.hasFiles {
            guard let (record, receipt, _) = try archive.handedIn(test.test) else { continue }
            for attachment in record.attachments where try archive.received.hasArrived(attachment) {
                let number = overview.place(of: attachment.questionId).map { "\($0 + 1)" } ?? attachment.questionId
                let path = names.path(folder(test) + ["\(number) \(attachment.name)"])
                files.append(
                    AttachmentArchive.File(
                        entry: ZipArchive.Entry(
                            name: path, sizeBytes: attachment.sizeBytes, modified: receipt.receivedAt ?? clock.now),
                        digest: attachment.digest))
            }
        }
        return AttachmentArchive(files: files, place: archive.received.files).response(named: name, isHead: isHead)
    }
}
