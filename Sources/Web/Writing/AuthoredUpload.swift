import AuthorDrafts
import HTTPServing
import Hummingbird
import Model
import NIOCore

/// Reads a form with a picture or sound of a questionnaire that is written here. It is short enough for the memory.
struct AuthoredUpload {
    let language: Language

    /// With room for the descriptions of the other files.
    private static let maximumBytes = DraftStore.maximumMediaBytes + 1 << 20

    /// - Throws: `PageProblem` for a file that is too long, and for a form that did not arrive completely.
    func read(_ request: Request) async throws -> (form: FormFields, file: UploadedFile?) {
        let buffer: ByteBuffer
        do {
            buffer = try await request.body.collect(upTo: Self.maximumBytes)
        } catch is NIOTooManyBytesError {
            throw tooLong
        }
        let read = UploadedFile.read(Array(buffer.readableBytesView), request.headers[.contentType] ?? "")
        guard let read else {
            throw PageProblem(
                .badRequest, .didNotWork,
                language.text("The form did not arrive in one piece, so nothing was saved. Send it again."))
        }
        guard read.file?.bytes.count ?? 0 <= DraftStore.maximumMediaBytes else { throw tooLong }
        return read
    }

    private var tooLong: PageProblem {
        PageProblem(
            .contentTooLarge, .didNotWork,
            language.text(
                "The file is longer than \(DraftStore.maximumMediaBytes >> 20) MB. Make it smaller, then add it again.")
        )
    }
}
