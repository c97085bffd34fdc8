// swift-tools-version: 6.2
import PackageDescription

// The benchmarks are a package of their own: whoever builds or tests Quire fetches and builds none of this.

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
            ]),
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
            path: "Benchmarks/MicroBench", plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]))
}
