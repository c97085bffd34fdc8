import HTTPTypes
import Hummingbird
import Model
import NIOCore
import Networking

/// The stylesheet, the script and the icon: compiled in, named by their content, kept by browsers for good.
struct PageAssets: Sendable {
    private struct Asset: Sendable {
        var name: String
        var type: String
        var bytes: [UInt8]
        var path: String

        init(_ name: String, _ type: String, _ bytes: [UInt8]) {
            self.name = name
            self.type = type
            self.bytes = bytes
            path = "/assets/\(Digest(sha256Of: bytes).hex.prefix(12))/\(name)"
        }
    }

    private let stylesheetAsset = Asset("page.css", "text/css; charset=utf-8", PackageResources.page_css)
    private let scriptAsset = Asset(
        "page.js", "text/javascript; charset=utf-8",
        CompactScript.bytes(of: PackageResources.common_js + PackageResources.page_js))
    private let iconAsset = Asset("icon.svg", "image/svg+xml", Array(icon.utf8))

    var stylesheet: String { stylesheetAsset.path }
    var script: String { scriptAsset.path }
    var iconPath: String { iconAsset.path }

    /// The size of a page's assets, in bytes.
    var sizeBytes: Int { stylesheetAsset.bytes.count + scriptAsset.bytes.count }

    func answer(_ path: [String]) -> Response? {
        if path == ["favicon.ico"] { return Response(status: .noContent) }
        guard path.count == 3, path[0] == "assets",
            let asset = [stylesheetAsset, scriptAsset, iconAsset].first(where: { $0.name == path[2] })
        else { return nil }
        var fields = HTTPFields()
        fields[.contentType] = asset.type
        // For another version of the page: the content does not match the address, so it must not be cached.
        fields[.cacheControl] =
            "/" + path.joined(separator: "/") == asset.path ? "public, max-age=31536000, immutable" : "no-store"
        return Response(status: .ok, headers: fields, body: .init(byteBuffer: ByteBuffer(bytes: asset.bytes)))
    }

    private static let icon = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect x="5" y="3" width="20" height="26" rx="3" \
        fill="#1f6f5c"/><path d="M10 11h10M10 16h10M10 21h5" stroke="#fff" stroke-width="2" opacity=".7"/><path \
        d="M17 23.5l3 3 7-8" fill="none" stroke="#f2b84b" stroke-width="3"/></svg>
        """
}
