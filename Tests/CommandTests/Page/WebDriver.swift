import Foundation

/// A client of the WebDriver protocol (W3C, “WebDriver”): commands as JSON over HTTP.
final class WebDriver {
    private let process: ChildProcess
    private let port: Int

    /// Where the driver of a browser is installed.
    static var isInstalled: Bool { Command.isInstalled("chromedriver") && Command.isInstalled("chromium") }

    init(folder: String) throws {
        process = try ChildProcess(
            ["chromedriver", "--port=0"], environment: Command.environment(home: folder), folder: folder,
            isWatched: true)
        while true {
            let line = try HostProcess.firstLine(of: process)
            guard line.contains("started successfully on port") else { continue }
            guard let found = line.split(whereSeparator: { !$0.isNumber }).last.flatMap({ Int($0) }) else {
                throw Unexpected("chromedriver said “\(line)”")
            }
            port = found
            return
        }
    }

    deinit { process.send(SIGTERM) }

    /// Carries out a command; its value.
    @discardableResult
    func command(_ method: String, _ path: String, _ body: Any? = nil) throws -> JSON {
        var content = Data()
        if method == "POST" { content = try JSONSerialization.data(withJSONObject: body ?? [String: String]()) }
        let client = try RawClient(port: port)
        client.send(
            "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Type: application/json; charset=utf-8\r\n"
                + "Content-Length: \(content.count)\r\nConnection: close\r\n\r\n")
        client.send(Array(content))
        let reply = try JSON(parsing: try Self.body(client))
        if let error = reply["value"]["error"].text {
            throw DriverError(kind: error, message: reply["value"]["message"].text ?? "")
        }
        return reply["value"]
    }

    private static func body(_ client: RawClient) throws -> String {
        var bytes: [UInt8] = []
        let limit = Date().addingTimeInterval(60)
        while Date() < limit {
            let text = String(decoding: bytes, as: UTF8.self)
            if let end = text.range(of: "\r\n\r\n") {
                let head = text[..<end.lowerBound].lowercased()
                let length = head.components(separatedBy: "content-length:").dropFirst().first
                    .flatMap { Int($0.drop { $0 == " " }.prefix(while: \.isNumber)) }
                let body = text[end.upperBound...]
                if let length, body.utf8.count >= length { return String(body) }
            }
            let more = client.received(atMost: 1)
            if more.isEmpty { break }
            bytes += more
        }
        throw Unexpected("chromedriver does not answer: \(String(decoding: bytes.prefix(200), as: UTF8.self))")
    }
}

/// What the browser could not do.
struct DriverError: Error, CustomStringConvertible {
    var kind: String
    var message: String
    var description: String { "\(kind): \(message.prefix(300))" }

    /// The page was put anew between the look and the act; the driver has two ways to say it.
    var isStale: Bool {
        kind == "stale element reference" || message.contains("does not belong to the document")
    }
}
