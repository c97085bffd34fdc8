import Authoring
import HTTPServing
import Hummingbird

/// The stylesheets, the script and the icon: compiled in, named by their content, kept by browsers for good.
struct DeskAssets: Sendable {
    private let all = [
        StaticAsset("page.css", "text/css; charset=utf-8", PackageResources.page_css, in: "/desk/assets/"),
        StaticAsset(
            "desk.css", "text/css; charset=utf-8", PackageResources.desk_css + AuthoringAssets.stylesheet,
            in: "/desk/assets/"),
        StaticAsset("icon.svg", "image/svg+xml", PackageResources.icon_svg, in: "/desk/assets/"),
        StaticAsset(
            "desk.js", "text/javascript; charset=utf-8",
            PackageResources.times_js + PackageResources.desk_js + AuthoringAssets.script,
            in: "/desk/assets/"),
    ]

    var stylesheet: String { all[0].path }
    var deskStylesheet: String { all[1].path }
    var icon: String { all[2].path }
    var script: String { all[3].path }

    /// - Parameter path: the components after `desk`.
    func answer(_ path: [String]) -> Response? {
        guard path.count == 3, path[0] == "assets", let asset = all.first(where: { $0.name == path[2] }) else {
            return nil
        }
        return asset.response(to: "/desk/" + path.joined(separator: "/"))
    }
}
