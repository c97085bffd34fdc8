import Disk
import Model
import SystemPackage

/// Exports the published questionnaires to devices.
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
        // Extra files may stay: those edited away since are removed by the next collection.
        var shown = Set(snapshot.entries.flatMap(\.media).map(Self.name))
        for entry in snapshot.entries {
            guard let (current, published) = try archive.catalog.document(id: entry.id) else { continue }
            let name = ExchangeLayout.documentName(id: entry.id)
            let path = ExchangeLayout.document(name: name)
            names.insert(path.name ?? "")
            do {
                try makingRoom(keeping: shown, &report) { (report) throws(FileError) in
                    try put(published.content, at: path, &report)
                }
            } catch let error as FileError where !error.isFull && !error.isOfAll {
                // Such as a folder of that name.
                report.note(error, at: path)
                continue
            }
            var item = QuestionnaireList.Item(current)
            item.url = ExchangeLayout.questionnaires.string + "/" + PercentEncoding.encode(name)
            var media: [String] = []
            var digests: [String: Digest] = [:]
            // It may have been edited a moment ago.
            shown.formUnion(current.media.map(Self.name))
            for path in current.media {
                if let digest = try putMedia(path, keeping: shown, &report) {
                    let reference = ExchangeLayout.questionnaires.string + "/" + path.reference
                    media.append(reference)
                    digests[reference] = digest
                }
            }
            item.media = media.isEmpty ? nil : media
            item.mediaDigests = digests.isEmpty ? nil : digests
            items.append(item)
        }
        report.questionnaires = items.count
        // The list last: it never names a missing file.
        let list = try DocumentCoding.encodeLine(QuestionnaireList(questionnaires: items, next: nil))
        try makingRoom(keeping: shown, &report) { (report) throws(FileError) in
            try put(list, at: ExchangeLayout.list, &report)
        }
        for name in try folder.names(in: ExchangeLayout.questionnaires)
        where ExchangeLayout.isDocument(fileName: name) && !names.contains(name) {
            try folder.remove(ExchangeLayout.questionnaires.appending(name: name))
            report.changedFiles += 1
        }
        try removeMedia(except: shown, &report)
    }

    /// Retries after a lack of room, having removed files that no questionnaire shows any more.
    private func makingRoom<Result>(
        keeping shown: Set<String>, _ report: inout Report, _ work: (inout Report) throws(FileError) -> Result
    ) throws -> Result {
        do throws(FileError) {
            return try work(&report)
        } catch {
            guard error.isFull else { throw error }
            try removeMedia(except: shown, &report)
            return try work(&report)
        }
    }

    /// The name of a file, below the questionnaires.
    private static func name(_ path: MediaPath) -> String { path.components.joined(separator: "/") }

    /// Takes away the files named by their content that no questionnaire shows any more: a film takes the room of
    /// others.
    private func removeMedia(except shown: Set<String>, _ report: inout Report) throws {
        let place = ExchangeLayout.questionnaires.appending(name: ContentPath.folder)
        for name in try folder.names(in: place) {
            guard let path = ContentPath("\(ContentPath.folder)/\(name)"), !shown.contains(path.description)
            else {
                continue
            }
            try folder.remove(place.appending(name: name))
            report.changedFiles += 1
        }
    }

    /// - Returns: its digest, where it is in the folder now.
    private func putMedia(
        _ path: MediaPath, keeping shown: Set<String>, _ report: inout Report
    ) throws -> Digest? {
        let target = ExchangeLayout.questionnaires.appending(name: Self.name(path))
        do {
            guard let medium = try archive.catalog.media(path) else { return nil }
            guard medium.status.sizeBytes <= Self.longestMediaBytes else {
                report.faults.append(
                    "\(target): it is longer than \(Self.longestMediaBytes) bytes, more than devices take")
                return nil
            }
            for parent in path.folders { try folder.makeFolder(ExchangeLayout.questionnaires.pushing(parent)) }
            if isThere(medium, target) {
                // It may have been written a moment ago by a collection that was broken off.
                try folder.confirm(target)
                return medium.digest
            }
            let isCopied = try makingRoom(keeping: shown, &report) { (_) throws(FileError) in
                try folder.copy(
                    medium.content, sizeBytes: medium.status.sizeBytes, digest: medium.digest, to: target)
            }
            guard isCopied else {
                report.faults.append("\(target): it was changed while it was copied: collect the folder again")
                return nil
            }
            report.changedFiles += 1
            return medium.digest
        } catch let error as FileError where !error.isOfAll {
            // Such as a film that is longer than the stick has room, or a name that its file system has no place for.
            // The questionnaires go there all the same.
            report.faults.append("\(target): \(error)")
            return nil
        }
    }

    /// As much as a device takes.
    static let longestMediaBytes: Int64 = 2 << 30

    /// Whether the folder has exactly these bytes. An unreadable file is not ours.
    private func isThere(_ medium: MediaFile, _ target: FilePath) -> Bool {
        guard let content = try? folder.open(target), let status = try? content.status(),
            status.sizeBytes == medium.status.sizeBytes
        else { return false }
        return (try? content.digest()) == medium.digest
    }
}
