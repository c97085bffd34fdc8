/// The script and the styles of the screens, which a server adds to its own assets.
package enum AuthoringAssets {
    package static var stylesheet: [UInt8] { PackageResources.writing_css }
    package static var script: [UInt8] { PackageResources.writing_js }
}
