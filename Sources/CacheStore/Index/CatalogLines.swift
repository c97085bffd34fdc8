import Disk
import Model
import SwiftProtobuf
import SystemPackage
import TextSearch

// The lines of the catalog, in a separate file: a plain list reads a third of the catalog's bytes, and computes the
// checksum of those alone.

/// The part before the lines: identifies their catalog.
struct LinesPreamble: Hashable, Sendable {
    /// The checksum of the catalog written with them.
    var catalog: Digest
    /// The folders' times when the records were valid.
    var folders: Digest
    /// The records of the catalog, each of which has a line.
    var recordCount: Int

    static let byteCount = 32 + CatalogIndex.Preamble.byteCount

    init(catalog: Digest, folders: Digest, recordCount: Int) {
        self.catalog = catalog
        self.folders = folders
        self.recordCount = recordCount
    }

    init?(_ bytes: some Collection<UInt8>) {
        guard let catalog = Digest(bytes: bytes.prefix(32)), let rest = CatalogIndex.Preamble(bytes.dropFirst(32)),
            let folders = rest.folders
        else { return nil }
        self.init(catalog: catalog, folders: folders, recordCount: rest.recordCount)
    }

    var bytes: [UInt8] { catalog.bytes + CatalogIndex.Preamble(folders: folders, recordCount: recordCount).bytes }
}

extension IndexReader {
    init(lines file: OpenFile, _ fileSystem: any FileSystem) {
        self.init(
            fileSystem: fileSystem, file: file, preambleBytes: LinesPreamble.byteCount,
            // A title is in an entry of 1 MiB at most; folded it may be three times as long.
            longestMessage: 8 << 20)
    }

    var linesPreamble: LinesPreamble? {
        get throws(FileError) {
            LinesPreamble(
                try fileSystem.readPiece(
                    file, at: Int64(CatalogIndex.headerBytes), count: LinesPreamble.byteCount))
        }
    }
}

extension CacheCatalog {
    /// Writes the lines of a catalog.
    ///
    /// - Parameter offsets: the offset of each record in the catalog's file.
    func saveLines(of records: [CatalogRecord], at offsets: [Int64], _ preamble: LinesPreamble) throws {
        try index.write(CacheLayout.lines, beside: [CacheLayout.texts]) { writer in
            try writer.append(preamble.bytes)
            for (record, offset) in zip(records, offsets) {
                var snapshot = Quire_Catalog_V1_LineSnapshot()
                snapshot.lines = [record.lineMessage(at: offset)]
                try writer.append(try snapshot.serializedBytes())
            }
        }
    }

    /// Writes the lines of an existing catalog where they are missing.
    func mendLines(of catalog: CatalogSnapshot) throws {
        guard let checksum = catalog.checksum, let folders = catalog.folders else { return }
        let preamble = LinesPreamble(catalog: checksum, folders: folders, recordCount: catalog.records.count)
        do {
            if let file = try? openIndex(CacheLayout.lines) {
                defer { fileSystem.closeQuietly(file) }
                if try IndexReader(lines: file, fileSystem).linesPreamble == preamble { return }
            }
            guard let offsets = try recordOffsets(ofCatalog: checksum) else { return }
            try saveLines(of: catalog.records, at: offsets, preamble)
        } catch is FileError {
            // The list is correct without them, only slower.
        }
    }

    func openIndex(_ path: FilePath) throws(FileError) -> OpenFile {
        try fileSystem.continuing { () throws(FileError) in try fileSystem.open(path, .read) }
    }

    /// The checksum in a catalog's file.
    func checksum(ofCatalog file: OpenFile) throws(FileError) -> Digest? {
        CatalogIndex.digest(inHeader: try fileSystem.readPiece(file, at: 0, count: CatalogIndex.headerBytes))
    }

    /// The offset of each record in the catalog's file; `nil` if the catalog was replaced or is damaged.
    private func recordOffsets(ofCatalog checksum: Digest) throws(FileError) -> [Int64]? {
        guard let file = try? openIndex(CacheLayout.catalog) else { return nil }
        defer { fileSystem.closeQuietly(file) }
        guard try self.checksum(ofCatalog: file) == checksum else { return nil }
        let preambleBytes = CatalogIndex.Preamble.byteCount
        let reader = IndexReader(
            fileSystem: fileSystem, file: file, preambleBytes: preambleBytes, longestMessage: 8 << 20)
        var offsets: [Int64] = []
        var end = Int64(CatalogIndex.headerBytes + preambleBytes)
        let isWhole = try reader.eachMessage { message in
            offsets.append(end)
            // The key, the length in pieces of seven bits, and the message.
            let bits = Int64.bitWidth - Int64(message.count | 1).leadingZeroBitCount
            end += Int64(1 + (bits + 6) / 7 + message.count)
            return true
        }
        return isWhole ? offsets : nil
    }

    /// Where the lines differ from their catalog.
    func lineFaults(_ catalog: CatalogSnapshot) throws -> [CacheFault] {
        guard let status = try fileSystem.status(at: CacheLayout.lines), status.kind == .regular else { return [] }
        do throws(FileError) {
            guard let reason = try lineFault(catalog) else { return [] }
            return [CacheFault(path: CacheLayout.lines, kind: .index(reason: reason))]
        } catch {
            return [CacheFault(path: CacheLayout.lines, kind: .index(reason: "it cannot be read (\(error))"))]
        }
    }

    private func lineFault(_ catalog: CatalogSnapshot) throws(FileError) -> String? {
        let file = try openIndex(CacheLayout.lines)
        defer { fileSystem.closeQuietly(file) }
        let reader = IndexReader(lines: file, fileSystem)
        let preamble = try reader.linesPreamble
        let offsets = try catalog.checksum.flatMap { checksum throws(FileError) in
            preamble?.catalog == checksum ? try recordOffsets(ofCatalog: checksum) : nil
        }
        var place = 0
        var wrong: String?
        let isWhole = try reader.eachMessage { message in
            defer { place += 1 }
            guard let offsets, wrong == nil, offsets.indices.contains(place), catalog.records.indices.contains(place)
            else { return true }
            let record = catalog.records[place]
            let line = try? ListedDocument(packed: message)
            if line != ListedDocument(record) || (try? ListedDocument.recordOffset(packed: message)) != offsets[place] {
                wrong = record.url
            }
            return true
        }
        if !isWhole { return "its checksum or its header is wrong" }
        if let wrong { return "its line of \(wrong) is wrong" }
        return offsets != nil && place != catalog.records.count ? "it has \(place) lines" : nil
    }
}

extension CatalogRecord {
    fileprivate func lineMessage(at offset: Int64) -> Quire_Catalog_V1_Line {
        var message = Quire_Catalog_V1_Line()
        message.recordOffset = offset
        guard let document else { return message }
        message.id = document.id
        message.title = document.title
        message.foldedTitle = foldedTitle
        message.questionCount = Int32(clamping: document.questionCount)
        message.responseTimeMs = responseTime.millisecondsSinceEpoch
        message.freshUntilMs = freshUntil.millisecondsSinceEpoch
        message.present = isPresent
        message.edited = isEdited
        message.gone = isGone
        message.locale = document.locale ?? ""
        message.titles =
            document.translations.map { $0.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value.title] } } ?? []
        return message
    }
}

extension ListedDocument {
    /// `nil` for content other than a document.
    package init?(_ record: CatalogRecord) {
        guard let document = record.document else { return nil }
        self.init(
            id: document.id, title: document.title, titles: document.translations?.mapValues(\.title),
            locale: document.locale.flatMap { $0.isEmpty ? nil : $0 },
            questionCount: Int(Int32(clamping: document.questionCount)),
            responseTime: record.responseTime, freshUntil: record.freshUntil, isEdited: record.isEdited,
            isGone: record.isGone, isPresent: record.isPresent)
    }

    /// Reads a `Line`; `nil` for content other than a document, and for a title without all the words of a search.
    init?(packed line: UnsafeRawBufferPointer, having search: WordSearch? = nil) throws(FieldReader.Fault) {
        // Most do not match: no string is made of them.
        var id: UnsafeRawBufferPointer?
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        var (title, foldedTitle) = (nothing, nothing)
        var titles: [String] = []
        var reader = FieldReader(line)
        while let (number, value) = try reader.next() {
            switch number {
            case 2: id = try value.bytes()
            case 3: title = try value.bytes()
            case 4: foldedTitle = try value.bytes()
            case 5: questionCount = Int(Int32(truncatingIfNeeded: try value.number()))
            case 6: responseTime = Timestamp(packed: try value.number())
            case 7: freshUntil = Timestamp(packed: try value.number())
            case 8: isPresent = try value.number() != 0
            case 9: isEdited = try value.number() != 0
            case 10: isGone = try value.number() != 0
            case 11: locale = try value.text()
            case 12: titles.append(try value.text())
            default: break
            }
        }
        self.titles = Self.titles(packed: titles)
        guard let id else { return nil }
        if let search, !search.areAll(in: foldedTitle, search.languages(locale, self.titles?.keys)) { return nil }
        self.id = try FieldReader.Value.bytes(id).text()
        self.title = try FieldReader.Value.bytes(title).text()
    }

    private static func titles(packed: [String]) -> [String: String]? {
        guard packed.count > 1 else { return nil }
        return stride(from: 0, to: packed.count - 1, by: 2).reduce(into: [:]) { $0[packed[$1]] = packed[$1 + 1] }
    }

    /// The offset of a `Line`'s record.
    static func recordOffset(packed line: UnsafeRawBufferPointer) throws(FieldReader.Fault) -> Int64 {
        var reader = FieldReader(line)
        while let (number, value) = try reader.next() {
            if number == 1 { return Int64(bitPattern: try value.number()) }
        }
        throw FieldReader.Fault()
    }
}
