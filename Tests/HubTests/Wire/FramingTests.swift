import Foundation
import Testing

@testable import Hub

@Suite("Responses whose length is odd")
struct FramingTests {
    @Test(
        "an unknown last transfer coding ends with the connection: passed on without the field, not kept (RFC 9112 section 6.3)"
    )
    func unknownCoding() async throws {
        let origin = try RawOrigin { _, socket in
            try socket.send(
                "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 3\r\nTransfer-Encoding: chunked, own\r\n\r\n"
            )
            try socket.send("all of it")
            shutdown(socket.descriptor, Int32(SHUT_RDWR))
        }
        try await HubFixture.run("http://127.0.0.1:\(origin.port)") { hub in
            for _ in 0..<2 {
                let answer = try hub.get("/a")
                #expect(answer.status == 200 && answer.text == "all of it")
                #expect(answer["transfer-encoding"] == "chunked" && answer["content-length"] == nil)
                #expect(answer["cache-status"]?.contains("stored") == false)
            }
            #expect(origin.requests.count == 2)
            let old = try hub.exchange("GET /a HTTP/1.0\r\n\r\n")
            #expect(old.text == "all of it" && old["transfer-encoding"] == nil)
        }
    }

    /// A part in chunks, whose Content-Range says ten bytes.
    private func part(_ content: String) throws -> RawOrigin {
        try RawOrigin { request, socket in
            guard request["range"] != nil else {
                return try socket.send(
                    "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nETag: \"a\"\r\nContent-Length: 20\r\n\r\n01234567890123456789"
                )
            }
            try socket.send(
                "HTTP/1.1 206 Partial Content\r\nCache-Control: max-age=60\r\nETag: \"a\"\r\nContent-Range: bytes 0-9/20\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n\(content.utf8.count)\r\n\(content)\r\n0\r\n\r\n")
        }
    }

    @Test(
        "a part in chunks keeps its framing, and one that is not what its Content-Range says is not kept (RFC 9110 section 14.4)"
    )
    func parts() async throws {
        let short = try part("01234")
        try await HubFixture.run("http://127.0.0.1:\(short.port)") { hub in
            for _ in 0..<2 {
                let answer = try hub.get("/f", "Range: bytes=0-9")
                #expect(answer.status == 206 && answer.text == "01234")
                #expect(answer["content-length"] == nil && answer["transfer-encoding"] == "chunked")
                #expect(answer["content-range"] == "bytes 0-9/20")
            }
            #expect(short.requests.count == 2)
            #expect(try hub.get("/f").text == "01234567890123456789")
        }
        let whole = try RawOrigin { _, socket in
            try socket.send(
                "HTTP/1.1 206 Partial Content\r\nCache-Control: max-age=60\r\nETag: \"a\"\r\nContent-Range: bytes 0-9/20\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\na\r\n0123456789\r\n0\r\n\r\n")
        }
        try await HubFixture.run("http://127.0.0.1:\(whole.port)") { hub in
            for _ in 0..<2 {
                let answer = try hub.get("/f", "Range: bytes=0-9")
                #expect(answer.text == "0123456789")
            }
            let inner = try hub.get("/f", "Range: bytes=2-4")
            #expect(inner.text == "234")
            #expect(whole.requests.count == 1)
        }
    }
}
