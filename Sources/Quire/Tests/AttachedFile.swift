import Disk
import Model
import OutboxStore
import SystemPackage

/// The checks of a file that is to be attached.
enum AttachedFile {
    /// Its name: the given one, or the file's own.
    static func name(_ name: String?, of file: FilePath) throws -> String {
        if let name { return name }
        guard let last = file.lastComponent else {
            throw OutboxError.unfit(file: file.string, reason: "it is a folder")
        }
        return last.string
    }

    /// Its media type, after a check of its name.
    static func mediaType(name: String, mediaType: String?) throws -> String {
        if let fault = Attachment.fault(inName: name) {
            let shown = String(String.UnicodeScalarView(name.unicodeScalars.filter { $0.value >= 0x20 }).prefix(80))
            throw OutboxError.unfit(
                file: "“\(shown)”", reason: "its name \(fault): give it another one with --name")
        }
        if let mediaType, !MediaType.isType(mediaType) {
            throw OutboxError.unfit(
                file: "“\(name)”", reason: "“\(mediaType.prefix(80))” is no media type, like image/jpeg")
        }
        return MediaType.of(fileName: name, stated: mediaType)
    }

    /// Opens a file to attach: a regular file, and no link to one.
    static func open(_ file: FilePath) throws -> OpenContent {
        do {
            guard let named = try NamedFile(file) else {
                throw OutboxError.unfit(file: file.string, reason: "it is a folder")
            }
            // Looked at before it is opened: opening a pipe or a device may do something.
            switch try named.status()?.kind {
            case .regular?: break
            case .folder?: throw OutboxError.unfit(file: file.string, reason: "it is a folder")
            case .symbolicLink?:
                throw OutboxError.unfit(
                    file: file.string, reason: "it is a symbolic link: name the file that it leads to")
            case .other?: throw OutboxError.unfit(file: file.string, reason: "it is a pipe, a socket or a device")
            case nil: throw OutboxError.unfit(file: file.string, reason: "there is no such file")
            }
            let content = try OpenContent(named.path, in: named.folder)
            let status = try content.status()
            guard status.kind == .regular else {
                throw OutboxError.unfit(file: file.string, reason: "it is no file any more")
            }
            guard status.sizeBytes <= Attachment.maximumBytes else {
                let most = ByteCount.format(Attachment.maximumBytes)
                throw OutboxError.unfit(
                    file: file.string,
                    reason:
                        "it has \(ByteCount.format(status.sizeBytes)), and \(most) is the most that one file may have")
            }
            return content
        } catch let error as FileError {
            throw OutboxError.unfit(file: file.string, reason: error.isMissing ? "there is no such file" : "\(error)")
        }
    }
}
