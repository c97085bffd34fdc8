// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "kiosk",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "kiosk", targets: ["KioskCommand"])],
    // In a program of your own: .package(url: "https://git.example/quire.git", branch: "main")
    dependencies: [.package(name: "quire", path: "../..")],
    targets: [
        // What the kiosk does, with any remote.
        .target(
            name: "Kiosk",
            dependencies: [
                .product(name: "Quire", package: "quire"), .product(name: "QuireWording", package: "quire"),
            ]),
        // The command, with a server.
        .executableTarget(
            name: "KioskCommand", dependencies: ["Kiosk", .product(name: "QuireRemotes", package: "quire")]),
        .testTarget(
            name: "KioskTests", dependencies: ["Kiosk", .product(name: "QuireTesting", package: "quire")]),
    ],
    swiftLanguageModes: [.v6]
)
