import Model
import RichText

/// The catalog's metadata of a questionnaire, kept so that its file is not read again.
package struct CatalogEntry: Sendable {
    /// The name of its file in the folder of questionnaires.
    package let fileName: String
    package let id: String
    /// The id that the device gave it which made it.
    package let localId: String?
    package let title: String
    package let description: String
    package let locale: String?
    package let updatedAt: Timestamp?
    package let questionCount: Int
    /// Length and SHA-256 of the sent content, before any content coding.
    package let sizeBytes: Int
    package let digest: Digest
    /// When the file was last changed.
    package let modified: Timestamp
    /// The media files that its questions name, each once, as far as the host may send them.
    package let media: [MediaPath]
    /// The media types that the questionnaire states.
    let mediaTypes: [MediaPath: String]
    /// The stamp of the file that was read.
    let stamp: FileStamp
    /// The same, if it identifies the file: `nil` if it was read too soon after a change to be certain.
    let conclusiveStamp: FileStamp?
    /// The file cannot be used: this is the last version that could.
    package let isFormerVersion: Bool

    init(
        fileName: String, stamp: FileStamp, conclusiveStamp: FileStamp?, modified: Timestamp,
        published: PublishedQuestionnaire, isFormerVersion: Bool = false
    ) {
        let questionnaire = published.questionnaire
        self.isFormerVersion = isFormerVersion
        self.fileName = fileName
        self.stamp = stamp
        self.conclusiveStamp = conclusiveStamp
        self.modified = modified
        id = questionnaire.id
        localId = questionnaire.localId
        title = questionnaire.title
        description = questionnaire.textFormat.line(of: questionnaire.description)
        locale = questionnaire.locale
        updatedAt = questionnaire.updatedAt
        questionCount = questionnaire.questions.count
        sizeBytes = published.content.count
        digest = published.digest
        var paths: [MediaPath] = []
        var types: [MediaPath: String] = [:]
        var seen: Set<MediaPath> = []
        for item in questionnaire.media {
            guard let path = MediaPath(item.path) else { continue }
            if seen.insert(path).inserted { paths.append(path) }
            if types[path] == nil { types[path] = item.type }
        }
        media = paths
        mediaTypes = types
    }
}
