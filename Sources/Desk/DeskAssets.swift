import HTTPTypes
import Hummingbird
import Model
import NIOCore

/// The stylesheets and the icon: compiled in, named by their content, kept by browsers for good.
struct DeskAssets: Sendable {
    private struct Asset: Sendable {
        var name: String
        var type: String
        var bytes: [UInt8]
        var path: String

        init(_ name: String, _ type: String, _ bytes: [UInt8]) {
            self.name = name
            self.type = type
            self.bytes = bytes
            path = "/desk/assets/\(Digest(sha256Of: bytes).hex.prefix(12))/\(name)"
        }
    }

    private let all = [
        Asset("page.css", "text/css; charset=utf-8", PackageResources.page_css),
        Asset("desk.css", "text/css; charset=utf-8", PackageResources.desk_css),
        Asset("icon.svg", "image/svg+xml", PackageResources.icon_svg),
    ]

    var stylesheet: String { all[0].path }
    var deskStylesheet: String { all[1].path }
    var icon: String { all[2].path }

    /// - Parameter path: the components after `desk`.
    func answer(_ path: [String]) -> Response? {
        guard path.count == 3, path[0] == "assets", let asset = all.first(where: { $0.name == path[2] }) else {
            return nil
        }
        var fields = HTTPFields()
        fields[.contentType] = asset.type
        // For another version of the desk: the content does not match the address, so it must not be cached.
        fields[.cacheControl] =
            "/desk/" + path.joined(separator: "/") == asset.path ? "public, max-age=31536000, immutable" : "no-store"
        return Response(status: .ok, headers: fields, body: .init(byteBuffer: ByteBuffer(bytes: asset.bytes)))
    }
}
