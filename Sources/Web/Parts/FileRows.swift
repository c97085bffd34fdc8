import HTTPServing
import Model
import OutboxStore
import Quire
import QuireWording
import Wording

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
    /// - Parameters:
    ///   - place: where each can be taken away from: the question's number.
    ///   - form: the form on the same screen that takes them away.
    ///   - isScripted: whether only the script may send that form.
    func add(
        _ questionId: String, to row: inout [String: any Sendable], removableAt place: Int? = nil, form: String? = nil,
        isScripted: Bool = false
    ) {
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
            }
            if let form {
                file["detach"] = form
                file["isScripted"] = isScripted
            }
            file["removeLabel"] = words[.removeFile] + ": " + attachment.name
            return file
        }
        row["files"] = files
        row["hasFiles"] = !files.isEmpty
    }

    /// Puts what a field for files needs into a row.
    static func addField(_ question: Question, _ words: PageWords, to row: inout [String: any Sendable]) {
        row["accept"] = question.offeredTypes
        row["several"] = question.mostFiles != 1
        switch question.capture {
        case .camera:
            row["capture"] = "environment"
            row["fileWords"] = words.text("Take a photo")
        case .microphone:
            row["capture"] = "microphone"
            row["fileWords"] = words.text("Record sound")
        case .signature:
            row["sign"] = [
                "about": words.text("Draw your signature with a finger, a pen or the mouse."),
                "keep": words.text("Attach the signature"), "erase": words.text("Erase"),
                "name": words.text("signature"),
            ]
            row["fileWords"] = words.text("Or attach a picture of it")
        case nil: row["fileWords"] = words[.chooseFiles]
        }
        row["most"] = "\(Attachment.maximumBytes)"
        row["tooLong"] = words.tooLong("%")
        let size = ByteCount.format(Attachment.maximumBytes, words.language)
        let count = question.mostFiles.map { words.atMostFiles($0) + " " } ?? ""
        row["aboutFiles"] =
            count
            + words.text("Each file can have at most \(size). Files are kept on this device and sent after the test.")
    }

    /// The text in place of a picture.
    private static func ending(_ name: String) -> String {
        let parts = name.split(separator: ".")
        guard parts.count > 1, let last = parts.last, last.count <= 4 else { return "…" }
        return last.uppercased()
    }
}
