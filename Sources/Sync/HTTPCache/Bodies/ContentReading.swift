import Disk
import HTTPCaching
import HTTPTypes
import Model

/// The actual content of a reply's body: checked against the digest sent with it, and decompressed within limits.
enum ContentReading {
    /// The content of a reply without its content coding.
    static func content(of reply: RemoteReply, maximumBytes: Int) throws(RemoteFailure) -> [UInt8] {
        if let expected = try statedDigest(reply.fields), Digest(sha256Of: reply.body) != expected {
            throw otherContent
        }
        guard try isPacked(reply.fields) else { return reply.body }
        do throws(GzipFault) {
            return try Gzip.decompress(reply.body, maximumBytes: maximumBytes)
        } catch {
            throw unpacking(error)
        }
    }

    /// The digest that the reply states, of its body as it comes, or of the whole that this is a part of (Repr-Digest).
    static func statedDigest(
        _ fields: HTTPFields, _ name: HTTPField.Name = .contentDigest
    ) throws(RemoteFailure) -> Digest? {
        guard let stated = fields[name] else { return nil }
        do throws(DigestFieldFault) {
            return try DigestField.sha256s(in: stated).first
        } catch {
            throw RemoteFailure(.invalidReply, "the reply's \(name) is not one: “\(stated.prefix(100))”")
        }
    }

    /// Whether the body is gzip.
    static func isPacked(_ fields: HTTPFields) throws(RemoteFailure) -> Bool {
        let coding = (fields[.contentEncoding] ?? "identity").lowercased().filter { !$0.isWhitespace }
        switch coding {
        case "", "identity": return false
        case "gzip", "x-gzip": return true
        default:
            throw RemoteFailure(
                .invalidReply, "the reply has the content coding “\(coding.prefix(40))”, which was not asked for")
        }
    }

    static let otherContent = RemoteFailure(.invalidReply, "the reply's content does not match its Content-Digest")

    static func unpacking(_ fault: GzipFault) -> RemoteFailure {
        RemoteFailure(.invalidReply, "the reply's content cannot be unpacked: \(fault)")
    }
}

/// URLs of a remote.
package enum RemoteURL {
    /// The absolute URL, in its normal form, of a reference found in a document of `base`; `nil` when it leads to another origin or is
    /// no URL at all. So nothing that a server writes makes us ask another machine, or read a file.
    package static func resolve(_ reference: String, against base: String) -> String? {
        guard let base = NormalURL(base), let url = base.resolving(reference), url.origin == base.origin else {
            return nil
        }
        return url.text
    }
}
