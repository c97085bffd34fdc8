import HTTPMessages
import NIOCore
import Testing

@testable import Hub

@Suite("Reading messages")
struct WireTests {
    @Test("a head that comes byte by byte is the same head")
    func bytewise() throws {
        let text = "PUT /a?b=c HTTP/1.1\r\nHost: example.org\r\nX-One:  two \t\r\nX-Empty:\r\n\r\nrest"
        var buffer = ByteBuffer()
        var head: RequestHead?
        for byte in text.utf8 {
            buffer.writeInteger(byte)
            if head == nil { head = try HeadReader.request(&buffer) }
        }
        let found = try #require(head)
        #expect(found.method == .put && found.target == "/a?b=c" && found.minor == 1)
        #expect(found.fields.map { "\($0.name.rawName)=\($0.value)" } == ["Host=example.org", "X-One=two", "X-Empty="])
        #expect(String(buffer: buffer) == "rest")
    }

    @Test("a response is read as leniently as RFC 9112 allows: LF alone, folded lines, no reason phrase")
    func lenient() throws {
        var buffer = ByteBuffer(string: "HTTP/1.1 200\nA : b\r\n c\r\nbroken line\r\nD: e\n\n")
        let head = try #require(try HeadReader.response(&buffer))
        #expect(head.status == 200 && head.reason == "")
        #expect(head.fields.map { "\($0.name.rawName)=\($0.value)" } == ["A=b c", "D=e"])
        for bad in [
            "HTTP/1.1 2x0 OK\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n", "ICY 200 OK\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n",
        ] {
            var buffer = ByteBuffer(string: bad)
            #expect(throws: WireFault.self) { try HeadReader.response(&buffer) }
        }
    }

    private func framing(_ fields: String, status: Int = 200) throws -> Framing {
        var buffer = ByteBuffer(string: "HTTP/1.1 \(status) OK\r\n\(fields)\r\n")
        return try Framing.response(try #require(try HeadReader.response(&buffer)), to: .get)
    }

    @Test("a response's length follows the order of RFC 9112 section 6.3")
    func framing() throws {
        #expect(try framing("Content-Length: 5\r\n") == .length(5))
        #expect(try framing("Content-Length: 5\r\nContent-Length: 5\r\n") == .length(5))
        #expect(try framing("Content-Length: 5, 5\r\n") == .length(5))
        #expect(try framing("Transfer-Encoding: Chunked\r\nContent-Length: 5\r\n") == .chunked)
        #expect(try framing("") == .untilClose)
        // Where chunked is not the last coding, the connection's end is the body's.
        for codings in ["gzip", "own", "chunked, own", "identity", "xchunked"] {
            #expect(try framing("Transfer-Encoding: \(codings)\r\nContent-Length: 5\r\n") == .untilClose)
        }
        for status in [204, 304] { #expect(try framing("Content-Length: 5\r\n", status: status) == .none) }
        for bad in [
            "Content-Length: 5\r\nContent-Length: 6\r\n", "Content-Length: x\r\n",
            "Transfer-Encoding: gzip, chunked\r\n",
        ] {
            #expect(throws: WireFault.self) { try framing(bad) }
        }
    }

    @Test("a chunked body is the same however it is cut")
    func chunks() throws {
        let text = "5;a=\"b\"\r\nhello\r\n00A\r\n0123456789\r\n0\r\nX: y\r\n\r\nnext"
        for step in 1...text.utf8.count {
            var reader = BodyReader(.chunked, .request, isStrict: true)
            var buffer = ByteBuffer()
            var body = ""
            var trailers = 0
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                buffer.writeBytes(rest.prefix(step))
                rest = rest.dropFirst(step)
                while !reader.isDone, let event = try reader.next(&buffer, isEnded: false) {
                    if case .bytes(let bytes) = event { body += String(buffer: bytes) }
                    if case .end(let fields) = event { trailers = fields.count }
                }
            }
            #expect(body == "hello0123456789" && trailers == 1 && String(buffer: buffer) == "next")
        }
    }

    @Test("trailers and a chunk's extensions have their bounds, also where they come in one piece")
    func bounds() throws {
        let trailers =
            "0\r\n" + (1...40).map { "X-\($0): \(String(repeating: "y", count: 1000))\r\n" }.joined() + "\r\n"
        let spaces = "5" + String(repeating: " ", count: 1000) + ";a\r\nhello\r\n0\r\n\r\n"
        for (text, status) in [(trailers, 431), (spaces, 400)] {
            for step in [1, 512, text.utf8.count] {
                var reader = BodyReader(.chunked, .response, isStrict: false)
                var buffer = ByteBuffer()
                let fault = #expect(throws: WireFault.self) {
                    for start in stride(from: 0, to: text.utf8.count, by: step) {
                        buffer.writeBytes(Array(text.utf8)[start..<min(start + step, text.utf8.count)])
                        while !reader.isDone, try reader.next(&buffer, isEnded: false) != nil {}
                    }
                }
                #expect(fault?.status == status, "in pieces of \(step) bytes")
            }
        }
    }

    @Test("a body that ends before its end is a fault", arguments: [Framing.length(5), .chunked])
    func early(_ framing: Framing) throws {
        var reader = BodyReader(framing, .response, isStrict: false)
        var buffer = ByteBuffer(string: framing == .chunked ? "5\r\nhel" : "hel")
        _ = try reader.next(&buffer, isEnded: true)
        #expect(throws: WireFault.self) { try reader.next(&buffer, isEnded: true) }
    }

    @Test("a path that leads out of its base is seen, however it is written")
    func climbing() {
        for path in ["/..", "/a/../b", "/%2e%2e/", "/.%2E", "/a/..%2fb", "/a\\..\\b", "/a%5c..%5cb"] {
            #expect(TargetCheck.climbs(path), "\(path)")
        }
        for path in ["/", "/a..b", "/...", "/.", "/a?b=/../", "/%2e"] { #expect(!TargetCheck.climbs(path), "\(path)") }
    }

    @Test("an upstream is an http or https URL without secrets, and nothing else")
    func addresses() throws {
        let address = try UpstreamAddress("https://Example.org/school//")
        #expect(address.base == "https://example.org/school" && address.port == 443 && address.isSecure)
        #expect(try UpstreamAddress("http://[::1]:8484").authority == "[::1]:8484")
        let others = ["example.org", "ftp://a", "file:///a", "s3+https://a/b", "s3+http://127.0.0.1/b"]
        for bad in others + ["http://", "http://u:p@a", "http://a/?q", "http://a/#f", "http://a/../b"] {
            #expect(throws: HubError.self) { try UpstreamAddress(bad) }
        }
    }
}
