import Disk
import Foundation
import Model
import Sync
import SystemPackage
import Testing
import Wording

@testable import Remotes

/// What `RemoteKind` of Remotes promises, of every entry.
@Suite("The registry of remotes")
struct RemoteRegistryTests {
    private typealias Kind = Remotes.RemoteKind

    /// A URL of each kind, by its scheme.
    private static func example(_ scheme: String) -> String {
        switch scheme {
        case "file": "file:///media/stick"
        // Without encryption it is for this machine alone.
        case "s3+http": "s3+http://127.0.0.1/path"
        default: "\(scheme)://school.example/path"
        }
    }

    private static var schemes: [String] { Kind.all.flatMap { $0.schemes.sorted() } }

    @Test("each scheme belongs to one kind, and the contract suite runs over every kind")
    func unique() {
        #expect(Set(Self.schemes).count == Self.schemes.count)
        #expect(
            Kind.all.count == RemoteKind.allCases.filter { $0 != .inMemory && !$0.isShared }.count,
            "RemoteContractTests lack a kind")
        for kind in Kind.all {
            #expect(!kind.schemes.isEmpty && kind.encryptedSchemes.isSubset(of: kind.schemes))
        }
    }

    @Test("a URL of each scheme is valid, in capitals too, and opens a remote whose URLs lie below it")
    func opening() async throws {
        for scheme in Self.schemes {
            let base = Self.example(scheme)
            #expect(RemoteAddress.fault(in: base) == nil)
            #expect(RemoteAddress.fault(in: Self.example(scheme).replacing(scheme, with: scheme.uppercased())) == nil)
            let remote = try RemoteAddress.open(base, token: nil, clock: SystemClock())
            #expect(remote.listURL.hasPrefix(base + "/"))
            #expect(remote.documentURL(id: "a/b").hasPrefix(base + "/"))
            await remote.shutdown()
        }
    }

    @Test("no kind accepts a URL of another")
    func others() {
        for kind in Kind.all {
            for scheme in Self.schemes where !kind.schemes.contains(scheme) {
                #expect(throws: RemoteAddressError.self) { try kind.validate(Self.example(scheme)) }
            }
        }
    }

    @Test(
        "what has no kind is refused with one sentence that names every form",
        arguments: ["gopher://school.example", "school.example", "", "s3:", "/media/stick"])
    func unknown(_ url: String) {
        let sentence =
            "“\(url)” cannot be a remote: give a URL such as https://school.example or http://127.0.0.1:8484, "
            + "without a name, password, query or fragment, a folder such as file:///media/stick, or a bucket such as "
            + "s3+https://s3.example.org/bucket/prefix"
        #expect(RemoteAddress.fault(in: url)?.description == sentence)
        #expect(throws: RemoteAddressError(text: url)) {
            try RemoteAddress.open(url, token: nil, clock: SystemClock())
        }
        #expect(throws: RemoteAddressError(text: url)) { try RemoteAddress.prepare(url, store: "/store") }
        #expect(!RemoteAddress.usesDefaultRoute(url) && !RemoteAddress.isEncrypted(url))
        #expect(RemoteAddress.medium(url) == .hub)
    }

    @Test("encryption and the network are known from the URL")
    func facts() {
        #expect(RemoteAddress.isEncrypted("HTTPS://school.example"))
        #expect(!RemoteAddress.isEncrypted("http://school.example") && !RemoteAddress.isEncrypted("file:///a"))
        #expect(RemoteAddress.usesDefaultRoute("http://school.example"))
        for here in ["http://127.0.0.1:8484", "https://localhost", "file:///media/stick"] {
            #expect(!RemoteAddress.usesDefaultRoute(here), "\(here)")
        }
    }

    @Test("each medium has words of its own in both languages")
    func media() {
        let media = Kind.all.map(\.medium)
        for language in Language.allCases {
            #expect(Set(media.map { $0.kept(language) }).count == media.count)
            for medium in media { #expect(medium.keptSince(language).contains("{time}")) }
        }
        #expect(RemoteAddress.medium("FILE:///media/stick").keepsSuccessors)
        #expect(!RemoteAddress.medium("https://school.example").keepsSuccessors)
    }

    @Test("a folder that is the store's own, or is not there, is not prepared")
    func preparing() throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "quire-registry-\(UUID())")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: root) }
        let store = FilePath(root.path)
        #expect(throws: RemotePreparationError.self) { try RemoteAddress.prepare("file://\(root.path)", store: store) }
        #expect(throws: RemotePreparationError.self) {
            try RemoteAddress.prepare("file://\(root.path)/none", store: "/store")
        }
        try RemoteAddress.prepare("file://\(root.path)", store: "/store")
        #expect(try FileManager.default.contentsOfDirectory(atPath: root.path).isEmpty == false)
    }
}
