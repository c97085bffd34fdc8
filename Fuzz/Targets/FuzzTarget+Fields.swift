import CacheStore
import Disk
import HTTPCaching
import HTTPTypes
import Model

/// Compressed bytes, header fields, the index, names of files.
extension FuzzTarget {
    static func gzip(_ bytes: [UInt8]) throws(BrokenPromise) {
        let maximumBytes = 1 << 18
        if let text = try? Gzip.decompress(bytes, maximumBytes: maximumBytes) {
            try promise(text.count <= maximumBytes, "\(text.count) bytes were unpacked, \(maximumBytes) are allowed")
            let packed = try? Gzip.compress(text)
            let unpacked = packed.flatMap { try? Gzip.decompress($0, maximumBytes: maximumBytes) }
            try promise(unpacked == text, "what was unpacked is not the same after packing")
        }
        let packed = try? Gzip.compress(bytes)
        let unpacked = packed.flatMap { try? Gzip.decompress($0, maximumBytes: bytes.count) }
        try promise(unpacked == bytes, "what was packed is not the same after unpacking")
    }

    static func tar(_ bytes: [UInt8]) throws(BrokenPromise) {
        var rest = bytes[...]
        var reader = TarReader { buffer in
            let piece = rest.prefix(min(buffer.count, 1000))
            buffer.copyBytes(from: piece)
            rest = rest.dropFirst(piece.count)
            return piece.count
        }
        var members: [TarMember] = []
        while let member = try? reader.next() {
            members.append(member)
            try promise(!member.name.isEmpty && !member.name.utf8.contains(0), "a member without a name")
            try promise(members.count <= bytes.count / TarFormat.blockBytes, "more members than blocks")
            guard let content = try? reader.content(maximumBytes: 4096) else { continue }
            try promise(content.count == Int(member.sizeBytes), "\(content.count) of \(member.sizeBytes) bytes")
        }
    }

    private static let now = Timestamp(secondsSinceEpoch: 1_800_000_000)

    /// Lines of `name: value`; a line without a colon is a Cache-Control.
    static func cacheControl(_ bytes: [UInt8]) throws(BrokenPromise) {
        var fields = HTTPFields()
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2, let name = HTTPField.Name(String(parts[0])) {
                fields.append(HTTPField(name: name, value: String(parts[1])))
            } else {
                fields.append(HTTPField(name: .cacheControl, value: String(line)))
            }
        }
        let control = CacheControl(fields)
        let limits = [
            control.maxAge, control.sharedMaxAge, control.minFresh, control.staleWhileRevalidate, control.staleIfError,
        ]
        for seconds in limits {
            try promise((0...CacheControl.maximumSeconds).contains(seconds ?? 0), "\(seconds ?? 0) seconds")
        }
        let stored = StoredResponse(
            status: 200, fields: fields, requestTime: now, responseTime: now.adding(seconds: 1))
        for isShared in [false, true] {
            let freshness = Freshness(of: stored, now: now.adding(seconds: 60), isShared: isShared)
            try promise(freshness.lifetimeSeconds >= 0 && freshness.ageSeconds >= 0, "\(freshness)")
            _ = Freshness.freshUntil(stored, isShared: isShared)
            _ = CacheDecision.decide(
                now: now, request: fields, stored: stored, network: .available, isShared: isShared)
        }
        _ = Storability.decide(request: fields, status: 200, response: fields)
        _ = stored.updated(by: fields, requestTime: now, responseTime: now)
    }

    static func httpDate(_ bytes: [UInt8]) throws(BrokenPromise) {
        let text = String(decoding: bytes, as: UTF8.self)
        // The leap second at the end of the year 9999 has no form that can be written.
        if let date = HTTPDate.parse(text, now: now), date.description.utf8.count == 24 {
            let written = HTTPDate.format(date)
            try promise(HTTPDate.parse(written, now: now) == date, "“\(text)” is \(date), written “\(written)”")
        }
        if let date = Timestamp(text) {
            // A year beyond four digits, or before the first one, has no form that can be read back.
            guard date.description.utf8.count == 24, !date.description.hasPrefix("-") else { return }
            try promise(Timestamp(date.description) == date, "“\(text)” is \(date)")
        }
    }

    static func index(_ bytes: [UInt8]) throws(BrokenPromise) {
        _ = CatalogIndex.payload(of: bytes).flatMap(CatalogIndex.Preamble.init)
        for record in CatalogIndex.records(in: bytes[...]) ?? [] {
            let path = record.blob.path
            try promise(
                path.string.hasPrefix("cache/blobs/") && path.components.count == 4
                    && !path.components.contains(where: { $0.string == ".." }), "the index names the blob \(path)")
            _ = record.lastUsed.description
            _ = record.responseTime.description
        }
        for line in CatalogIndex.lines(in: bytes[...]) ?? [] { _ = line.document?.freshUntil.description }
        _ = CatalogIndex.texts(in: bytes[...])
    }

    static func names(_ bytes: [UInt8]) throws(BrokenPromise) {
        let text = String(decoding: bytes, as: UTF8.self)
        let name = CacheLayout.entryName(url: text)
        try promise(name.utf8.count <= 255 && !name.contains("/"), "“\(text)” has the entry \(name)")
        if let url = CacheLayout.url(entryName: name) {
            try promise(url.utf8.elementsEqual(text.utf8), "“\(text)” has the entry \(name), which is read as “\(url)”")
        }
        if let id = TestID(text) {
            try promise(id.description.utf8.elementsEqual(text.lowercased().utf8), "“\(text)” is read as \(id)")
        }
        if let blob = CacheLayout.BlobName(fileName: text) {
            try promise(blob.fileName.utf8.elementsEqual(text.utf8), "“\(text)” is read as \(blob.fileName)")
        }
        if let digest = Digest(hex: text) {
            try promise(digest.hex.utf8.elementsEqual(text.lowercased().utf8), "“\(text)” is read as \(digest)")
        }
        _ = ByteCount.parse(text)
        _ = TimeSpan.parse(text)
    }
}
