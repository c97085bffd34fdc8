import Testing

/// RFC 9110 section 10.1.1.
@Suite("A client that asks the host whether to send its content")
struct ExpectationTests {
    private let folder: TemporaryFolder
    private let host: HostProcess
    private let device: Device

    init() throws {
        folder = try TemporaryFolder()
        host = try HostProcess(folder: folder.path)
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        try host.start()
        device = try Device(folder.path, of: host)
    }

    private func test() throws -> (head: String, content: String) {
        let id = try device.take("keyed", answers: Questionnaire.rightAnswers)
        let content = try Files.text(device.testPath(id, "done"))
        let head = """
            PUT /v1/tests/\(id) HTTP/1.1\r
            Host: localhost\r
            Connection: close\r
            Content-Type: application/json\r
            Content-Length: \(content.utf8.count)\r
            Expect: 100-continue\r
            \r

            """
        return (head, content)
    }

    @Test("it gets a 100 before it has sent a byte of it, and has its receipt")
    func asked() throws {
        try device.done("pull")
        let (head, content) = try test()
        let client = try RawClient(port: host.listeningPort)
        client.send(head)
        #expect(String(decoding: client.received(atMost: 25), as: UTF8.self) == "HTTP/1.1 100 Continue\r\n\r\n")
        client.send(content)
        #expect(String(decoding: client.received(), as: UTF8.self).hasPrefix("HTTP/1.1 201 "))
        #expect(host.tests.count == 1)
    }

    @Test("where it did not wait for the reply before, the word comes after that reply")
    func pipelined() throws {
        try device.done("pull")
        let (head, content) = try test()
        let client = try RawClient(port: host.listeningPort)
        client.send("GET /v1/questionnaires HTTP/1.1\r\nHost: localhost\r\n\r\n" + head)
        var text = ""
        while !text.hasSuffix("HTTP/1.1 100 Continue\r\n\r\n") {
            let more = client.received(atMost: 1)
            try #require(!more.isEmpty, "\(text)")
            text += String(decoding: more, as: UTF8.self)
        }
        #expect(text.hasPrefix("HTTP/1.1 200 ") && text.contains("keyed"))
        client.send(content)
        #expect(String(decoding: client.received(), as: UTF8.self).hasPrefix("HTTP/1.1 201 "))
    }
}
