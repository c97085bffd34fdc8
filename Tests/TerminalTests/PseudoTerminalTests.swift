import Glibc
import Model
import Testing

@testable import Terminal

/// A terminal without a screen: what is written to `master` is typed.
private struct PseudoTerminal {
    let master: Int32
    let slave: Int32

    init?() {
        // Linux's own calls: Swift's Glibc has no posix_openpt (it is built without _XOPEN_SOURCE), nor these macros.
        let unlock: UInt = 0x4004_5431  // TIOCSPTLCK
        let openPeer: UInt = 0x5441  // TIOCGPTPEER
        var isLocked: Int32 = 0
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK)
        guard master >= 0, ioctl(master, unlock, &isLocked) == 0 else { return nil }
        slave = ioctl(master, openPeer, O_RDWR | O_NOCTTY)
        if slave < 0 { return nil }
        // What is typed before the program looks must not be a signal.
        var attributes = attributes
        attributes.c_lflag &= ~UInt32(ISIG)
        _ = tcsetattr(slave, TCSANOW, &attributes)
    }

    var attributes: termios {
        var attributes = termios()
        _ = tcgetattr(slave, &attributes)
        return attributes
    }

    func type(_ text: String) { _ = try? writeAll(text, to: master) }

    /// What the program has written so far.
    func shown() -> String {
        var all: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(master, &bytes, bytes.count)
            if count <= 0 { break }
            all += bytes[..<count]
        }
        return String(decoding: all, as: UTF8.self)
    }

    func close() {
        _ = Glibc.close(master)
        _ = Glibc.close(slave)
    }
}

/// Signals belong to the whole process, so these run one after another.
@Suite("A real terminal", .serialized)
struct PseudoTerminalTests {
    private let traits = TerminalTraits(isTerminal: true, columns: 80) { ["TERM": "xterm", "LANG": "C.UTF-8"][$0] }

    private func take(_ terminal: PseudoTerminal, _ save: @escaping (TestRecord) throws -> Void) throws -> TakeOutcome {
        try takeOnScreen(Samples.request(), input: terminal.slave, output: terminal.slave, traits: traits, save: save)
    }

    @Test("a test is taken with keys and the terminal is given back as it was")
    func wholeTest() throws {
        let terminal = try #require(PseudoTerminal())
        defer { terminal.close() }
        let before = terminal.attributes
        terminal.type("2\t1\u{1B}[Z\u{1B}")
        var saved: TestRecord?
        let outcome = try take(terminal) { saved = $0 }
        #expect(saved?.answers.map(\.texts) == [["Lima"], ["2"]])
        #expect(saved?.resume?.question == "capital")
        #expect(outcome == saved.map { .left($0) })
        let after = terminal.attributes
        #expect(after.c_lflag == before.c_lflag && after.c_iflag == before.c_iflag && after.c_oflag == before.c_oflag)
        let shown = terminal.shown()
        #expect(shown.contains("\u{1B}[?1049h") && shown.contains("What is the capital of Peru?"))
        #expect(shown.hasSuffix("\u{1B}[?25h\u{1B}[?1049l"))
    }

    @Test("the terminal is given back when answers could not be saved either")
    func notSaved() throws {
        let terminal = try #require(PseudoTerminal())
        defer { terminal.close() }
        let before = terminal.attributes
        terminal.type("2\u{3}y")
        #expect(throws: TakeFault.self) { try take(terminal) { _ in throw TakeFault.notATerminal } }
        #expect(terminal.attributes.c_lflag == before.c_lflag)
        #expect(terminal.shown().hasSuffix("\u{1B}[?1049l"))
    }

    @Test(
        "a signal to stop leaves a saved draft, and the signals are given back", arguments: [SIGTERM, SIGHUP, SIGINT])
    func signals(_ signal: Int32) throws {
        let terminal = try #require(PseudoTerminal())
        defer { terminal.close() }
        terminal.type("2")
        // The parent process of the tests may have had it ignored.
        var former = sigaction()
        _ = sigaction(signal, nil, &former)
        var saves = 0
        let outcome = try take(terminal) { _ in
            saves += 1
            // After the answer is saved: the signal comes while the test is taken.
            if saves == 1 { _ = kill(getpid(), signal) }
        }
        guard case .left(let record) = outcome else { throw TakeFault.notATerminal }
        #expect(record.answer(to: "capital")?.texts == ["Lima"])
        var action = sigaction()
        _ = sigaction(signal, nil, &action)
        #expect(Self.address(action) == Self.address(former))
    }

    private static func address(_ action: sigaction) -> UInt {
        unsafeBitCast(action.__sigaction_handler.sa_handler, to: UInt.self)
    }

    @Test("a terminal that goes away leaves a saved draft")
    func hangUp() throws {
        let terminal = try #require(PseudoTerminal())
        terminal.type("2")
        var saves = 0
        let outcome = try take(terminal) { _ in
            saves += 1
            if saves == 1 { _ = Glibc.close(terminal.master) }
        }
        _ = Glibc.close(terminal.slave)
        guard case .left(let record) = outcome else { throw TakeFault.notATerminal }
        #expect(record.answer(to: "capital")?.texts == ["Lima"])
    }

    @Test("a terminal that only prints is talked to in lines")
    func lines() throws {
        let terminal = try #require(PseudoTerminal())
        defer { terminal.close() }
        terminal.type("2\n:q\n")
        let outcome = try takeByLines(Samples.request(), input: terminal.slave, output: terminal.slave) { _ in }
        guard case .left(let record) = outcome else { throw TakeFault.notATerminal }
        #expect(record.answer(to: "capital")?.texts == ["Lima"])
        #expect(!terminal.shown().contains("\u{1B}"))
    }
}
