import Model
import Testing

@testable import Terminal

/// A disk of one file, which can be full.
private final class Disk {
    struct Full: Error, CustomStringConvertible { var description: String { "no space left" } }

    var isFull = false
    var saved: TestRecord?
    var saves = 0

    func save(_ record: TestRecord) throws {
        if isFull { throw Full() }
        saved = record
        saves += 1
    }
}

@Suite("Saving while a test is taken")
struct TakeSessionTests {
    private func session(_ disk: Disk, _ questionnaire: Questionnaire = Samples.mixed) -> TakeSession {
        TakeSession(Samples.screen(questionnaire), save: disk.save)
    }

    @Test("an answer is saved with the key that gave it")
    func eachAnswer() throws {
        let disk = Disk()
        var session = session(disk)
        #expect(try session.receive(Array("2".utf8)) == nil)
        #expect(disk.saved?.answer(to: "capital")?.texts == ["Lima"])
        #expect(disk.saved?.resume?.question == "capital")
        #expect(!session.isWaitingForPause)
    }

    @Test("typing is saved when it pauses, with the place of the cursor")
    func pause() throws {
        let disk = Disk()
        var session = session(disk)
        _ = try session.receive(Array("\t\t".utf8))
        let before = disk.saves
        _ = try session.receive(Array("привет\u{1B}[D".utf8))
        #expect(disk.saves == before)
        #expect(session.isWaitingForPause)
        session.pause()
        #expect(disk.saved?.answer(to: "why")?.texts == ["привет"])
        #expect(disk.saved?.resume?.cursor == 5)
        session.pause()
        #expect(disk.saves == before + 1)
    }

    @Test("many keys in one read are saved once, with all that they did")
    func coalesced() throws {
        let disk = Disk()
        var session = session(disk)
        _ = try session.receive(Array("2\r13\rwhy not\r7\r".utf8))
        #expect(disk.saves == 1)
        #expect(disk.saved?.answers.map(\.texts) == [["Lima"], ["2", "5"], ["why not"], ["7"]])
        #expect(disk.saved?.resume?.question == "many")
    }

    @Test("a full disk is reported at once in words, nothing is lost, and it is tried again")
    func diskFull() throws {
        let disk = Disk()
        disk.isFull = true
        var session = session(disk)
        _ = try session.receive(Array("2".utf8))
        #expect(session.rings)
        #expect(session.screen.picture.contains("Not saved: no space left. Trying again…"))
        #expect(session.screen.picture.contains("2 (•) Lima"))
        #expect(session.screen.frame.lines.contains { $0.spans.contains { $0.style == .error } })
        session.pause()
        #expect(disk.saves == 0)
        disk.isFull = false
        session.pause()
        #expect(disk.saved?.answer(to: "capital")?.texts == ["Lima"])
        #expect(session.screen.picture.contains("Saved locally"))
    }

    @Test("leaving while nothing can be saved asks first, and any key but y stays")
    func leavingUnsaved() throws {
        let disk = Disk()
        disk.isFull = true
        var session = session(disk)
        #expect(try session.take([.character("2"), .escape]) == nil)
        #expect(session.screen.picture.contains("Exit anyway and lose it?"))
        #expect(try session.take([.character("n")]) == nil)
        #expect(session.screen.answer("capital") == ["Lima"])
        #expect(throws: TakeFault.self) { try session.take([.escape, .character("y")]) }
    }

    @Test("leaving is no loss when the disk has room again")
    func leavingAfterAll() throws {
        let disk = Disk()
        disk.isFull = true
        var session = session(disk)
        _ = try session.take([.character("2"), .control("c")])
        disk.isFull = false
        #expect(try session.take([.control("c")]) == .left(session.screen.test.record))
        #expect(disk.saved == session.screen.test.record)
    }

    @Test("finishing waits for the record to be saved")
    func finishing() throws {
        let disk = Disk()
        var session = session(disk, Questionnaire(id: "id", title: "t", questions: [Samples.mixed.questions[0]]))
        _ = try session.take([.character("2"), .enter])
        disk.isFull = true
        #expect(try session.take([.enter]) == nil)
        disk.isFull = false
        #expect(try session.take([.enter]) == .finished(session.screen.test.record))
        #expect(disk.saved == session.screen.test.record)
    }

    @Test("a terminal that hangs up leaves a draft with all that was typed, and half a number of an option")
    func hangUp() throws {
        let disk = Disk()
        var session = session(disk)
        _ = try session.take([.control("r"), .down, .down, .down, .down, .enter, .character("1")])
        let outcome = try session.hangUp()
        #expect(disk.saved?.answer(to: "many")?.texts == ["option 1"])
        #expect(outcome == .left(session.screen.test.record))
        disk.isFull = true
        #expect(throws: TakeFault.self) { try session.hangUp() }
    }

    @Test("the end of the time is saved")
    func timeOver() throws {
        let disk = Disk()
        var questionnaire = Samples.mixed
        questionnaire.timeLimitSeconds = 10
        var session = session(disk, questionnaire)
        _ = try session.take([.tab, .tab, .character("a")])
        #expect(try session.tick(Samples.started.adding(seconds: 11)) == nil)
        #expect(disk.saved?.answer(to: "why")?.texts == ["a"])
        #expect(session.rings)
    }

    @Test("five minutes and one minute before the end a line says so, once")
    func timeWarnings() throws {
        let disk = Disk()
        var questionnaire = Samples.mixed
        questionnaire.timeLimitSeconds = 400
        var session = session(disk, questionnaire)
        for (seconds, words) in [(100, "Less than 5 minutes left."), (340, "Less than a minute left.")] {
            #expect(try session.tick(Samples.started.adding(seconds: Double(seconds - 1))) == nil)
            #expect(session.screen.message == nil)
            #expect(try session.tick(Samples.started.adding(seconds: Double(seconds))) == nil)
            #expect(session.screen.message?.text == words)
            _ = try session.take([.down])
            #expect(try session.tick(Samples.started.adding(seconds: Double(seconds + 1))) == nil)
            #expect(session.screen.message == nil)
        }
    }

    @Test("a test that ends with its time is saved and finished, as soon as it can be saved")
    func endOfTime() throws {
        let disk = Disk()
        var questionnaire = Samples.mixed
        questionnaire.timeLimitSeconds = 10
        questionnaire.finishesAtTimeLimit = true
        var session = session(disk, questionnaire)
        _ = try session.take([.tab, .tab, .character("a")])
        #expect(try session.tick(Samples.started.adding(seconds: 9)) == nil)
        disk.isFull = true
        #expect(try session.tick(Samples.started.adding(seconds: 10)) == nil)
        disk.isFull = false
        #expect(try session.tick(Samples.started.adding(seconds: 11)) == .finished(session.screen.test.record))
        #expect(disk.saved?.answer(to: "why")?.texts == ["a"])
    }

    @Test("Ctrl-Z saves before the terminal is given away")
    func suspend() throws {
        let disk = Disk()
        var session = session(disk)
        _ = try session.take([.tab, .tab, .character("a"), .control("z")])
        #expect(session.suspends)
        #expect(disk.saved?.answer(to: "why")?.texts == ["a"])
        session.clearRequests()
        #expect(!session.suspends)
    }
}
