import Disk
import Model
import SystemPackage

/// The versions of questionnaires, for the pages on which they are written. All of it blocks on the disk.
extension HostServices {
    /// So many versions are shown, the latest first.
    package static let mostVersions = 100

    /// The published versions of a questionnaire that the host keeps, the latest first.
    package func versions(of id: String) throws -> [VersionOfFile] {
        guard let entry = try archive.catalog.entry(id: id), let current = try archive.catalog.file(of: entry) else {
            return []
        }
        var notes = try self.notes(of: entry.id)
        let former = try formerFiles(of: entry.id, &notes)
        let currentDigest = Digest(sha256Of: current)
        var found: [Digest: VersionOfFile] = [:]
        func add(_ bytes: [UInt8], _ modified: Timestamp?) {
            let digest = Digest(sha256Of: bytes)
            guard found[digest] == nil, let published = try? PublishedQuestionnaire(json: bytes),
                published.questionnaire.id == entry.id
            else { return }
            let note = notes[digest]
            found[digest] = VersionOfFile(
                digest: digest, bytes: bytes,
                publishedAt: note?.at ?? published.questionnaire.updatedAt ?? modified,
                publishedBy: note?.by, isCurrent: digest == currentDigest)
        }
        add(current, entry.modified)
        for file in former { add(file.bytes, file.modified) }
        let sorted = found.values.sorted {
            if $0.isCurrent != $1.isCurrent { return $0.isCurrent }
            let (first, second) = ($0.publishedAt ?? .epoch, $1.publishedAt ?? .epoch)
            return first == second ? $0.digest.hex < $1.digest.hex : first > second
        }
        return Array(sorted.prefix(Self.mostVersions))
    }

    /// The files of the versions that were published before.
    ///
    /// - Parameter notes: gets what hosts that share a bucket noted with their changes.
    private func formerFiles(
        of id: String, _ notes: inout [Digest: PublicationNote]
    ) throws -> [(bytes: [UInt8], modified: Timestamp?)] {
        guard let shared = archive.shared else { return try formerFiles(of: id) }
        let history = shared.log.history(of: id).sorted { $0.value.at > $1.value.at }.prefix(Self.mostVersions)
        for (file, publication) in history where notes[file] == nil && publication.by != nil {
            notes[file] = PublicationNote(file: file, at: publication.at, by: publication.by)
        }
        let bytes = try shared.files.bytes(
            ofEach: history.map { HostLayout.content($0.key) }, maximumBytes: QuestionnaireCatalog.maximumFileBytes)
        return zip(history, bytes).compactMap { file, bytes in bytes.map { ($0, file.value.at) } }
    }

    private func formerFiles(of id: String) throws -> [(bytes: [UInt8], modified: Timestamp?)] {
        let files = archive.fileSystem
        var found: [(bytes: [UInt8], modified: Timestamp?)] = []
        for folder in [HostLayout.published, HostLayout.former] {
            guard try files.status(at: folder) != nil else { continue }
            let names = try files.list(folder).map(\.name).filter { HostLayout.isVersion(fileName: $0, of: id) }
            for name in names {
                let file = try files.readFileIfPresent(
                    folder.appending(name: name), maximumBytes: QuestionnaireCatalog.maximumFileBytes)
                if let file { found.append((file.bytes, file.status.modified)) }
            }
        }
        return found
    }

    /// Notes who published the version that there is now. In a bucket the change itself says so.
    func notePublication(of id: String, by name: String?) throws {
        guard archive.shared == nil, let original = try original(id),
            try notes(of: original.id)[original.digest] == nil
        else { return }
        let note = PublicationNote(file: original.digest, at: clock.now, by: name.flatMap { $0.isEmpty ? nil : $0 })
        let files = archive.fileSystem
        try files.makeDurableFolder(HostLayout.publications)
        try files.writeDurably(
            try DocumentCoding.encode(note), to: HostLayout.publication(of: original.id, original.digest),
            temporaryFolder: HostLayout.temporary)
    }

    /// The notes in files: those of a host's folder, also where they were copied into a bucket.
    private func notes(of id: String) throws -> [Digest: PublicationNote] {
        let files = archive.hostFiles
        let paths = try files.names(in: HostLayout.publications).filter { HostLayout.isVersion(fileName: $0, of: id) }
            .map { HostLayout.publications.appending(name: $0) }
        var notes: [Digest: PublicationNote] = [:]
        for (path, bytes) in zip(paths, try files.bytes(ofEach: paths, maximumBytes: 1 << 16)) {
            guard let bytes else { continue }
            do throws(DocumentFault) {
                let note = try DocumentCoding.decode(PublicationNote.self, from: bytes)
                notes[note.file] = note
            } catch {
                throw HostError.damaged(files.place(of: path), reason: error.description)
            }
        }
        return notes
    }

    // MARK: Who is affected

    /// What was handed in of a questionnaire.
    package struct HandedInCounts: Hashable, Sendable {
        package var tests = 0
        package var people = 0
        /// Tests that wait for a person's marks.
        package var checking = 0
        /// People who have handed in as often as they may; `nil` where any number is allowed.
        package var withoutAttempts: Int?
    }

    /// - Parameter attempts: how many tests a person may hand in.
    package func handedIn(of id: String, attempts: Int?) throws -> HandedInCounts {
        let ids = try archive.catalog.entry(id: id).map { Set([$0.id, $0.localId].compactMap { $0 }) } ?? [id]
        let tests = try archive.lists.summaries().filter { ids.contains($0.questionnaire.id) }
        let byPerson = Dictionary(grouping: tests.filter { $0.person != nil }) { $0.person?.id }
        return HandedInCounts(
            tests: tests.count, people: byPerson.count, checking: tests.count { $0.status == .checking },
            withoutAttempts: attempts.map { attempts in
                let availability = Availability(attempts: attempts)
                // Someone who proved who they are once will do so the next time, too.
                return byPerson.values.count { tests in
                    let isProven = tests.contains { $0.verified == true }
                    return !availability.allows(attempt: 1 + UsedAttempts.count(tests, isProven: isProven))
                }
            })
    }
}
