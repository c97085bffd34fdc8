import Disk
import HTTPCaching
import HTTPMessages
import HTTPTypes
import Model
import Networking
import Sync

/// `/_hub/app/`: the app that a phone's browser keeps, so that it opens when the hub is out of reach (docs/hub.md).
///
/// A fixed table of files, compiled in. All that it knows of questionnaires and tests it gets and sends through the
/// same addresses as every other device.
struct AppPage: Sendable {
    private struct File: Sendable {
        var type: String
        var bytes: [UInt8]
        /// The same gzipped; `nil` where that gains nothing.
        var packed: [UInt8]?
        var hex: String

        init(_ type: String, _ bytes: [UInt8], isText: Bool = true) {
            self.type = type
            self.bytes = bytes
            hex = Digest(sha256Of: bytes).hex
            // Unpacked it serves as well.
            packed = isText ? try? Gzip.compress(bytes) : nil
        }
    }

    /// The app's path. The service worker's scope is this folder, so it handles nothing else.
    static let path = "/_hub/app/"

    static func isAt(_ path: String) -> Bool {
        path.hasPrefix(Self.path) || path.prefix { $0 != "?" } == Self.path.dropLast()
    }

    private let files: [String: File]
    /// Changes with any of the files.
    let version: String

    init() {
        let script = "text/javascript; charset=utf-8"
        var files = [
            "": File("text/html; charset=utf-8", PackageResources.index_html),
            "page.css": File("text/css; charset=utf-8", PackageResources.page_css),
            "words.js": File(script, Self.words(CompactScript.bytes(of: PackageResources.words_js))),
            "manifest.webmanifest": File("application/manifest+json", PackageResources.manifest_webmanifest),
            "icon.svg": File("image/svg+xml", PackageResources.icon_svg),
            "icon-192.png": File("image/png", PackageResources.icon_192_png, isText: false),
            "icon-512.png": File("image/png", PackageResources.icon_512_png, isText: false),
        ]
        for (name, bytes) in [
            ("app.js", PackageResources.app_js),
            ("common.js", PackageResources.common_js),
            ("availability.js", PackageResources.availability_js),
            ("background-sync.js", PackageResources.background_sync_js),
            ("beginning.js", PackageResources.beginning_js),
            ("draftnotice.js", PackageResources.draftnotice_js),
            ("drafts.js", PackageResources.drafts_js),
            ("ending.js", PackageResources.ending_js),
            ("files.js", PackageResources.files_js),
            ("formatted.js", PackageResources.formatted_js),
            ("instances.js", PackageResources.instances_js),
            ("kinds.js", PackageResources.kinds_js),
            ("library.js", PackageResources.library_js),
            ("limitclock.js", PackageResources.limitclock_js),
            ("numbers.js", PackageResources.numbers_js),
            ("parts.js", PackageResources.parts_js),
            ("people.js", PackageResources.people_js),
            ("pins.js", PackageResources.pins_js),
            ("pinscreen.js", PackageResources.pinscreen_js),
            ("person.js", PackageResources.person_js),
            ("progress.js", PackageResources.progress_js),
            ("removals.js", PackageResources.removals_js),
            ("rules.js", PackageResources.rules_js),
            ("screens.js", PackageResources.screens_js),
            ("sections.js", PackageResources.sections_js),
            ("store.js", PackageResources.store_js),
            ("taking.js", PackageResources.taking_js),
            ("timing.js", PackageResources.timing_js),
            ("translations.js", PackageResources.translations_js),
            ("transfer.js", PackageResources.transfer_js),
            ("ui.js", PackageResources.ui_js),
            ("uploads.js", PackageResources.uploads_js),
        ] { files[name] = File(script, CompactScript.bytes(of: bytes)) }
        let table = files.map { "'./\($0.key)': '\($0.value.hex)'" }.sorted().joined(separator: ",\n  ")
        version = String(Digest(sha256Of: Array(table.utf8) + PackageResources.sw_js).hex.prefix(16))
        let worker = CompactScript.bytes(of: PackageResources.sw_js)
        let head = "const version = '\(version)';\nconst files = {\n  \(table),\n};\n"
        files["sw.js"] = File(script, Array(head.utf8) + worker)
        self.files = files
    }

    /// The app's words, with the texts of each language but English before them: those of the catalogs that the script names.
    private static func words(_ script: [UInt8]) -> [UInt8] {
        let literals = Self.literals(in: script)
        let catalogs = Language.allCases.compactMap { language in
            language.catalog.map { "\(language.rawValue): \($0.json(of: literals))" }
        }
        return Array("const catalogs = {\(catalogs.joined(separator: ",\n"))};\n".utf8) + script
    }

    /// The texts between single quotes, each on one line.
    private static func literals(in script: [UInt8]) -> Set<String> {
        var literals: Set<String> = []
        for line in script.split(separator: UInt8(ascii: "\n")) {
            var open: [UInt8]?
            var rest = line
            while let byte = rest.popFirst() {
                switch (open, byte) {
                case (let text?, UInt8(ascii: "'")):
                    literals.insert(String(decoding: text, as: UTF8.self))
                    open = nil
                case (nil, UInt8(ascii: "'")): open = []
                case (_, UInt8(ascii: "\\")): if let escaped = rest.popFirst() { open?.append(escaped) }
                default: open?.append(byte)
                }
            }
        }
        return literals
    }

    /// The names of the files.
    var names: [String] { files.keys.sorted() }

    /// The size of scripts and styles, in bytes: as they are, and compressed.
    var sizes: (bytes: Int, packed: Int) {
        let loaded = files.filter { $0.key.hasSuffix(".js") || $0.key.hasSuffix(".css") }.values
        return (loaded.reduce(0) { $0 + $1.bytes.count }, loaded.reduce(0) { $0 + ($1.packed ?? $1.bytes).count })
    }

    func reply(to head: RequestHead, path: String, body: HTTPBody) async throws -> HTTPReply {
        let target = path.prefix { $0 != "?" }
        if target == FormattedTexts.path { return try await FormattedTexts.reply(to: head, body) }
        guard head.method == .get || head.method == .head else {
            throw HubProblem.notAllowed("The app's files can only be read.", allowed: "GET, HEAD")
        }
        if target == Self.path.dropLast() {
            return HTTPReply(
                head: HTTPResponse(status: .permanentRedirect, headerFields: [.location: "app/"]), body: .empty)
        }
        guard let file = files[String(target.dropFirst(Self.path.count))] else {
            throw HubProblem(404, "The app has no such file; it begins at \(Self.path).")
        }
        var fields = Self.fields
        fields[.contentType] = file.type
        var bytes = file.bytes
        var tag = "\"\(file.hex)\""
        if let packed = file.packed {
            fields[.vary] = "Accept-Encoding"
            if ContentCodings.areReadable([.contentEncoding: "gzip"], by: head.fields) {
                bytes = packed
                tag = "\"\(file.hex)-gzip\""
                fields[.contentEncoding] = "gzip"
            }
        }
        fields[.eTag] = tag
        if let condition = head.fields[.ifNoneMatch], Validators.ifNoneMatch(condition, matches: tag) {
            fields[.contentType] = nil
            fields[.contentEncoding] = nil
            return HTTPReply(head: HTTPResponse(status: .notModified, headerFields: fields), body: .empty)
        }
        return HTTPReply(head: HTTPResponse(status: .ok, headerFields: fields), body: HTTPBody(bytes: bytes))
    }

    /// A new version is seen at once (`no-cache`), and only content from this hub runs or is shown.
    static let fields: HTTPFields = {
        var fields = HTTPFields()
        fields[.cacheControl] = "no-cache"
        fields[.xContentTypeOptions] = "nosniff"
        fields[.contentSecurityPolicy] =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self' blob:; "
            + "connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; "
            + "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types quire"
        fields[.referrerPolicy] = "no-referrer"
        fields[.crossOriginOpenerPolicy] = "same-origin"
        fields[.cacheStatus] = "\(HubProblem.cacheName); detail=\"hub\""
        return fields
    }()
}

extension HTTPField.Name {
    // Proof: these are constants, and each is a token of RFC 9110.
    // swift-format-ignore: NeverForceUnwrap
    fileprivate static let referrerPolicy = Self("Referrer-Policy")!
    // Proof: as above.
    // swift-format-ignore: NeverForceUnwrap
    fileprivate static let crossOriginOpenerPolicy = Self("Cross-Origin-Opener-Policy")!
}
