import Foundation
import MotoServer
import Testing

/// Two teachers at two hosts of one bucket, as processes, with moto in the place of a store.
@Suite(
    "The desks of hosts that share a bucket", .serialized,
    .enabled(if: MotoServer.isInstalled, "moto cannot be had here"))
struct SharedDeskTests {
    private let desk: SharedDesk

    init() throws { desk = try SharedDesk() }

    @Test("what one teacher writes, publishes and marks, the other one has at the other host, and overwrites nothing")
    func twoTeachers() throws {
        let (one, other) = (desk.hosts[0], desk.hosts[1])
        let anna = try desk.logIn(one, try desk.key("teacher"), "Anna")
        let boris = try desk.logIn(other, try desk.key("teacher"), "Boris")
        let taker = try desk.key("taker")

        // One draft for both of them, and of two changes of one text the first one stays.
        let draft = try anna.submit("/desk/", to: "/desk/write/of", "questionnaire=marked")
        #expect(try boris.submit("/desk/", to: "/desk/write/of", "questionnaire=marked") == draft)
        let form = "\(draft)/q/essay"
        let (first, second) = (try anna.page(form), try boris.page(form))
        let saved = try anna.post(form, first, "shown=text&kind=text&text=Why+now%3F&points=9&do=save")
        #expect(DeskClient.place(saved)?.hasSuffix("said=saved") == true, "\(saved.prefix(500))")
        let refused = try boris.post(form, second, "shown=text&kind=text&text=Why+then%3F&points=9&do=save")
        #expect(refused.hasPrefix("HTTP/1.1 409") && refused.contains("Why now?"), "\(refused.prefix(500))")
        // The log-in of one host opens the other one.
        #expect(try anna.at(other).page(form).contains("Why now?"))

        let published = try boris.submit("\(draft)/publish", "")
        #expect(published == "/desk/?published=marked")
        #expect(try anna.reply(draft).hasPrefix("HTTP/1.1 404"))
        let history = try wait(for: "the version") {
            let page = try anna.page("/desk/write/of/marked")
            return page.contains("published by Boris") ? page : nil
        }
        #expect(history.matches(of: #/href="\/desk\/write\/of\/marked\/[0-9a-f]{64}"/#).count == 2)

        let device = try desk.device(one, taker)
        try device.done("pull")
        let test = try device.take("marked", answers: #"{"q1": "b", "essay": "Because, she said."}"#)
        try device.done("sync", "--now")

        // A mark at one host, and a form at the other one that does not know it.
        let stale = try boris.page("/desk/t/\(test)")
        let marked = String(decoding: try anna.mark(test, points: 4).received(), as: UTF8.self)
        #expect(DeskClient.place(marked) != nil, "\(marked.prefix(500))")
        let late = String(decoding: try boris.mark(test, points: 7, in: stale).received(), as: UTF8.self)
        #expect(late.hasPrefix("HTTP/1.1 409") && late.contains("by Anna"), "\(late.prefix(500))")
        #expect(try desk.marks(of: test) == 1)
        let again = String(decoding: try boris.mark(test, points: 7).received(), as: UTF8.self)
        #expect(DeskClient.place(again) != nil)

        // The key is corrected at one host, and all is rated again at the other one.
        let correction = try anna.submit("/desk/", to: "/desk/write/of", "questionnaire=marked")
        _ = try anna.submit(
            "\(correction)/q/q1", "shown=choice&kind=choice&text=Which%3F&o.0=a&w.0=0&o.1=b&w.1=1&r.1=1&do=save")
        #expect(try anna.submit("\(correction)/publish", "") == "/desk/?published=marked")
        try wait(for: "the corrected key") {
            try boris.page("/desk/q/marked/again").contains("0 → 1") ? true : nil
        }
        #expect(try boris.submit("/desk/q/marked/again", "").hasSuffix("done=1"))

        // Sent back by one, withdrawn by the other.
        let sentBack = "/desk/t/\(test)/return"
        _ = try anna.submit("/desk/t/\(test)", to: sentBack, "comment=More.", after: "action=\"\(sentBack)\"")
        #expect(try boris.page("/desk/t/\(test)").contains("More."))
        _ = try boris.submit("/desk/t/\(test)", to: sentBack, "withdraw=1", after: "action=\"\(sentBack)\"")

        for teacher in [anna, boris] {
            let page = try teacher.page("/desk/t/\(test)")
            #expect(page.contains("by Boris") && page.contains("8 of 10"), "\(page)")
        }
        func table(_ teacher: DeskClient) throws -> String {
            let reply = try teacher.page("/desk/q/marked/results.csv?cells=points")
            return String(reply[(reply.range(of: "\r\n\r\n")?.upperBound ?? reply.startIndex)...])
        }
        let (left, right) = (try table(anna), try table(boris))
        #expect(left == right && left.contains(",8,10,"), "\(left)")
        #expect(try desk.marks(of: test) == 5)
        try device.done("sync", "--now")
        let receipt = try JSON(file: device.receiptPath(test, "rated"))
        #expect(receipt["evaluation"]["score"].number == 8, "\(receipt)")

        // Logged out at one host is logged out at all.
        _ = try anna.submit("/desk/", to: "/desk/logout", "")
        #expect(try anna.at(other).reply("/desk/").hasPrefix("HTTP/1.1 401"))
        #expect(try boris.at(one).reply("/desk/").hasPrefix("HTTP/1.1 200"))
    }

    @Test("hosts that are killed while they save, publish and mark have lost and doubled nothing that was acknowledged")
    func killed() throws {
        let anna = try desk.logIn(desk.hosts[0], try desk.key("teacher"), "Anna")
        let boris = try desk.logIn(desk.hosts[0], try desk.key("teacher"), "Boris")
        let taker = try desk.key("taker")
        let device = try desk.device(desk.hosts[0], taker)
        try device.done("pull")
        let tests = try (0..<2).map { _ in
            try device.take("marked", answers: #"{"q1": "a", "essay": "Because."}"#)
        }
        try device.done("sync", "--now")

        var points: [String: Set<Int?>] = [:]
        for test in tests { points[test] = [nil] }
        var marks: [String: Int] = [:]
        var (drafted, published): (Set<String>, Set<String>) = (["Why?"], ["Why?"])
        let rounds = Torture.isWhole ? Torture.rounds : 5
        for round in 0..<rounds {
            let (victim, survivor) = (desk.hosts[round % 2], desk.hosts[1 - round % 2])
            let (author, marker) = (anna.at(victim), boris.at(victim))
            let opened = try author.submit("/desk/", to: "/desk/write/of", "questionnaire=marked")
            let text = "v\(round)"
            let form = "\(opened)/q/essay"
            let saved = try author.post(
                form, try author.page(form), "shown=text&kind=text&text=\(text)&points=9&do=save")
            #expect(DeskClient.place(saved)?.hasSuffix("said=saved") == true, "\(saved.prefix(500))")
            drafted = [text]

            let test = tests[round % tests.count]
            marks[test, default: 0] += 1
            let marking = try marker.mark(test, points: round)
            let publishing = try author.begin("\(opened)/publish", try author.page("\(opened)/publish"), "")
            if round > 0 {
                usleep(UInt32(round % 5) * 15_000)
                victim.kill()
            }
            let replies = [marking, publishing].map { String(decoding: $0.received(), as: UTF8.self) }
            for reply in replies {
                let isCut = !reply.contains("\r\n\r\n")
                #expect(isCut || reply.hasPrefix("HTTP/1.1 303"), "the desk refuses: \(reply.prefix(500))")
            }
            let isMarked = DeskClient.place(replies[0]) != nil
            let isPublished = DeskClient.place(replies[1]) != nil
            #expect(round > 0 || isMarked && isPublished)
            if isMarked { points[test] = [round] } else { points[test]?.insert(round) }
            if isPublished { published = drafted } else { published.formUnion(drafted) }

            // The other host knows all that was acknowledged.
            let checker = boris.at(survivor)
            for test in tests {
                let page = try checker.page("/desk/t/\(test)")
                let action = try #require(page.range(of: "action=\"/desk/t/\(test)/marks/essay\""))
                let field = page[action.upperBound...].firstMatch(of: #/name="points"[^>]*value="(\d*)"/#)
                let given = field.flatMap { Int($0.output.1) }
                #expect(points[test]?.contains(given) == true, "\(given as Int?) of \(points[test] ?? [])")
                points[test] = [given]
                #expect(try desk.marks(of: test) <= marks[test] ?? 0, "nothing was marked twice")
            }
            // A host shows what another one has published a moment later.
            try wait(for: "one of \(published)") {
                let shown = try DeskClient.published("marked", survivor, taker)
                return published.contains { shown.contains("\"\($0)\"") } ? true : nil
            }
            let now = try checker.page("/desk/write/of/marked")
            let versions = Set(now.matches(of: #/href="(\/desk\/write\/of\/marked\/[0-9a-f]{64})"/#).map(\.output.1))
            #expect(versions.count <= round + 2, "no version is there twice")
            let rest = try checker.submit("/desk/", to: "/desk/write/of", "questionnaire=marked")
            let draft = try checker.page("\(rest)/q/essay")
            #expect(drafted.union(published).contains { draft.contains(">\n\($0)</textarea>") }, "\(draft)")
            if victim.isRunning == false { try desk.start(victim) }
        }
        #expect(try desk.command("host", "tests", "--json").json().elements.count == tests.count)
    }
}
