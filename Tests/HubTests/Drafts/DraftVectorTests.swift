import Crypto
import CryptoExtras
import Foundation
import Testing

/// The envelopes of drafts, opened by another library than the app's (docs/format.md): the table that the app is tested with too.
@Suite("Envelopes of drafts")
struct DraftVectorTests {
    private struct Vectors: Decodable {
        struct Envelope: Decodable {
            var name, code, person, test: String
            var file: String?
            var revision: Int
            var envelope: Data
            var text: String?
        }
        var envelopes: [Envelope]
    }

    private static let (mark, saltBytes, nonceBytes) = (Data("QD1\n".utf8), 16, 12)

    private static func opened(_ one: Vectors.Envelope) throws -> String? {
        var rest = one.envelope
        guard rest.count > mark.count + saltBytes + nonceBytes, rest.prefix(mark.count) == mark else { return nil }
        rest = rest.dropFirst(mark.count)
        let salt = rest.prefix(saltBytes)
        let key = try KDF.Insecure.PBKDF2.deriveKey(
            from: Data(one.code.utf8), salt: salt, using: .sha256, outputByteCount: 32, rounds: 600_000)
        let place = "quire-draft 1\n\(one.person)\n\(one.test)\n\(one.file ?? "")\n\(one.revision)\n"
        guard let box = try? AES.GCM.SealedBox(combined: rest.dropFirst(saltBytes)),
            let bytes = try? AES.GCM.open(box, using: key, authenticating: Data(place.utf8))
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("only the code opens an envelope, and only at its own place")
    func table() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = folder.appending(path: "Vectors/drafts.json")
        let vectors = try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: file))
        #expect(vectors.envelopes.count > 8)
        for one in vectors.envelopes { #expect(try Self.opened(one) == one.text, "\(one.name)") }
    }
}
