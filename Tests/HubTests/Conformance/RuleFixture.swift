import Foundation
import HTTPCaching
import Model
import Simulation
import Synchronization

/// A hub, its origin and a client, that go through the cases of a table.
final class RuleFixture: Sendable {
    private struct Script {
        var step: RuleStep?
        var content = ""
        var heard: [RawMessage] = []
    }

    private let hub: HubFixture
    private let clock: ManualClock
    private let originPort: Int
    private let script: SharedScript

    private final class SharedScript: Sendable {
        let state = Mutex(Script())
    }

    private init(_ hub: HubFixture, _ clock: ManualClock, _ originPort: Int, _ script: SharedScript) {
        self.hub = hub
        self.clock = clock
        self.originPort = originPort
        self.script = script
    }

    /// Runs cases, and reports the faults of each.
    static func faults(of cases: [RuleCase]) async throws -> [String] {
        let script = SharedScript()
        let clock = ManualClock()
        let origin = try RawOrigin { request, socket in try answer(request, socket, script, clock) }
        let faults = Mutex<[String]>([])
        try await HubFixture.run("http://127.0.0.1:\(origin.port)", clock: clock) { hub in
            let ground = RuleFixture(hub, clock, origin.port, script)
            var socket: RawSocket?
            for (index, one) in cases.enumerated() {
                let found = try ground.run(one, path: "/rule/\(index)", &socket)
                faults.withLock { $0 += found.map { "\(one.name): \($0)" } }
            }
        }
        return faults.withLock { $0 }
    }

    private static func answer(
        _ request: RawMessage, _ socket: RawSocket, _ script: SharedScript, _ clock: ManualClock
    ) throws {
        let (step, content) = script.state.withLock { script in
            script.heard.append(request)
            return (script.step, script.content)
        }
        guard let step else { return try socket.send("HTTP/1.1 500 Not expected\r\nContent-Length: 0\r\n\r\n") }
        var lines = ["HTTP/1.1 \(step.status) Said"]
        lines += step.says.filter { !$0.hasPrefix("!") }
        let names = Set(step.says.map { ($0.split(separator: ":").first ?? "").lowercased() })
        // A server has a clock, unless the case is about one that has none.
        if !names.contains("date"), !names.contains("!date") { lines.append("Date: \(HTTPDate.format(clock.now))") }
        let hasBody = step.status != 304 && step.status != 204
        if hasBody, !names.contains("content-length"), !names.contains("transfer-encoding") {
            lines.append("Content-Length: \(content.utf8.count)")
        }
        let head = lines.map { $0 + "\r\n" }.joined() + "\r\n"
        try socket.send(head + (hasBody && request.method != "HEAD" ? content : ""))
    }

    private func run(_ one: RuleCase, path: String, _ socket: inout RawSocket?) throws -> [String] {
        var faults: [String] = []
        var last = ""
        for (number, step) in one.steps.enumerated() {
            if step.after > 0 { clock.advance(by: .seconds(step.after)) }
            let step = filled(step, path: path)
            let content = step.content ?? "content \(number) of \(path)"
            script.state.withLock { $0 = Script(step: step, content: content) }
            let response = try exchange(step, path: path, &socket)
            let heard = script.state.withLock { $0.heard }
            if !heard.isEmpty, step.method != "HEAD", step.status != 304, step.status != 204 { last = content }
            faults += self.faults(step, response, heard, last: last).map { "step \(number + 1): \($0)" }
            if !faults.isEmpty { break }
        }
        return faults
    }

    private func exchange(_ step: RuleStep, path: String, _ socket: inout RawSocket?) throws -> RawMessage {
        var lines = ["\(step.method) \(path)\(step.suffix) HTTP/1.1"]
        if !step.asks.contains(where: { $0.lowercased().hasPrefix("host:") }) {
            lines.append("Host: 127.0.0.1:\(hub.port)")
        }
        lines += step.asks
        if !step.sends.isEmpty { lines.append("Content-Length: \(step.sends.utf8.count)") }
        let request = lines.map { $0 + "\r\n" }.joined() + "\r\n" + step.sends
        for _ in 0..<2 {
            let connection = try socket ?? hub.connect()
            socket = connection
            try connection.send(request)
            while let response = try connection.message(hasNoBody: step.method == "HEAD") {
                if (100..<200).contains(response.status) { continue }
                if response["connection"]?.lowercased() == "close" { socket = nil }
                return response
            }
            socket = nil
        }
        throw Unexpected("no response to \(request)")
    }

    private func faults(
        _ step: RuleStep, _ response: RawMessage, _ heard: [RawMessage], last: String
    ) -> [String] {
        var faults: [String] = []
        let isConditional = heard.contains { $0["if-none-match"] != nil || $0["if-modified-since"] != nil }
        switch step.way {
        case .any: break
        case .stored where !heard.isEmpty: faults.append("the origin was asked: \(heard)")
        case .fetched where heard.isEmpty, .validated where heard.isEmpty:
            faults.append("the origin was not asked: \(response)")
        case .validated where !isConditional: faults.append("asked without conditions: \(heard)")
        case .fetched where isConditional && !step.asks.contains(where: { $0.lowercased().hasPrefix("if-") }):
            faults.append("asked with conditions: \(heard)")
        default: break
        }
        for request in heard { faults += Self.faults(step.hears, in: request, "the origin heard") }
        let expected = step.gets ?? (step.status == 304 ? 200 : heard.isEmpty ? nil : step.status)
        if let expected, response.status != expected { faults.append("status \(response.status), not \(expected)") }
        if step.way == .stored, step.gets == nil, response.status >= 500, heard.isEmpty, step.status == 200 {
            faults.append("status \(response.status): \(response)")
        }
        faults += Self.faults(step.sees, in: response, "the client saw")
        let hasBody = step.method != "HEAD" && response.status != 304 && response.status != 204
        let wanted = step.reads ?? last
        if hasBody, step.gets != 504, step.gets != 416, response.text != wanted {
            faults.append("content “\(response.text.prefix(80))”, not “\(wanted.prefix(80))”")
        }
        return faults
    }

    private static func faults(_ lines: [String], in message: RawMessage, _ who: String) -> [String] {
        lines.compactMap { line in
            if line.hasPrefix("!") {
                let name = String(line.dropFirst())
                return message[name].map { "\(who) \(name): \($0)" }
            }
            let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            let found = message[parts[0]]
            if parts.count == 1 { return found == nil ? "\(who) no \(parts[0])" : nil }
            return found == parts[1] ? nil : "\(who) \(parts[0]): \(found ?? "none"), not \(parts[1])"
        }
    }

    // MARK: Placeholders

    private func filled(_ step: RuleStep, path: String) -> RuleStep {
        var step = step
        func fill(_ lines: [String]) -> [String] { lines.map { filled($0, path) } }
        step.asks = fill(step.asks)
        step.says = fill(step.says)
        step.hears = fill(step.hears)
        step.sees = fill(step.sees)
        step.reads = step.reads.map { filled($0, path) }
        return step
    }

    private func filled(_ text: String, _ path: String) -> String {
        guard text.contains("{") else { return text }
        var result = text.replacing("{hub}", with: "127.0.0.1:\(hub.port)")
            .replacing("{origin}", with: "127.0.0.1:\(originPort)").replacing("{path}", with: path)
        while let start = result.firstIndex(of: "{"), let end = result[start...].firstIndex(of: "}"),
            let seconds = Int(result[result.index(after: start)..<end].replacing("+", with: ""))
        {
            let date = HTTPDate.format(clock.now.adding(seconds: Double(seconds)))
            result.replaceSubrange(start...end, with: date)
        }
        return result
    }
}
