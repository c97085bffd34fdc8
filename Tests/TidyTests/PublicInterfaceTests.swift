import Foundation
import Testing

@Suite("The public interface of the libraries")
struct PublicInterfaceTests {
    private static let path = "docs/api.txt"

    /// `docs/api.txt` lists every public declaration, so that a change of it is seen in review. After a wanted change, run
    /// this test with `QUIRE_WRITE_API=1` and commit the file.
    @Test("docs/api.txt lists every public declaration")
    func unchanged() throws {
        let now = PublicInterface.lines(of: Repository.sources)
        let file = Repository.root.appending(path: Self.path)
        if ProcessInfo.processInfo.environment["QUIRE_WRITE_API"] != nil {
            try Data((now.joined(separator: "\n") + "\n").utf8).write(to: file)
        }
        let listed = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { String($0) }
        for change in now.difference(from: listed) {
            switch change {
            case .insert(_, let line, _): Issue.record("public, but not in \(Self.path): \(line)")
            case .remove(_, let line, _): Issue.record("in \(Self.path), but no longer public: \(line)")
            }
        }
    }

    @Test("there are at most 700 public declarations, cases and requirements among them")
    func few() { #expect(PublicInterface.lines(of: Repository.sources).count <= 700) }

    @Test("types, members, cases and requirements are found, with the type that they are in")
    func extraction() {
        let source = SourceText(
            """
            public import Dispatch

            /// A public matter.
            public struct Store: Sendable {
                public private(set) var count = 0
                public let name: String? = nil
                package var hidden = 1
                @discardableResult public func save(
                    _ text: String, as kind: Kind = .plain
                ) throws -> Int {
                    let public = 1
                    return public
                }

                public enum Kind: Hashable {
                    case plain = "plain"
                    case other(String)

                    var isPlain: Bool {
                        switch self {
                        case .plain: true
                        default: false
                        }
                    }
                }
            }

            public protocol Place {
                /// Where.
                var path: String { get }
                func look() async
            }

            extension Store.Kind {
                public static let first = Kind.plain
                static let second = Kind.plain
            }

            enum Inner {
                case one
            }
            """)
        #expect(
            PublicInterface.declarations(in: source.code) == [
                "struct Store: Sendable", "Store | var count = 0", "Store | let name: String?",
                "Store | @discardableResult func save(_ text: String, as kind: Kind = .plain) throws -> Int",
                "Store | enum Kind: Hashable", "Store.Kind | case plain", "Store.Kind | case other(String)",
                "protocol Place", "Place | var path: String", "Place | func look() async",
                "Store.Kind | static let first = Kind.plain",
            ])
    }
}
