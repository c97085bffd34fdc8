/// What the screens need beside the stylesheet of the page, for the server's own assets.
package enum AuthoringAssets {
    package static var stylesheet: [UInt8] { PackageResources.writing_css }
    package static var script: [UInt8] { PackageResources.writing_js }
}
