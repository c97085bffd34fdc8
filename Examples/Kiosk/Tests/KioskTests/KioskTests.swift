import Kiosk
import Quire
import QuireTesting
import Testing

/// What was shown, and what the person types.
private final class Screen {
    var shown: [String] = []
    var typed: [String] = []
}

@Suite("The kiosk")
struct KioskTests {
    private let clock = ManualClock()
    private let remote: ScriptedRemote
    private let store: QuireStore
    private let screen = Screen()

    init() throws {
        remote = ScriptedRemote(clock: clock)
        for document in PreviewData.questionnaires() { try remote.publish(json: Array(document.utf8)) }
        store = try QuireStore.inMemory(clock: clock)
    }

    private var session: KioskSession {
        let screen = screen
        return KioskSession(
            store: store, remote: remote, show: { screen.shown.append($0) },
            ask: { _ in screen.typed.isEmpty ? nil : screen.typed.removeFirst() })
    }

    @Test("what is on the server is listed after the first sync")
    func list() async throws {
        try session.list()
        #expect(screen.shown == ["There are no questionnaires on this device yet. Sync first."])
        try await session.sync()
        screen.shown = []
        try session.list()
        #expect(screen.shown.count == 3)
        #expect(screen.shown.contains("your-library: Your library (2 questions)"))
    }

    @Test("a test that was taken offline is sent once, when the network is back")
    func offline() async throws {
        try await session.sync()
        remote.set(.offline)
        screen.typed = ["2", "Longer hours"]
        try await session.take("your-library")
        #expect(screen.shown.last == "Thank you. Your answers are saved and will be sent.")
        try await session.sync()
        #expect(screen.shown.last == "0 sent, 1 waiting.")

        remote.set(.online)
        clock.advance(by: .seconds(86_400))
        try await session.sync()
        #expect(screen.shown.last == "1 sent, 0 waiting.")
        let record = try #require(try store.tests().first?.record)
        #expect(record.answers.map(\.texts) == [["Every month"], ["Longer hours"]])
        #expect(remote.arrivals == [record.id])
    }

    @Test("who leaves in the middle continues at the next question")
    func draft() async throws {
        try await session.sync()
        screen.typed = ["many", "3"]
        try await session.take("birds-at-the-feeder")
        #expect(screen.shown.last == "Your answers are saved. Take it again to continue.")
        screen.typed = ["1, 4", "", "1", ""]
        try await session.take("birds-at-the-feeder")
        #expect(screen.shown.contains("This question needs an answer."))
        let answers = try #require(try store.tests(status: .done).first?.record).answers
        #expect(answers.map(\.texts) == [["3"], ["Great tit", "Robin"], ["Dry"]])
    }

    @Test("a server that is down loses nothing, and neither does a reply that is lost")
    func failing() async throws {
        try await session.sync()
        screen.typed = ["1", ""]
        try await session.take("your-library")
        remote.set(.failing(status: 503))
        try await session.sync()
        #expect(screen.shown.last == "0 sent, 1 waiting.")
        remote.respond { $0.isPut ? .cutAfterStoring : nil }
        clock.advance(by: .seconds(86_400))
        try await session.sync()
        remote.set(.online)
        clock.advance(by: .seconds(86_400))
        try await session.sync()
        #expect(screen.shown.last == "1 sent, 0 waiting." && remote.arrivals.count == 1, "\(screen.shown)")
    }
}
