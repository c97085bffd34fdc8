import Disk
import Model
import SystemPackage

/// What the host publishes, on its way to devices.
extension FolderCollection {
    func putQuestionnaires(_ report: inout Report) throws {
        let snapshot: CatalogSnapshot
        do throws(FileError) {
            snapshot = try archive.catalog.refresh()
        } catch {
            report.faults.append("the questionnaires cannot be read: \(error)")
            return
        }
        var items: [QuestionnaireList.Item] = []
        var names: Set<String> = []
        for entry in snapshot.entries {
            guard let (current, published) = try archive.catalog.document(id: entry.id) else { continue }
            let name = ExchangeLayout.documentName(id: entry.id)
            let path = ExchangeLayout.document(name: name)
            try put(published.content, at: path, &report)
            names.insert(path.lastComponent?.string ?? "")
            var item = QuestionnaireList.Item(current)
            item.url = ExchangeLayout.questionnaires.string + "/" + PercentEncoding.encode(name)
            var media: [String] = []
            for path in current.media where try putMedia(path, &report) {
                media.append(ExchangeLayout.questionnaires.string + "/" + path.reference)
            }
            item.media = media.isEmpty ? nil : media
            items.append(item)
        }
        report.questionnaires = items.count
        // The list last: what it names is there.
        try put(
            try DocumentCoding.encodeLine(QuestionnaireList(questionnaires: items, next: nil)), at: ExchangeLayout.list,
            &report)
        for entry in try folder.fileSystem.list(ExchangeLayout.questionnaires)
        where entry.kind == .regular && ExchangeLayout.isDocument(fileName: entry.name) && !names.contains(entry.name) {
            try folder.fileSystem.removeIfPresent(ExchangeLayout.questionnaires.appending(entry.name))
            report.changedFiles += 1
        }
    }

    /// - Returns: whether it is in the folder now.
    private func putMedia(_ path: MediaPath, _ report: inout Report) throws(FileError) -> Bool {
        do throws(FileError) {
            guard let medium = try archive.catalog.media(path) else { return false }
            let target = ExchangeLayout.questionnaires.appending(path.components.joined(separator: "/"))
            // As much as a device takes; it is held in memory.
            guard medium.status.sizeBytes <= Self.longestMediaBytes else {
                report.faults.append(
                    "\(target): it is longer than \(Self.longestMediaBytes) bytes, more than devices take")
                return false
            }
            var bytes: [UInt8] = []
            while true {
                let piece = try medium.content.piece(at: Int64(bytes.count), maximumBytes: .max)
                if piece.isEmpty { break }
                bytes += piece
                if Int64(bytes.count) > Self.longestMediaBytes { return false }
            }
            for parent in path.folders { try folder.makeFolder(ExchangeLayout.questionnaires.pushing(parent)) }
            try put(bytes, at: target, &report)
            return true
        } catch {
            if error.isFull || error.isUnwritable { throw error }
            // Such as a name that the stick's file system has no place for.
            report.faults.append(error.description)
            return false
        }
    }

    static let longestMediaBytes: Int64 = 8 << 20
}
