import Foundation
import Testing

/// Rounds in which an author and a teacher work at a real host's desk, and the host is killed while it answers them; with a record
/// of what was acknowledged, which must hold after each round.
final class DeskKillRounds {
    struct Counts {
        var rounds = 0
        var saved = 0
        var published = 0
        var marked = 0
        var rated = 0
        var comments = 0
        var cut = 0
    }

    private enum Deed {
        case save(String)
        case publish
        case mark(String, points: String)
        case rateAgain(right: String)
        case keep(String, isForEveryone: Bool)
        case forget(String)
    }

    private static let written = "written"
    private static let marked = "marked"

    private let folder: TemporaryFolder
    private let host: HostProcess
    private var generator: SeededGenerator
    private(set) var counts = Counts()

    /// What may stand there. One value, unless the host was killed before it acknowledged another one.
    private var drafted: Set<String> = []
    private var published: Set<String> = ["v0"]
    private var points: [String: Set<String>] = [:]
    private var right: Set<String> = ["a"]
    private var draft = ""
    private var saves = 0
    private var marks: [String: Int] = [:]
    /// For each comment whether it may be in a list.
    private var comments: [String: Set<Bool>] = [:]
    /// The answers to the question with a key.
    private var given: [String: String] = [:]

    init(seed: UInt64) throws {
        generator = SeededGenerator(seed: seed)
        folder = try TemporaryFolder()
        host = try HostProcess(folder: folder.path, isRestarted: true)
        try Files.write(
            #"{"id": "written", "title": "Written", "questions": [{"id": "essay", "text": "v0", "kind": "text"}]}"#,
            to: host.questionnaires + "/written.json")
        try writeKey("a")
        try host.start("--desk")
        let device = Device(folder.path)
        try device.done("init", "--remote", host.address)
        try device.done("pull")
        for answer in ["a", "b", "a"] {
            let id = try device.take(Self.marked, answers: #"{"q1": "\#(answer)", "essay": "Because."}"#)
            given[id] = answer
            points[id] = [""]
        }
        try device.done("sync")
        try open()
    }

    private func writeKey(_ right: String) throws {
        try Files.write(
            #"{"id": "marked", "title": "Marked", "answerKey": {"q1": "\#(right)"}, "questions": ["#
                + #"{"id": "q1", "text": "?", "options": ["a", "b"]}, {"id": "essay", "text": "Why?", "kind": "text", "points": 9}]}"#,
            to: host.questionnaires + "/marked.json")
    }

    private func chance(_ count: UInt64) -> Int { Int(generator.next() % count) }

    // MARK: A round

    func round() throws {
        counts.rounds += 1
        saves += 1
        var deeds: [Deed] = [chance(4) == 0 ? .publish : .save("v\(saves)")]
        let ids = points.keys.sorted()
        deeds.append(.mark(ids[chance(UInt64(ids.count))], points: "\(chance(10))"))
        if chance(3) == 0 {
            let next = right == ["a"] ? "b" : "a"
            try writeKey(next)
            deeds = [.rateAgain(right: next)] + deeds.prefix(1)
        }
        let known = comments.filter { $0.value == [true] }.keys.sorted()
        if !known.isEmpty, chance(4) == 0 {
            deeds.append(.forget(known[chance(UInt64(known.count))]))
        } else {
            deeds.append(.keep("c\(counts.rounds)", isForEveryone: chance(2) == 0))
        }
        let sent = try deeds.map { ($0, try begin($0)) }
        // The first round is not disturbed: it shows that the desk takes all of this.
        let isDisturbed = counts.rounds > 1
        if isDisturbed {
            usleep(UInt32(chance(60_000)))
            host.kill()
        }
        for (deed, client) in sent {
            let place = place(of: client, after: deed)
            #expect(place != nil || isDisturbed)
            note(deed, place)
        }
        if !isDisturbed { host.kill() }
        try host.start("--desk")
        try check()
    }

    private func begin(_ deed: Deed) throws -> RawClient {
        switch deed {
        case .save(let text):
            let page = try screen("\(draft)/q/essay")
            return try post("\(draft)/q/essay", page, "shown=text&kind=text&text=\(text)&do=save")
        case .publish: return try post("\(draft)/publish", try screen("\(draft)/publish"), "")
        case .mark(let id, let points):
            let action = "/desk/t/\(id)/marks/essay"
            let page = try screen("/desk/t/\(id)")
            guard let start = page.range(of: "action=\"\(action)\"") else { throw Unexpected("no form: \(page)") }
            marks[id, default: 0] += 1
            return try post(action, String(page[start.upperBound...]), "points=\(points)&comment=")
        case .rateAgain:
            let action = "/desk/q/\(Self.marked)/again"
            for id in points.keys { marks[id, default: 0] += 1 }
            return try post(action, try screen(action), "")
        case .keep(let text, let isForEveryone):
            let form = "comment=\(text)&question=essay&points=1" + (isForEveryone ? "&everyone=1" : "")
            return try post(Self.list, try screen(Self.list), form)
        case .forget(let text):
            let id = try saved().first { $0["text"].text == text }?["id"].text
            return try post(Self.list, try screen(Self.list), "id=\(try #require(id))&do=delete&comment=")
        }
    }

    private static let list = "/desk/q/\(marked)/comments"

    /// The saved comments of both lists.
    private func saved() throws -> [JSON] {
        try ["open", "everyone"].map { "\(host.data)/comments/\($0)/\(Self.marked).json" }.filter(Files.exists)
            .flatMap { try JSON(file: $0)["comments"].elements }
    }

    private func note(_ deed: Deed, _ place: String?) {
        if place == nil { counts.cut += 1 }
        switch deed {
        case .save(let text):
            if place?.hasSuffix("said=saved") == true {
                drafted = [text]
                counts.saved += 1
            } else {
                drafted.insert(text)
            }
        case .publish:
            if place?.hasPrefix("/desk/?published=") == true {
                published = drafted
                counts.published += 1
            } else {
                published.formUnion(drafted)
            }
        case .mark(let id, let points):
            if place != nil {
                self.points[id] = [points]
                counts.marked += 1
            } else {
                self.points[id]?.insert(points)
            }
        case .rateAgain(let right):
            if place?.hasSuffix("done=1") == true {
                self.right = [right]
                counts.rated += 1
            } else {
                self.right.insert(right)
            }
        case .keep(let text, _): noteComment(text, true, isDone: place?.hasSuffix("saved=1") == true)
        case .forget(let text): noteComment(text, false, isDone: place?.hasSuffix("comments") == true)
        }
    }

    private func noteComment(_ text: String, _ isThere: Bool, isDone: Bool) {
        if isDone {
            comments[text] = [isThere]
            counts.comments += 1
        } else {
            comments[text, default: [false]].insert(isThere)
        }
    }

    // MARK: The desk

    private func open() throws {
        let place = place(of: try post("/desk/write/of", try screen("/desk/"), "questionnaire=\(Self.written)"))
        guard let place, place.hasPrefix("/desk/write/") else { throw Unexpected("no draft: \(place ?? "")") }
        draft = place
        drafted = published
    }

    private func screen(_ target: String) throws -> String {
        let client = try RawClient(port: host.port)
        client.send("GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(host.port)\r\nConnection: close\r\n\r\n")
        let reply = String(decoding: client.received(), as: UTF8.self)
        guard reply.hasPrefix("HTTP/1.1 200") else { throw Unexpected("\(target): \(reply.prefix(300))") }
        return reply
    }

    private func post(_ target: String, _ page: String, _ form: String) throws -> RawClient {
        let hidden = ["token", "version", "state"].compactMap { name -> String? in
            guard let mark = page.range(of: "name=\"\(name)\" value=\"") else { return nil }
            return "\(name)=\(page[mark.upperBound...].prefix { $0 != "\"" })"
        }
        let body = (hidden + [form]).joined(separator: "&")
        let client = try RawClient(port: host.port)
        client.send(
            "POST \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(host.port)\r\nConnection: close\r\n"
                + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
        return client
    }

    /// Where the reply leads; `nil` where none came, or a refusal.
    private func place(of client: RawClient, after deed: Deed? = nil) -> String? {
        let reply = String(decoding: client.received(), as: UTF8.self)
        #expect(
            !reply.contains("\r\n\r\n") || reply.hasPrefix("HTTP/1.1 303"),
            "the desk refuses \(deed.map { "\($0)" } ?? "a draft"): \(reply)")
        guard reply.hasPrefix("HTTP/1.1 303"),
            let line = reply.components(separatedBy: "\r\n").first(where: { $0.lowercased().hasPrefix("location: ") })
        else { return nil }
        return String(line.dropFirst("location: ".count))
    }

    // MARK: What was acknowledged

    private func check() throws {
        try checkDraft()
        for (id, expected) in points.sorted(by: { $0.key < $1.key }) {
            let receipt = try JSON(file: "\(host.data)/receipts/\(id).receipt.json")
            let questions = receipt["evaluation"]["questions"].elements
            func text(_ id: String) -> String {
                let number = questions.first { $0["questionId"].text == id }?["points"].number
                return number.map { "\(Int($0))" } ?? ""
            }
            let (essay, byKey) = (text("essay"), text("q1"))
            #expect(expected.contains(essay), "\(id): \(essay) points, and not one of \(expected)")
            #expect(right.contains { byKey == (given[id] == $0 ? "1" : "0") }, "\(id): \(byKey) by the key")
            let sum = (Int(essay) ?? 0) + (Int(byKey) ?? 0)
            #expect(receipt["evaluation"]["score"].number == Double(sum), "\(id): the score is the sum")
            let former = Files.names(in: "\(host.data)/receipts/\(id)", suffix: ".json").count
            #expect(former <= marks[id] ?? 0, "\(id): nothing was rated twice")
            points[id] = [essay]
        }
        try checkComments()
        try settleRating()
        #expect(host.tests.count == given.count)
        #expect(Files.names(in: host.questionnaires, suffix: ".json").sorted() == ["marked.json", "written.json"])
    }

    private func checkComments() throws {
        let saved = try saved()
        #expect(saved.allSatisfy { comments[$0["text"].text ?? ""] != nil && $0["points"].number == 1 }, "\(saved)")
        for (text, expected) in comments {
            let count = saved.count { $0["text"].text == text }
            #expect(count < 2 && expected.contains(count == 1), "“\(text)” is there \(count) times: \(expected)")
            comments[text] = [count == 1]
        }
    }

    /// An interrupted rating is completed by another one.
    private func settleRating() throws {
        guard right.count > 1 else { return }
        let action = "/desk/q/\(Self.marked)/again"
        let current = try JSON(file: host.questionnaires + "/marked.json")["answerKey"]["q1"].text ?? ""
        for id in points.keys { marks[id, default: 0] += 1 }
        let place = place(of: try post(action, try screen(action), ""))
        #expect(place?.hasSuffix("done=1") == true, "rating again goes on after a crash")
        right = [current]
    }

    private func checkDraft() throws {
        let text = try essay(JSON(file: host.questionnaires + "/written.json"))
        #expect(published.contains(text), "\(text) is published, and not one of \(published)")
        published = [text]
        let folder = "\(host.data)/drafts/\(draft.split(separator: "/").last ?? "")"
        let states = Files.names(in: folder, suffix: ".json").compactMap { Int($0.dropLast(5)) }
        guard let last = states.max() else {
            // A draft goes when it is published, and never otherwise.
            #expect(drafted.contains(text), "the draft is gone, and \(drafted) is not published")
            return try open()
        }
        #expect(last <= saves + 1)
        let state = try essay(JSON(file: "\(folder)/\(last).json")["document"])
        #expect(drafted.contains(state), "the draft says \(state), and not one of \(drafted)")
        drafted = [state]
    }

    private func essay(_ document: JSON) throws -> String {
        let question = document["questions"].elements.first { $0["id"].text == "essay" }
        return try #require(question?["text"].text)
    }
}
