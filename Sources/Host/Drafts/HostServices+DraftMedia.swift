import AuthorDrafts
import Disk
import HTTPServing
import HTTPTypes
import Hummingbird
import Model
import NIOCore
import SystemPackage

/// The pictures and sounds of drafts. All of it blocks on the disk.
extension HostServices {
    /// A picture or sound that a draft names: its own, or one of the questionnaires that are or were published. The browser
    /// shows or saves it, and runs nothing in it.
    ///
    /// - Returns: `nil` when there is no such file.
    package func media(_ path: String, of draft: TestID, _ fields: HTTPFields, isHead: Bool) throws -> Response? {
        var response: Response
        if let own = ContentPath(path), let bytes = try drafts.media(own, of: draft) {
            response = Response(
                status: .ok, headers: HTTPFields(), body: .init(byteBuffer: ByteBuffer(bytes: isHead ? [] : bytes)))
            response.headers[.contentType] = MediaType.of(fileName: own.fileName)
        } else if let file = try published(path) {
            response = file.response(to: fields, isHead: isHead, cacheControl: "private, no-cache")
        } else {
            return nil
        }
        if let type = response.headers[.contentType] { response.headers[.contentType] = MediaKind(type).sentType }
        response.headers.protect(HTTPFields.mediaPolicy)
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "private, no-cache" }
        return response
    }

    /// A file that a published questionnaire names, or that one named which is not published any more.
    private func published(_ path: String) throws -> MediaFile? {
        if let named = MediaPath(path), let file = try archive.catalog.media(named) { return file }
        return try ContentPath(path).flatMap { try archive.catalog.media($0) }
    }

    /// Whether a file that a draft names by its content is there: with the draft, or where devices fetch it.
    package func hasMedia(_ path: ContentPath, of draft: TestID) throws -> Bool {
        if try drafts.hasMedia(path, of: draft) { return true }
        return try archive.catalog.hasMedia(path)
    }

    /// Puts the files that a document names, and that are in its draft's folder, to where devices fetch them, durably.
    func publishMedia(of draft: AuthorDraft, _ questionnaire: Questionnaire) throws {
        let paths = questionnaire.contentPaths.sorted { $0.description < $1.description }
        guard !paths.isEmpty else { return }
        if let shared = archive.shared {
            for path in paths {
                guard let bytes = try drafts.media(path, of: draft.id) else { continue }
                _ = try shared.files.putIfAbsent(bytes, as: HostLayout.content(path.digest))
                try shared.publish(path, at: clock.now)
            }
            return
        }
        let folder = try archive.catalog.folder()
        for path in paths {
            guard let bytes = try drafts.media(path, of: draft.id) else { continue }
            let target = FilePath(path.description)
            try folder.makeDurableFolder(FilePath(ContentPath.folder))
            let isFirst = try folder.writeDurablyIfAbsent(bytes, to: target, temporaryFolder: "")
            if !isFirst { try folder.makeDurable(folder: FilePath(ContentPath.folder)) }
        }
    }
}
