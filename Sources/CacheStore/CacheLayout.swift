import Model
import SystemPackage

/// Every path and name of the cache, built and parsed only here.
package enum CacheLayout {
    package static let root: FilePath = "cache"
    /// Has a folder for each first byte of the stored digests.
    package static let blobs: FilePath = "cache/blobs"
    package static let entries: FilePath = "cache/entries"
    package static let temporary: FilePath = "cache/tmp"
    package static let lock: FilePath = "cache/lock"
    package static let ledger: FilePath = "cache/ledger.json"
    package static let tag: FilePath = "cache/CACHEDIR.TAG"
    package static let index: FilePath = "index"
    static let catalog: FilePath = "index/catalog.pb"
    static let lines: FilePath = "index/lines.pb"
    static let texts: FilePath = "index/texts.pb"
    /// Held while a file of a bounded index is written.
    static let indexLock: FilePath = "index/lock"

    package static let folders: [FilePath] = [root] + written + [index]
    /// The folders that storing a document writes to.
    static let written: [FilePath] = [blobs, entries, temporary]
    /// The single files of the cache: each is recreated where it is missing.
    package static let files: [FilePath] = [tag, lock, ledger, catalog, lines, texts]

    /// Names in the cache's own folder, and in the index's, that belong there.
    static let ownNames: Set<String> = ["CACHEDIR.TAG", "lock", "ledger.json", "blobs", "entries", "tmp"]
    static let indexNames: Set<String> = ["catalog.pb", "lines.pb", "texts.pb", "lock"]

    /// Required by the Cache Directory Tagging Specification.
    static let tagContent =
        "Signature: 8a477f597d28d172789f06886806bc55\n"
        + "# This folder is a cache made by Quire. It can be deleted; the outbox beside it can not.\n"

    // MARK: Entries

    private static let entrySuffix = ".json"
    private static let longestName = 230

    /// The file name of a URL's entry: letters, digits, `.`, `_` and `-` are unchanged, `/` becomes `+`, `%` becomes
    /// `=`, every other byte `%XX`. So the name is readable and reversible. A name too long for a file system ends in
    /// `~` and the SHA-256 of the URL instead; the URL is always in the file.
    package static func entryName(url: String) -> String {
        var name: [UInt8] = []
        name.reserveCapacity(url.utf8.count + 16)
        for byte in url.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                name.append(byte)
            case UInt8(ascii: "/"): name.append(UInt8(ascii: "+"))
            // URLs are full of escapes: one character for each keeps the name short.
            case UInt8(ascii: "%"): name.append(UInt8(ascii: "="))
            default: name += ("%" + Hexadecimal.encode([byte]).uppercased()).utf8
            }
        }
        if name.count > longestName {
            name.removeLast(name.count - (longestName - 70))
            name += ("~" + Digest(sha256Of: Array(url.utf8)).hex).utf8
        }
        name += entrySuffix.utf8
        return String(decoding: name, as: UTF8.self)
    }

    /// The URL of an entry's file name; `nil` for a shortened or foreign name.
    package static func url(entryName: String) -> String? {
        guard entryName.hasSuffix(entrySuffix) else { return nil }
        var bytes: [UInt8] = []
        var rest = entryName.dropLast(entrySuffix.count).utf8
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: "/"))
            case UInt8(ascii: "="): bytes.append(UInt8(ascii: "%"))
            case UInt8(ascii: "~"): return nil
            case UInt8(ascii: "%"):
                guard rest.count >= 2, let value = Hexadecimal.decode(Substring(rest.prefix(2))) else { return nil }
                bytes += value
                rest = rest.dropFirst(2)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    static func entryPath(name: String) -> FilePath { entries.appending(name: name) }
    package static func entryPath(url: String) -> FilePath { entryPath(name: entryName(url: url)) }
    static func isEntryName(_ name: String) -> Bool { name.hasSuffix(entrySuffix) && !name.hasPrefix(".") }

    // MARK: Blobs

    /// The file of content: its digest, and how it is stored.
    package struct BlobName: Hashable, Sendable {
        package let digest: Digest
        /// `json`, `png`, …: the type of the content.
        package let fileExtension: String
        package let isCompressed: Bool

        package init(digest: Digest, fileExtension: String, isCompressed: Bool) {
            self.digest = digest
            self.fileExtension = fileExtension
            self.isCompressed = isCompressed
        }

        /// Reads `3fa9….json.gz`.
        package init?(fileName: String) {
            guard fileName.utf8.count > 65, let digest = Digest(hex: fileName.prefix(64)) else { return nil }
            var rest = fileName.dropFirst(64)
            isCompressed = rest.hasSuffix(".gz")
            if isCompressed { rest.removeLast(3) }
            guard rest.first == ".", rest.count > 1, rest.dropFirst().allSatisfy(\.isExtensionCharacter),
                fileName == fileName.lowercased()
            else { return nil }
            self.digest = digest
            fileExtension = String(rest.dropFirst())
        }

        package var fileName: String { String(relativePath.dropFirst(3)) }

        /// Below the blobs' folder: `3f/3fa9….json.gz`.
        package var relativePath: String { path(after: []) }

        private static let folder = Array((CacheLayout.blobs.string + "/").utf8)

        private func path(after folder: [UInt8]) -> String {
            // As bytes: a list makes one for each of its lines, and joining strings takes ten times as long.
            let hex = digest.hex.utf8
            var path: [UInt8] = []
            path.reserveCapacity(folder.count + hex.count + fileExtension.utf8.count + 7)
            path += folder
            path += hex.prefix(2)
            path.append(UInt8(ascii: "/"))
            path += hex
            path.append(UInt8(ascii: "."))
            path += fileExtension.utf8
            if isCompressed { path += ".gz".utf8 }
            return String(decoding: path, as: UTF8.self)
        }

        package var path: FilePath { FilePath(path(after: Self.folder)) }
        var shard: FilePath { CacheLayout.blobs.appending(name: String(digest.hex.prefix(2))) }
    }

    /// Whether a file name may end like this.
    static func isBlobExtension(_ text: String) -> Bool {
        !text.isEmpty && text != "gz"
            && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }
    }

    /// The name of a blob's path below the store.
    package static func blobName(path: FilePath) -> BlobName? {
        guard path.isWithin(blobs) else { return nil }
        return blobName(relativePath: String(path.string.dropFirst(blobs.string.utf8.count + 1)))
    }

    static func blobName(relativePath: String) -> BlobName? {
        let parts = relativePath.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let name = BlobName(fileName: String(parts[1])), name.relativePath == relativePath
        else { return nil }
        return name
    }

    static func isShardName(_ name: String) -> Bool {
        name.utf8.count == 2 && Hexadecimal.decode(name) != nil && name == name.lowercased()
    }

    /// The same for content that was written on arrival: uncompressed, whatever its type.
    static func arrivedName(digest: Digest, mediaType: String) -> BlobName {
        BlobName(
            digest: digest, fileExtension: blobName(digest: digest, mediaType: mediaType).fileExtension,
            isCompressed: false)
    }

    /// How content of a media type is stored: text is compressed, pictures and sound are not.
    static func blobName(digest: Digest, mediaType: String) -> BlobName {
        // Nearly all have this type, spelled like this.
        if mediaType == "application/json" {
            return BlobName(digest: digest, fileExtension: "json", isCompressed: true)
        }
        let type = MediaType.name(mediaType)
        let subtype = type.split(separator: "/").last.map(String.init) ?? "bin"
        switch type {
        case "application/json": return BlobName(digest: digest, fileExtension: "json", isCompressed: true)
        case "image/svg+xml": return BlobName(digest: digest, fileExtension: "svg", isCompressed: true)
        case "image/jpeg": return BlobName(digest: digest, fileExtension: "jpg", isCompressed: false)
        case "audio/mpeg": return BlobName(digest: digest, fileExtension: "mp3", isCompressed: false)
        case "text/plain": return BlobName(digest: digest, fileExtension: "txt", isCompressed: true)
        default:
            let known = subtype.allSatisfy(\.isExtensionCharacter) && !subtype.isEmpty && subtype.utf8.count <= 8
            return BlobName(
                digest: digest, fileExtension: known && subtype != "gz" ? subtype : "bin",
                isCompressed: type.hasPrefix("text/") || subtype.hasSuffix("+json"))
        }
    }
}

extension Character {
    fileprivate var isExtensionCharacter: Bool { ("a"..."z").contains(self) || ("0"..."9").contains(self) }
}
