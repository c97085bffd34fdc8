import Disk
import HTTPTypes
import Hummingbird
import Model
import NIOCore
import SystemPackage

/// The site of the documents, where it is installed beside the program.
struct HelpFiles: Sendable {
    private let folder: POSIXFileSystem

    /// `nil` where there is no site.
    init?(in path: FilePath?) {
        guard let path, let folder = try? POSIXFileSystem(root: path),
            (try? folder.status(at: "index.html"))?.kind == .regular
        else { return nil }
        self.folder = folder
    }

    private static let types = [
        "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "json": "application/json", "svg": "image/svg+xml", "png": "image/png", "txt": "text/plain; charset=utf-8",
        "yaml": "text/plain; charset=utf-8",
    ]

    /// The start page in a language.
    static func start(_ language: Language) -> String {
        language == .english ? "/help/index.html" : "/help/\(language.rawValue)/index.html"
    }

    /// A file of the site; `nil` where there is none. Blocks on the disk.
    func answer(_ path: [String]) throws -> Response? {
        // Names of the site's own: none leads out of its folder.
        let isPlain =
            !path.isEmpty
            && path.allSatisfy { name in
                !name.hasPrefix(".") && !name.isEmpty
                    && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }
            }
        guard isPlain, let type = path.last?.split(separator: ".").last.flatMap({ Self.types[String($0)] }) else {
            return nil
        }
        let file = FilePath(path.joined(separator: "/"))
        guard try folder.status(at: file)?.kind == .regular else { return nil }
        var fields = HTTPFields()
        fields[.contentType] = type
        // Another version of the program has other files at the same addresses.
        fields[.cacheControl] = "no-cache"
        let bytes = try folder.readFile(file, maximumBytes: 16 << 20).bytes
        return Response(status: .ok, headers: fields, body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}

extension PageRouter {
    func showHelp(_ request: PageRequest) async throws -> PageReply {
        let path = Array(request.path.dropFirst())
        if help != nil, path.isEmpty { return .seeOther(HelpFiles.start(request.language)) }
        guard let help, let found = try await offload({ try help.answer(path) }) else {
            throw PageProblem.notFound(request.language)
        }
        return .response(found)
    }
}
