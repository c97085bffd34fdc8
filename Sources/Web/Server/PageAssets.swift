import Authoring
import HTTPServing
import Hummingbird
import Networking

/// The stylesheet, the script and the icon: compiled in, named by their content, kept by browsers for good.
struct PageAssets: Sendable {
    private let stylesheetAsset = StaticAsset(
        "page.css", "text/css; charset=utf-8", PackageResources.page_css, in: folder)
    private let scriptAsset = StaticAsset(
        "page.js", "text/javascript; charset=utf-8",
        CompactScript.bytes(of: PackageResources.common_js + PackageResources.times_js + PackageResources.page_js),
        in: folder)
    private let iconAsset = StaticAsset("icon.svg", "image/svg+xml", Array(icon.utf8), in: folder)

    /// Of the screens on which questionnaires are written alone.
    private let authoringAssets = [
        StaticAsset("writing.css", "text/css; charset=utf-8", AuthoringAssets.stylesheet, in: folder),
        StaticAsset(
            "writing.js", "text/javascript; charset=utf-8", CompactScript.bytes(of: AuthoringAssets.script), in: folder),
    ]

    var authoringStylesheet: String { authoringAssets[0].path }
    var authoringScript: String { authoringAssets[1].path }
    var stylesheet: String { stylesheetAsset.path }
    var script: String { scriptAsset.path }
    var iconPath: String { iconAsset.path }

    /// The size of a page's assets, in bytes.
    var sizeBytes: Int { stylesheetAsset.bytes.count + scriptAsset.bytes.count }

    func answer(_ path: [String]) -> Response? {
        if path == ["favicon.ico"] { return Response(status: .noContent) }
        guard path.count == 3, path[0] == "assets",
            let asset = ([stylesheetAsset, scriptAsset, iconAsset] + authoringAssets).first(where: {
                $0.name == path[2]
            })
        else { return nil }
        return asset.response(to: "/" + path.joined(separator: "/"))
    }

    private static let folder = "/assets/"

    private static let icon = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect x="5" y="3" width="20" height="26" rx="3" \
        fill="#1f6f5c"/><path d="M10 11h10M10 16h10M10 21h5" stroke="#fff" stroke-width="2" opacity=".7"/><path \
        d="M17 23.5l3 3 7-8" fill="none" stroke="#f2b84b" stroke-width="3"/></svg>
        """
}
