import CacheStore
import Disk
import HTTPServing
import HTTPTypes
import Hummingbird
import Model
import NIOCore
import Quire

/// Pictures and sound of questions, from the cache, or from the outbox where they were attached here.
///
/// The address names a question or a section of a version and an index in its list of media, never a path: a questionnaire's
/// names of pictures lead to an entry of the cache or to nothing.
struct MediaEndpoint: Sendable {
    let storeContext: StoreContext

    /// What shows a medium, by its place among those that a test has.
    enum Owner: Sendable {
        case question(Int)
        case section(Int)

        var text: String {
            switch self {
            case .question(let place): "\(place)"
            case .section(let place): "s\(place)"
            }
        }

        init?(_ text: String) {
            if let place = Int(text) {
                self = .question(place)
            } else if text.hasPrefix("s"), let place = Int(text.dropFirst()) {
                self = .section(place)
            } else {
                return nil
            }
        }

        func media(in questionnaire: Questionnaire) -> [Media] {
            switch self {
            case .question(let place):
                questionnaire.questions.indices.contains(place) ? questionnaire.questions[place].media : []
            case .section(let place):
                questionnaire.sections.indices.contains(place) ? questionnaire.sections[place].media : []
            }
        }
    }

    /// - Parameter test: whose version it is of.
    static func address(
        _ digest: Digest, _ owner: Owner, medium: Int, questionnaire id: String, test: TestID
    ) -> String {
        "/media/\(digest.hex)/\(owner.text)/\(medium)/\(PercentEncoding.encode(id))/\(test)"
    }

    /// Whether a medium is known to be here.
    func isHere(_ medium: Media, in record: TestRecord) -> Bool {
        (try? storeContext.store.shownMedia.place(of: medium, in: record, remote: storeContext.remote)) != nil
    }

    /// The size of a picture in the cache. Blocks on the disk.
    func size(of medium: Media, questionnaire id: String) -> PictureSize? {
        guard
            case .cache(let entry)? = try? storeContext.store.shownMedia.place(
                of: medium, questionnaire: id, remote: storeContext.remote)
        else { return nil }
        let size = Int64(entry.sizeBytes)
        let head = 0..<min(size, Int64(PictureSize.lookedAt))
        switch (try? storeContext.store.cache.read(entry.blob, sizeBytes: size, range: head))?.value {
        case .bytes(let bytes): return PictureSize(bytes)
        case .stream(let reader): return (try? reader.next()).flatMap { $0.flatMap { PictureSize(Array($0)) } }
        case nil: return nil
        }
    }

    /// Blocks on the disk.
    func answer(_ path: [String], range: String?) throws -> Response? {
        guard path.count == 5, let test = TestID(path[4]),
            let record = try storeContext.store.outbox.test(test)?.record,
            let digest = Digest(hex: path[0]), let owner = Owner(path[1]),
            let place = Int(path[2]), let bytes = try storeContext.store.documents.document(digest: digest)
        else { return nil }
        let questionnaire = try Questionnaire(json: bytes).arranged(for: record)
        let media = owner.media(in: questionnaire)
        guard questionnaire.id == path[3], media.indices.contains(place) else { return nil }
        let medium = media[place]
        // Where a test's own version is gone it is shown with the current one.
        let found =
            record.questionnaire.digest == digest
            ? try storeContext.store.shownMedia.place(of: medium, in: record, remote: storeContext.remote)
            : try storeContext.store.shownMedia.place(
                of: medium, questionnaire: questionnaire.id, remote: storeContext.remote)
        return try response(found, medium, range: range)
    }

    /// - Parameter place: where the medium is; `nil` where it is not on this device.
    func response(_ place: MediumPlace?, _ medium: Media, range: String?) throws -> Response? {
        switch place {
        case nil: return nil
        case .cache(let entry):
            return try response(entry.blob, entry.mediaType, sizeBytes: Int64(entry.sizeBytes), range: range)
        case .version(let blob, let mediaType, let sizeBytes):
            return try response(blob, mediaType, sizeBytes: sizeBytes, range: range)
        case .outbox(let digest, let sizeBytes):
            let type = MediaType.of(fileName: medium.path, stated: medium.type)
            return try AttachmentEndpoint(store: storeContext.store).response(
                digest, type, sizeBytes: sizeBytes, range: range)
        }
    }

    private func response(
        _ blob: CacheLayout.BlobName, _ mediaType: String, sizeBytes size: Int64, range: String?
    ) throws -> Response? {
        try Self.response(mediaType, sizeBytes: size, range: range) { part in
            switch try storeContext.store.cache.read(blob, sizeBytes: size, range: part).value {
            case nil: return nil
            case .bytes(let bytes): return .init(byteBuffer: ByteBuffer(bytes: bytes))
            case .stream(let reader):
                return .init(contentLength: Int(part.map { $0.upperBound - $0.lowerBound } ?? size)) { writer in
                    while let piece = try await offload({ try reader.next() }) {
                        try await writer.write(ByteBuffer(bytes: piece))
                    }
                    try await writer.finish(nil)
                }
            }
        }
    }

    /// Foreign content, as one of a few types, sandboxed.
    ///
    /// - Parameters:
    ///   - name: the name for saving it.
    ///   - body: the bytes of a part, or of the whole; `nil` where they are not here any more.
    static func response(
        _ mediaType: String, sizeBytes: Int64, range: String?, name: String? = nil,
        body: (Range<Int64>?) throws -> ResponseBody?
    ) throws -> Response? {
        let part = range.flatMap { Self.part($0, sizeBytes: sizeBytes) }
        guard let body = try body(part) else { return nil }
        var fields = HTTPFields()
        fields.protect(HTTPFields.mediaPolicy)
        let kind = MediaKind(mediaType)
        fields[.contentType] = kind.sentType
        // RFC 6266, with the name as RFC 8187 writes it.
        let named = name.map { "; filename*=UTF-8''" + PercentEncoding.encode($0) } ?? ""
        if kind == .other || name != nil {
            fields[.contentDisposition] = (kind == .other ? "attachment" : "inline") + named
        }
        fields[.acceptRanges] = "bytes"
        // The address has the version in it, and the content its own: it never changes, in this browser.
        fields[.cacheControl] = "private, max-age=86400"
        if let part { fields[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(sizeBytes)" }
        return Response(status: part == nil ? .ok : .partialContent, headers: fields, body: body)
    }

    /// One range of bytes (RFC 9110, section 14.1.2); anything else is answered with the whole.
    static func part(_ text: String, sizeBytes: Int64) -> Range<Int64>? {
        guard text.hasPrefix("bytes="), !text.contains(","), sizeBytes > 0 else { return nil }
        let ends = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        if ends[0].isEmpty {
            guard let last = Int64(ends[1]), last > 0 else { return nil }
            return max(0, sizeBytes - last)..<sizeBytes
        }
        guard let first = Int64(ends[0]), first >= 0, first < sizeBytes else { return nil }
        if ends[1].isEmpty { return first..<sizeBytes }
        guard let last = Int64(ends[1]), last >= first else { return nil }
        return first..<min(last, sizeBytes - 1) + 1
    }
}
