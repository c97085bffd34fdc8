import Model
import OutboxStore
import Quire

/// The files that belong to a test's answers, as the templates want them.
struct FileRows {
    private let lines: [QuireStore.AttachmentLine]
    private let test: TestID
    private let context: ScreenContext

    /// Blocks on the disk.
    init(_ record: TestRecord, _ context: ScreenContext) {
        // One that cannot be read is named by doctor; the answers are shown all the same.
        lines = record.attachments.isEmpty ? [] : (try? context.store.attachments(of: record)) ?? []
        test = record.id
        self.context = context
    }

    /// Puts the files of a question into its row.
    ///
    /// - Parameter place: where each can be taken away from: the question's number.
    func add(_ questionId: String, to row: inout [String: any Sendable], removableAt place: Int? = nil) {
        let words = context.words
        let files = lines.filter { $0.attachment.questionId == questionId }.map { line -> [String: any Sendable] in
            let attachment = line.attachment
            var file: [String: any Sendable] = [
                "id": attachment.id.description, "name": attachment.name,
                "size": ByteCount.format(attachment.sizeBytes, words.language), "state": line.state(words.language),
                "ending": Self.ending(attachment.name),
            ]
            if line.isHere {
                file["href"] = AttachmentEndpoint.address(test, attachment.id)
                if case .picture = MediaKind(attachment.mediaType) { file["picture"] = true }
            }
            if let place {
                file["remove"] = "/t/\(test)/detach"
                file["place"] = "\(place)"
                file["removeLabel"] = words[.removeFile] + ": " + attachment.name
            }
            return file
        }
        row["files"] = files
        row["hasFiles"] = !files.isEmpty
    }

    /// The text in place of a picture.
    private static func ending(_ name: String) -> String {
        let parts = name.split(separator: ".")
        guard parts.count > 1, let last = parts.last, last.count <= 4 else { return "…" }
        return last.uppercased()
    }
}
