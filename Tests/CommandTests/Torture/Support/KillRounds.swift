import Foundation
import Testing

/// Rounds in which three writers and a sweeper, and sometimes a person at the page, work on one store and are killed,
/// and sometimes the host and the hub, too; with a record of acknowledgements, which must hold at the end.
final class KillRounds {
    /// What is known of a test whose making was acknowledged.
    private struct Kept {
        /// The possible answers by question. After an acknowledgement one value; failed attempts may be there too.
        var answers: [String: Set<String>]
        var isFinished = false
        /// A process was killed while finishing it.
        var mayBeFinished = false
        /// Started at the page, and continued only there.
        var isAtPage = false
    }

    private enum Work {
        case take([String: String])
        case draft([String: String])
        case answer(String, question: String, value: String)
        case finish(String)

        var arguments: [String] {
            switch self {
            case .take: ["take", KillRounds.questionnaire, "--answers", "-", "--finish", "--json"]
            case .draft: ["take", KillRounds.questionnaire, "--answers", "-", "--json"]
            case .answer(let id, let question, let value): ["answer", id, question, value, "--json"]
            case .finish(let id): ["finish", id, "--json"]
            }
        }

        var input: String? {
            guard case .take(let answers) = self else {
                guard case .draft(let answers) = self else { return nil }
                return KillRounds.json(answers)
            }
            return KillRounds.json(answers)
        }
    }

    /// When the processes of a round are killed: after a time, or after some progress.
    private enum Moment {
        case microseconds(UInt32)
        case stored(Int)
        case waiting(Int)
        case claimed
        case writing
        case settled(Int)
    }

    struct Counts {
        var rounds = 0
        var commands = 0
        var kills = 0
        var hostKills = 0
        var pageKills = 0
        var hubKills = 0
        /// Acknowledgements: lines printed.
        var finished = 0
        var drafts = 0
        var answers = 0
        /// Finished tests without a report: their process was killed in between.
        var untold = 0
        var onHost = 0
    }

    private static let questionnaire = "torn"
    private static let questions = ["q1", "q2", "q3"]
    private static let values = ["a", "b", "c", "d", "e", "f", "g", "h"]

    private let folder: TemporaryFolder
    private let host: HostProcess
    private let hub: HubProcess?
    private let device: Device
    private let page: PageWriter
    private var generator: SeededGenerator
    private var kept: [String: Kept] = [:]
    private(set) var counts = Counts()

    /// - Parameter hasHub: a hub stands between the device and the host.
    init(seed: UInt64, hasHub: Bool) throws {
        generator = SeededGenerator(seed: seed)
        folder = try TemporaryFolder()
        host = try HostProcess(folder: folder.path, isRestarted: true)
        let options = Self.values.map { "\"\($0)\"" }.joined(separator: ", ")
        let questions = Self.questions.map {
            #"{"id": "\#($0)", "text": "Question \#($0)?", "options": [\#(options)], "required": \#($0 == "q1")}"#
        }
        try Files.write(
            #"{"id": "torn", "title": "Torn", "questions": [\#(questions.joined(separator: ",\n"))], "#
                + #""answerKey": {"q1": "a"}}"#, to: host.questionnaires + "/torn.json")
        try host.start()
        hub = hasHub ? try HubProcess(folder: folder.path, upstream: host.address, port: SteadyPort.next()) : nil
        try hub?.start()
        device = Device(folder.path)
        try device.done("init", "--remote", hub?.address ?? host.address)
        try device.done("pull")
        page = try PageWriter(device)
    }

    private static func json(_ answers: [String: String]) -> String {
        "{" + answers.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \"\($0.value)\"" }.joined(separator: ", ") + "}"
    }

    /// Where the host's receipt puts a test: `checking` where it has an answer that no key rates.
    private static let acknowledging = ["checking", "rated"]

    private var acknowledged: [(id: String, folder: String)] {
        Self.acknowledging.flatMap { folder in device.tests(folder).map { ($0, folder) } }
    }

    // MARK: A round

    func round() throws {
        counts.rounds += 1
        let works = chooseWorks()
        let moment = chooseMoment()
        let killsHost = generator.next() % 25 == 0
        let killsHub = hub != nil && generator.next() % 10 == 0
        let deed = generator.next() % 3 == 0 ? chooseDeed() : nil
        let before = (host.tests.count, device.tests("done").count, acknowledged.count)
        if deed != nil { try page.start() }
        let asked = try deed.map { try page.begin($0, questionnaire: Self.questionnaire) }
        let writers = try works.map { try device.begin($0.arguments, input: $0.input) }
        let sweeper = try device.begin(["sync", "--now", "--json"])
        let looker = try generator.next() % 4 == 0 ? [device.begin(chooseLook())] : []
        let all = writers + [sweeper] + looker
        counts.commands += all.count
        if case .microseconds(let time) = moment {
            usleep(time)
        } else {
            try wait(for: "the moment of round \(counts.rounds)") {
                hasCome(moment, before) || !all.contains(where: \.isRunning) ? true : nil
            }
        }
        if killsHost {
            host.kill()
            counts.hostKills += 1
        }
        if killsHub {
            hub?.kill()
            counts.hubKills += 1
        }
        let killsAll = generator.next() % 3 == 0
        for child in all where killsAll || generator.next() % 10 < 7 { child.send(SIGKILL) }
        if let deed, let asked {
            try page.kill()
            counts.pageKills += 1
            note(deed, page.end(asked))
        }
        for (work, writer) in zip(works, writers) { try note(work, try end(writer)) }
        for child in [sweeper] + looker {
            let outcome = try end(child)
            let expected: [Int32] = [0, 69, 75, 128 + SIGKILL]
            #expect(expected.contains(outcome.exitCode), "\(outcome)")
        }
        if killsHost { try host.start() }
        if killsHub { try hub?.start() }
        try check()
    }

    private func end(_ child: ChildProcess) throws -> Outcome {
        let outcome = try child.end()
        if outcome.exitCode == 128 + SIGKILL { counts.kills += 1 }
        return outcome
    }

    private func chooseWorks() -> [Work] {
        let open = open(atPage: false)
        // Two may work on one draft, but not on one question: which of them was last would be unknown.
        var taken: Set<String> = []
        return (0..<3).map { number in
            var answers = [Self.questions[0]: value()]
            answers[Self.questions[number]] = value()
            let choice = generator.next() % 10
            if choice < 4 || open.isEmpty && choice < 8 { return .take(answers) }
            if choice < 6 || open.isEmpty { return .draft(answers) }
            let id = open[Int(generator.next() % UInt64(min(2, open.count)))]
            if choice < 9 { return .answer(id, question: Self.questions[number], value: value()) }
            return taken.insert(id).inserted ? .finish(id) : .take(answers)
        }
    }

    private func open(atPage: Bool) -> [String] {
        kept.filter { !$0.value.isFinished && !$0.value.mayBeFinished && $0.value.isAtPage == atPage }.keys.sorted()
    }

    private func chooseDeed() -> PageWriter.Deed {
        guard let id = open(atPage: true).first else { return .begin }
        let question = Int(generator.next() % 3)
        // The first one is required.
        let isReady = kept[id]?.answers[Self.questions[0]]?.count == 1
        if isReady, generator.next() % 3 == 0 { return .finish(id) }
        return .answer(
            id, question: isReady ? question : 0, option: Int(generator.next() % UInt64(Self.values.count)))
    }

    private func value() -> String { Self.values[Int(generator.next() % UInt64(Self.values.count))] }

    private func chooseLook() -> [String] {
        [["list"], ["pull"], ["tests", "--json"], ["search", "torn"], ["status"]][Int(generator.next() % 5)]
    }

    private func chooseMoment() -> Moment {
        let some = Int(generator.next() % 3) + 1
        switch generator.next() % 8 {
        case 0: return .stored(some)
        case 1: return .waiting(some)
        case 2: return .claimed
        case 3: return .writing
        case 4: return .settled(some)
        default: return .microseconds(UInt32(generator.next() % 200_000))
        }
    }

    private func hasCome(_ moment: Moment, _ before: (stored: Int, waiting: Int, settled: Int)) -> Bool {
        switch moment {
        case .microseconds: true
        case .stored(let more): host.tests.count >= before.stored + more
        case .waiting(let more): device.tests("done").count >= before.waiting + more
        case .claimed: !device.tests("sending").isEmpty
        case .writing: !Files.names(in: device.store + "/outbox/tmp").isEmpty
        case .settled(let more): acknowledged.count >= before.settled + more
        }
    }

    // MARK: What was acknowledged

    private func note(_ work: Work, _ outcome: Outcome) throws {
        // 65: it was finished meanwhile.
        #expect([0, 65, 128 + SIGKILL].contains(outcome.exitCode), "\(outcome)")
        // The line is the acknowledgement, whatever became of the process afterwards.
        let line = outcome.output.hasSuffix("\n") ? try JSON(parsing: outcome.output) : .null
        if outcome.exitCode == 0 { #expect(line["id"].text != nil, "\(outcome)") }
        if outcome.exitCode == 65 {
            guard case .answer = work else { throw Unexpected(outcome.description) }
        }
        let told = line["id"].text
        switch work {
        case .take(let answers):
            guard let told else { return }
            kept[told] = Kept(answers: answers.mapValues { [$0] }, isFinished: true)
            counts.finished += 1
        case .draft(let answers):
            guard let told else { return }
            kept[told] = Kept(answers: answers.mapValues { [$0] })
            counts.drafts += 1
        case .answer(let id, let question, let value):
            if told != nil {
                kept[id]?.answers[question] = [value]
                counts.answers += 1
            } else if outcome.exitCode != 65 {
                // Absent, where it had no answer before.
                kept[id]?.answers[question, default: [""]].insert(value)
            }
        case .finish(let id):
            kept[id]?.isFinished = told != nil
            kept[id]?.mayBeFinished = true
            if told != nil { counts.finished += 1 }
        }
    }

    /// A redirect to the next page acknowledges the action.
    private func note(_ deed: PageWriter.Deed, _ place: String?) {
        switch deed {
        case .begin:
            guard let place, place.hasPrefix("/t/") else { return }
            kept[String(place.dropFirst(3))] = Kept(answers: [:], isAtPage: true)
            counts.drafts += 1
        case .answer(let id, let question, let option):
            let (question, value) = (Self.questions[question], Self.values[option])
            if place == "/" {
                kept[id]?.answers[question] = [value]
                counts.answers += 1
            } else {
                kept[id]?.answers[question, default: [""]].insert(value)
            }
        case .finish(let id):
            #expect(place == nil || place == "/t/\(id)")
            kept[id]?.isFinished = place != nil
            kept[id]?.mayBeFinished = true
            if place != nil { counts.finished += 1 }
        }
    }

    /// After each round: everything acknowledged is there, in one folder, and no half file is to be seen.
    private func check() throws {
        let folders = ["empty", "in-progress", "done", "sending", "sent", "checking", "rated", "conflict", "rejected"]
        var places: [String: [String]] = [:]
        for folder in folders { for id in device.tests(folder) { places[id, default: []].append(folder) } }
        for id in kept.keys { #expect(places[id]?.count == 1, "\(id) lies in \(places[id] ?? [])") }
        for (id, folders) in places where !folders.allSatisfy(Self.acknowledging.contains) {
            for folder in folders {
                let record = try JSON(file: device.testPath(id, folder))
                #expect(record["id"].text == id)
                if let expected = kept[id] { try compare(record, id, expected) }
            }
        }
        #expect(device.tests("conflict").isEmpty && device.tests("rejected").isEmpty)
    }

    private func compare(_ record: JSON, _ id: String, _ expected: Kept) throws {
        let answers = Dictionary(
            record["answers"].elements.map { ($0["questionId"].text ?? "", $0["answer"].text ?? "") },
            uniquingKeysWith: { first, _ in first })
        for (question, values) in expected.answers {
            #expect(values.contains(answers[question] ?? ""), "\(id): \(question) is not one of \(values)")
        }
        if expected.isFinished { #expect(record["dateFinished"].text != nil, "\(id) was finished") }
    }

    // MARK: The end

    /// A complete test at the page without kills: every action is acknowledged, or no earlier one was.
    private func takeUndisturbed() throws {
        func perform(_ deed: PageWriter.Deed) throws -> String {
            let place = page.end(try page.begin(deed, questionnaire: Self.questionnaire))
            note(deed, place)
            return try #require(place, "the page did not do \(deed)")
        }
        try page.start()
        defer { try? page.kill() }
        let before = counts
        let id = String(try perform(.begin).dropFirst(3))
        for number in 0..<Self.questions.count { #expect(try perform(.answer(id, question: number, option: 0)) == "/") }
        #expect(try perform(.finish(id)) == "/t/\(id)")
        #expect(counts.drafts == before.drafts + 1 && counts.finished == before.finished + 1)
        #expect(counts.answers == before.answers + Self.questions.count)
    }

    /// An undisturbed sync, and the account.
    func settle() throws {
        try takeUndisturbed()
        // Tests kept by the hub get the host's own receipt as soon as it has that.
        try wait(for: "the last sync") { () -> Bool? in
            let last = try device.json("sync", "--now")
            #expect(last["rejected"].whole == 0 && last["conflicts"].whole == 0)
            return last["waiting"].whole == 0 && device.tests("sent").isEmpty ? true : nil
        }
        #expect(try device.json("sync")["sent"].whole == 0)
        let delivered = acknowledged.map(\.id).sorted()
        #expect(host.tests == delivered, "each once on the host")
        for (id, folder) in acknowledged {
            let bytes = try Files.read(device.testPath(id, folder))
            #expect(try host.test(id) == bytes, "\(id): the very bytes")
            #expect(try JSON(file: device.receiptPath(id, folder))["test"].text == id)
            if let expected = kept[id] { try compare(try JSON(file: device.testPath(id, folder)), id, expected) }
        }
        for (id, expected) in kept where expected.isFinished { #expect(delivered.contains(id), "\(id) was finished") }
        for (id, expected) in kept where !expected.isFinished && !expected.mayBeFinished {
            #expect(
                ["empty", "in-progress"].contains { Files.exists(device.testPath(id, $0)) }, "\(id) is a draft")
        }
        try check()
        counts.onHost = host.tests.count
        counts.untold = delivered.count { kept[$0]?.isFinished != true }
        // What the killed left half written is gone.
        for folder in ["outbox/tmp", "cache/tmp"] { #expect(Files.names(in: "\(device.store)/\(folder)").isEmpty) }
        for folder in ["log", "index", "marks", "quarantine"] {
            #expect(Files.names(in: "\(device.store)/\(folder)", suffix: ".tmp").isEmpty, "in \(folder)")
        }
        #expect(Files.names(in: device.store + "/quarantine").isEmpty)
        #expect(try device.json("doctor") == .array([]))
    }
}
