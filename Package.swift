// swift-tools-version: 6.2
import PackageDescription

// The rooms of the house. A dependency line is an arrow of docs/architecture.md, and the build
// (`--explicit-target-dependency-import-check error`) refuses an import that has none.

/// What the page is made of, compiled into the command.
let pageFiles =
    ["common.js", "page.css", "page.js", "times.js"].map { "Assets/\($0)" }
    + [
        "layout", "library", "questionnaire", "test", "question", "files", "attach", "answers", "review", "report",
        "outbox", "results", "settings", "discard", "update", "message", "door", "person", "pin", "otherperson",
        "passage", "instance", "unchanged",
        "media", "own",
    ].map { "Templates/\($0).mustache" }

/// What the hub's app is made of. Its stylesheet is the page's own: `page.css` is a link to it.
let appFiles = [
    "index.html", "page.css", "app.js", "availability.js", "beginning.js", "common.js", "background-sync.js",
    "draftnotice.js", "drafts.js", "ending.js", "files.js", "formatted.js", "instances.js", "kinds.js",
    "library.js", "limitclock.js", "numbers.js", "parts.js", "people.js", "person.js", "pins.js", "pinscreen.js",
    "progress.js", "removals.js", "rules.js", "screens.js",
    "sections.js", "store.js",
    "taking.js",
    "timing.js", "transfer.js", "translations.js", "ui.js", "uploads.js", "words.js", "sw.js", "manifest.webmanifest",
    "icon.svg",
    "icon-192.png",
    "icon-512.png",
].map { "App/Assets/\($0)" }

/// The commit that is built. Sources without git, such as those of an archive, have it from the environment.
let commit =
    Context.environment["QUIRE_COMMIT"]
    ?? Context.gitInformation.map { $0.currentCommit.prefix(9) + ($0.hasUncommittedChanges ? ", changed" : "") } ?? ""

/// The files of the screens on which questionnaires are written. `question` and `media` are the page's own: links to them.
let authoringFiles =
    ["writing.css", "writing.js"].map { "Assets/\($0)" }
    + [
        "writing", "option", "draft", "draftnew", "draftquestion", "draftsettings", "draftpublish", "drafttrial",
        "draftpaste", "draftsection", "draftmerge", "previewframe", "conditions", "draftcopy", "draftmedia", "question",
        "media", "timed", "writtenversions", "draftversion",
    ].map { "Templates/\($0).mustache" }

/// The files of the desk. `page.css`, `times.js`, `timed` and `draftversion` are those of others: links to them.
let deskFiles =
    ["desk.css", "desk.js", "icon.svg", "page.css", "times.js"].map { "Assets/\($0)" }
    + [
        "again", "answer", "comments", "handedin", "home", "layout", "login", "mark", "marking", "message", "pages",
        "results", "answers",
        "selection", "statistics", "tabs", "test", "timed", "watching", "draftversions", "draftversion",
    ].map { "Templates/\($0).mustache" }

let package = Package(
    name: "quire",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "Quire", targets: ["Quire"]),
        .library(name: "QuireWording", targets: ["QuireWording"]),
        .library(name: "QuireRemotes", targets: ["Remotes"]),
        .library(name: "QuireTesting", targets: ["QuireTesting"]),
        .executable(name: "quire", targets: ["QuireCLI"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-structured-headers", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        // Without streams, and the next without date formats: they alone need all of Foundation, which has 38 MB.
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0", traits: []),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"),
    ],
    targets: [
        // The system's zlib: the only compressor.
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["libz-dev"]), .brew(["zlib"])]),
        // CommonMark with tables.
        .systemLibrary(
            name: "CMarkGFM", providers: [.apt(["libcmark-gfm-dev", "libcmark-gfm-extensions-dev"])]),
        // Expat, linked in: the only reader of XML.
        .systemLibrary(name: "CExpat", providers: [.apt(["libexpat1-dev"]), .brew(["expat"])]),
        // gzip of content that is in memory, linked in: half of zlib's time.
        .systemLibrary(name: "CDeflate", providers: [.apt(["libdeflate-dev"]), .brew(["libdeflate"])]),
        // The Snowball stemmers, linked in: other forms of a word, for the search.
        .systemLibrary(name: "CStemmer", providers: [.apt(["libstemmer-dev"])]),
        .target(name: "StrictXML", dependencies: ["Model", "CExpat"]),
        // Linux calls that Swift's Glibc module does not import (it is built without _GNU_SOURCE).
        .target(name: "CLinux", cSettings: [.define("_GNU_SOURCE")]),

        // The commit that `--version` prints. Another commit recompiles this target alone.
        .target(name: "CBuild", cSettings: [.define("QUIRE_COMMIT", to: "\"\(commit)\"")]),

        // The Unicode table of the text folding.
        .target(name: "CFolding", exclude: ["generate.py"]),

        // The languages, and the catalogs of texts in each of them but English.
        .target(name: "CTexts"),
        .target(name: "Localization", dependencies: ["CTexts"], exclude: ["Texts"]),
        .target(
            name: "Model",
            dependencies: ["CFolding", "Localization", .product(name: "Crypto", package: "swift-crypto")],
            exclude: ["Rules/rules.js"]),
        // The words for the model's values: statuses, kinds of questions, problems of answers.
        .target(name: "Wording", dependencies: ["Localization", "Model"]),
        // Formatted texts as trees, and what pages and terminals show of them.
        .target(name: "RichText", dependencies: ["Model", "CMarkGFM"]),
        // QR codes, for the cards of a class list.
        .target(name: "QRCode"),
        // Questionnaires and tests as pages for paper.
        .target(name: "Printing", dependencies: ["Model", "RichText", "Results", "Wording"]),
        // What goes over the wire between devices, hubs and hosts: paths and problem documents.
        .target(name: "WireFormat", dependencies: ["Model"]),
        // Finding words in texts, in their other forms, too.
        .target(name: "TextSearch", dependencies: ["Model", "CStemmer"]),
        // Results of tests: tables, statistics, CSV.
        .target(name: "Results", dependencies: ["Model", "TextSearch"]),
        .target(
            name: "HTTPCaching",
            dependencies: [
                "Model", .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "RawStructuredFieldValues", package: "swift-http-structured-headers"),
            ]),
        .target(
            name: "Disk",
            dependencies: [
                "Model", "CDeflate", "CZlib", "CLinux", .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "DequeModule", package: "swift-collections"),
            ]),
        // Immutable objects by name, in a folder or elsewhere: the seam that buckets are behind.
        .target(
            name: "ObjectStores",
            dependencies: ["Model", "Disk", .product(name: "SystemPackage", package: "swift-system")]),
        // A bucket of S3. A leaf: only what opens remotes, and the command, link it.
        .target(
            name: "S3",
            dependencies: [
                "Model", "HTTPCaching", "Disk", "Networking", "ObjectStores", "StrictXML",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        // What servers and clients share of sockets.
        .target(
            name: "Networking",
            dependencies: [
                "Model",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]),
        .target(
            name: "CacheStore",
            dependencies: [
                "Model", "RichText", "HTTPCaching", "Disk", "TextSearch",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "SwiftProtobuf", package: "swift-protobuf"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            exclude: ["Index/catalog.proto"]),
        .target(
            name: "OutboxStore",
            dependencies: [
                "Model", "Disk",
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        .target(
            name: "Sync",
            dependencies: [
                "Model", "HTTPCaching", "Disk", "CacheStore", "OutboxStore", "WireFormat",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        .target(
            name: "Remotes",
            dependencies: [
                "Model", "Disk", "ObjectStores", "S3", "Sync", "Networking", "WireFormat",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        .target(
            name: "Quire",
            dependencies: [
                "AuthorDrafts", "Model", "HTTPCaching", "Disk", "CacheStore", "OutboxStore", "Sync", "WireFormat",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        // The words for the library's values: explanations, findings, states.
        .target(
            name: "QuireWording",
            dependencies: [
                "CacheStore", "Disk", "Localization", "Model", "OutboxStore", "Quire", "Sync", "Wording",
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        // A server of HTTP that keeps within bounds: what the host and the page have in common.
        .target(
            name: "HTTPServing",
            dependencies: [
                "Disk", "Localization", "Model", "RichText", "WireFormat", "Wording",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        // A store in one file.
        .target(
            name: "Snapshots",
            dependencies: [
                "Model", "Disk", "CacheStore", "OutboxStore", "Quire",
                .product(name: "SwiftProtobuf", package: "swift-protobuf"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            exclude: ["Format/snapshot.proto"]),
        // Questionnaires that authors are writing, in files: on a host and on a device.
        .target(
            name: "AuthorDrafts",
            dependencies: ["Model", "Disk", .product(name: "SystemPackage", package: "swift-system")]),
        .target(
            name: "Host",
            dependencies: [
                "AuthorDrafts", "Model", "RichText", "Results", "HTTPCaching", "Disk", "HTTPServing", "Networking",
                "ObjectStores",
                "QRCode", "WireFormat",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        // The templates of pages.
        .target(name: "Templates"),
        // The screens on which questionnaires are written: on the host's desk and on the page.
        .target(
            name: "Authoring",
            dependencies: [
                "AuthorDrafts", "Model", "RichText", "Results", "Disk", "HTTPServing", "Templates", "Wording",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            resources: authoringFiles.map { .embedInCode($0) }),
        // The host's pages for teachers, compiled in like the page.
        .target(
            name: "Desk",
            dependencies: [
                "Authoring", "AuthorDrafts", "Model", "RichText", "Printing", "Results", "Disk", "HTTPServing",
                "WireFormat", "Host",
                "Templates", "Wording",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            resources: deskFiles.map { .embedInCode($0) }),
        // Messages of HTTP/1 as bytes (RFC 9112), for the hub: strict where others could read them differently.
        .target(
            name: "HTTPMessages",
            dependencies: [
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]),
        // The gateway of a room: the cache and the outbox behind an HTTP port.
        .target(
            name: "Hub",
            dependencies: [
                "Model", "RichText", "HTTPCaching", "HTTPMessages", "Disk", "CacheStore", "OutboxStore", "Sync",
                "Quire",
                "QRCode", "Networking", "WireFormat", "Wording",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            resources: appFiles.map { .embedInCode($0) }),
        // The local page. Its templates, stylesheet and script are compiled in: the one binary works alone.
        .target(
            name: "Web",
            dependencies: [
                "Authoring", "AuthorDrafts", "Model", "RichText", "HTTPCaching", "Disk", "CacheStore", "OutboxStore",
                "Sync", "Quire", "HTTPServing",
                "Networking", "Printing", "QuireWording", "Templates", "Wording",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            resources: pageFiles.map { .embedInCode($0) }),
        // For tests, those of other programs included: files in memory, a clock that stands still, a host that fails at will.
        .target(
            name: "InMemory",
            dependencies: [
                "Model", "HTTPCaching", "Disk", "ObjectStores", "Sync", "WireFormat",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        // What a program that imports Quire tests and previews itself with.
        .target(
            name: "QuireTesting",
            dependencies: [
                "Model", "Disk", "Sync", "Quire", "InMemory",
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        // For tests alone: a disk that loses what was not synced.
        .target(
            name: "Simulation",
            dependencies: [
                "Model", "Disk", "InMemory", .product(name: "SystemPackage", package: "swift-system"),
            ]),
        // For tests alone: all that is done with a store, broken off at every call. `make sim` tries everything.
        .target(
            name: "Trials",
            dependencies: [
                "AuthorDrafts", "Model", "HTTPCaching", "Disk", "ObjectStores", "CacheStore", "OutboxStore", "Sync",
                "Quire",
                "Host", "Simulation", "Snapshots", "WireFormat",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        // For tests and `make load`: a school day of up to a million devices, by the decisions that devices make.
        .target(
            name: "LoadSimulation",
            dependencies: [
                "Model", "Disk", "Hub", "Simulation", "Sync", "WireFormat",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "HeapModule", package: "swift-collections"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        .executableTarget(name: "QuireSim", dependencies: ["LoadSimulation", "Trials"]),
        // The test at the terminal: a state machine, a renderer and the terminal itself.
        .target(name: "Terminal", dependencies: ["Model", "RichText", "Wording"]),
        .executableTarget(
            name: "QuireCLI",
            dependencies: [
                "CBuild", "Model", "Disk", "CacheStore", "ObjectStores", "OutboxStore", "S3", "Sync", "Remotes",
                "Quire", "QuireWording", "QRCode", "Host", "Desk", "Hub", "Printing", "Results", "Snapshots",
                "Terminal", "Web", "WireFormat", "Wording",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]),

        .testTarget(name: "LocalizationTests", dependencies: ["Localization"]),
        .testTarget(name: "ModelTests", dependencies: ["Model", "Simulation", "Wording"]),
        .testTarget(name: "RulesTests", dependencies: ["Model", "Wording"]),
        .testTarget(name: "RichTextTests", dependencies: ["Model", "RichText"]),
        .testTarget(name: "QRCodeTests", dependencies: ["QRCode"]),
        .testTarget(name: "PrintingTests", dependencies: ["Model", "Printing", "Results"]),
        .testTarget(name: "TemplatesTests", dependencies: ["Templates"]),
        .testTarget(name: "ResultsTests", dependencies: ["Localization", "Model", "Results"]),
        .testTarget(name: "WireFormatTests", dependencies: ["Model", "WireFormat"]),
        .testTarget(
            name: "HTTPCachingTests",
            dependencies: [
                "Model", "HTTPCaching", "Simulation", .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),
        .testTarget(
            name: "DiskTests",
            dependencies: [
                "Model", "Disk", "InMemory", "Simulation", .product(name: "SystemPackage", package: "swift-system"),
            ]),
        // For tests alone: a server of S3 on this machine, where it is installed.
        .target(name: "MotoServer", path: "Tests/MotoServer"),
        // An application in memory or over a socket, with a client that is patient on a busy machine.
        .target(
            name: "ServedApplication",
            dependencies: [
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ], path: "Tests/ServedApplication"),
        .testTarget(
            name: "ObjectStoresTests",
            dependencies: [
                "Model", "Disk", "InMemory", "MotoServer", "ObjectStores", "S3", "Simulation", "StrictXML",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        .testTarget(
            name: "CacheStoreTests",
            dependencies: [
                "Model", "HTTPCaching", "Disk", "CacheStore", "Simulation",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        .testTarget(
            name: "OutboxStoreTests",
            dependencies: [
                "Model", "Disk", "OutboxStore", "Sync", "Simulation", "Trials",
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        .testTarget(name: "LoadSimulationTests", dependencies: ["LoadSimulation", "Model", "Sync"]),
        .testTarget(
            name: "TrialsTests",
            dependencies: [
                "Disk", "Simulation", "Trials", .product(name: "SystemPackage", package: "swift-system"),
            ]),
        .testTarget(
            name: "SyncTests",
            dependencies: [
                "Model", "HTTPCaching", "Disk", "CacheStore", "OutboxStore", "Sync", "Quire", "QuireWording",
                "Simulation", "WireFormat", "Wording",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        .testTarget(
            name: "RemotesTests",
            dependencies: [
                "Model", "Disk", "ObjectStores", "Sync", "Remotes", "Host", "InMemory", "Simulation", "Wording",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        .testTarget(
            name: "QuireTests",
            dependencies: [
                "AuthorDrafts", "Model", "HTTPCaching", "Disk", "CacheStore", "OutboxStore", "Sync", "Quire",
                "InMemory",
                "QuireTesting", "QuireWording", "Remotes", "Simulation", "Wording",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        .testTarget(
            name: "SnapshotsTests",
            dependencies: [
                "AuthorDrafts", "Model", "Disk", "CacheStore", "OutboxStore", "Sync", "Quire", "Snapshots",
                "Simulation",
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        .testTarget(
            name: "HostTests",
            dependencies: [
                "AuthorDrafts", "Model", "HTTPCaching", "HTTPServing", "Disk", "Host", "InMemory", "Networking",
                "ObjectStores", "Results", "ServedApplication", "Simulation", "Sync",
                "WireFormat",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        .testTarget(
            name: "AuthoringTests",
            dependencies: [
                "Authoring", "AuthorDrafts", "HTTPServing", "InMemory", "Model",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
            ]),
        .testTarget(
            name: "DeskTests",
            dependencies: [
                "Authoring", "AuthorDrafts", "Model", "Disk", "Desk", "Host", "HTTPServing", "InMemory", "ObjectStores",
                "Simulation", "WireFormat",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]),

        .testTarget(
            name: "HubTests",
            dependencies: [
                "Model", "Disk", "OutboxStore", "HTTPCaching", "HTTPMessages", "Quire", "QRCode", "Hub", "Networking",
                "Simulation", "Sync", "WireFormat",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        .testTarget(
            name: "CommandTests",
            dependencies: [
                "QuireCLI", "MotoServer",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        .testTarget(name: "TerminalTests", dependencies: ["Model", "Terminal"]),
        .testTarget(
            name: "WebTests",
            dependencies: [
                "Authoring", "AuthorDrafts", "Model", "Disk", "CacheStore", "OutboxStore", "Sync", "Quire",
                "ServedApplication", "Simulation", "Web", "HTTPServing",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]),

        // What reads bytes from elsewhere, as functions of bytes: driven by the fuzzer and by FuzzTests.
        .target(
            name: "FuzzTargets",
            dependencies: [
                "Model", "RichText", "HTTPCaching", "HTTPMessages", "Disk", "CacheStore", "OutboxStore", "Sync",
                "Quire",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            path: "Fuzz/Targets"),
        .testTarget(name: "FuzzTests", dependencies: ["FuzzTargets"]),

        // The house rules, run over the sources.
        .testTarget(name: "TidyTests"),
    ],
    swiftLanguageModes: [.v6]
)

// The fuzzer's program: it has libFuzzer's main, so it is built only when `.ci/fuzz` asks for it.
if Context.environment["QUIRE_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "Fuzzer", dependencies: ["FuzzTargets"], path: "Fuzz/Driver",
            swiftSettings: [.unsafeFlags(["-parse-as-library"])]))
}
