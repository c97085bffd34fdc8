// swift-tools-version: 6.2
import PackageDescription

// The benchmarks are a separate package: builds and tests of Quire fetch and build none of this.

/// The library's package as SwiftPM names it: by its folder. The benchmarks measure what is not public, too.
let library = Context.packageDirectory.split(separator: "/").dropLast().last ?? "quire"
let access: [SwiftSetting] = [
    .unsafeFlags(["-package-name", String(library.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })])
]

let package = Package(
    name: "quire-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "quire", path: ".."),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .systemLibrary(name: "CZlibForPeers", pkgConfig: "zlib", providers: [.apt(["libz-dev"])]),
        // The corpus, and the workloads that run inside a process: Quire by its library, SQLite by GRDB.
        .executableTarget(
            name: "SpeedBench",
            dependencies: [
                "CZlibForPeers",
                .product(name: "Quire", package: "quire"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "SystemPackage", package: "swift-system"),
            ], packageAccess: false, swiftSettings: access),
    ],
    swiftLanguageModes: [.v6]
)

// Fetched for `make bench-micro` alone.
if Context.environment["QUIRE_MICRO"] != nil {
    package.dependencies.append(.package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []))
    package.targets.append(
        .executableTarget(
            name: "MicroBench",
            dependencies: [
                .product(name: "Benchmark", package: "benchmark"), .product(name: "Quire", package: "quire"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Benchmarks/MicroBench", packageAccess: false, swiftSettings: access,
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]))
}
