import Glibc
import Model

/// Waits for keys, signals and the passing of time, and draws.
struct TakeLoop {
    let request: TakeRequest
    var session: TakeSession
    let terminal: RawTerminal
    var painter: Painter

    /// A lone ESC is the Escape key if no byte follows within this time; over slow lines an arrow takes some time.
    private static let keyWait = Duration.milliseconds(80)
    /// A pause in typing.
    private static let pauseWait = Duration.milliseconds(200)
    /// The second digit of an option's number.
    private static let digitWait = Duration.milliseconds(800)
    /// The clock on the screen, the network's state, and one more try to save.
    private static let tickWait = Duration.seconds(1)

    private var lastKey = ContinuousClock.now
    private var nextTick = ContinuousClock.now + tickWait
    private var hasPaused = true
    /// When the program was last known to run: it waits for a second at most.
    private var lastAwake = SuspendingClock.now

    init(request: TakeRequest, session: TakeSession, terminal: RawTerminal, painter: Painter) {
        self.request = request
        self.session = session
        self.terminal = terminal
        self.painter = painter
    }

    mutating func run(_ signals: SignalPipe) throws -> TakeOutcome {
        while true {
            guard draw() else { return try session.hangUp() }
            if let outcome = try wait(signals) { return outcome }
        }
    }

    /// - Returns: `false` when the terminal takes nothing any more.
    private mutating func draw() -> Bool {
        if session.redraws { painter.forget() }
        var output = painter.paint(session.screen.frame, size: session.screen.size)
        if session.rings { output += "\u{07}" }
        session.clearRequests()
        return output.isEmpty || (try? terminal.write(output)) != nil
    }

    /// Sleeps until something happens, and lets the session know.
    private mutating func wait(_ signals: SignalPipe) throws -> TakeOutcome? {
        lastAwake = .now
        var descriptors = [
            pollfd(fd: terminal.input, events: Int16(POLLIN), revents: 0),
            pollfd(fd: signals.readEnd, events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&descriptors, 2, timeoutMilliseconds) >= 0 || errno == EINTR else {
            return try session.hangUp()
        }
        if descriptors[1].revents != 0, let outcome = try take(signals.read()) { return outcome }
        if descriptors[0].revents != 0, let outcome = try readKeys() { return outcome }
        if let outcome = try timePassed() { return outcome }
        if session.suspends {
            session.clearRequests()
            terminal.leave()
            // The shell has the terminal until it continues us.
            lastAwake = .now
            _ = kill(0, SIGTSTP)
            noteStop()
            guard takeScreenAgain() else { return try session.hangUp() }
            session.resize(terminal.size)
        }
        return nil
    }

    /// What passed since it was known to run was no time of the person's.
    private mutating func noteStop() {
        let now = SuspendingClock.now
        request.wasStopped(now - lastAwake)
        lastAwake = now
    }

    /// Restores the screen after another program used it.
    private mutating func takeScreenAgain() -> Bool {
        painter.forget()
        return (try? terminal.enter()) != nil
    }

    private mutating func take(_ signals: [Int32]) throws -> TakeOutcome? {
        for signal in signals {
            if SignalPipe.leaving.contains(signal) { return try session.hangUp() }
            if signal == SIGCONT {
                noteStop()
                // A program that stopped us (kill -STOP) may have used the terminal meanwhile.
                guard takeScreenAgain() else { return try session.hangUp() }
            }
            session.resize(terminal.size)
        }
        return nil
    }

    private mutating func readKeys() throws -> TakeOutcome? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(terminal.input, &bytes, bytes.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return nil }
        guard count > 0 else { return try session.hangUp() }
        lastKey = .now
        hasPaused = false
        return try session.receive(bytes[..<count])
    }

    private var timeoutMilliseconds: Int32 {
        var next = nextTick
        if session.isWaitingForKey { next = min(next, lastKey + TakeLoop.keyWait) }
        if !hasPaused { next = min(next, lastKey + TakeLoop.pauseWait) }
        if session.isWaitingForDigit { next = min(next, lastKey + TakeLoop.digitWait) }
        let wait = (next - .now) / .milliseconds(1)
        // Rounded up: waking too early would only mean to wait once more.
        return Int32(max(0, min(wait.rounded(.up), 1000)))
    }

    private mutating func timePassed() throws -> TakeOutcome? {
        let now = ContinuousClock.now
        if session.isWaitingForKey, now >= lastKey + TakeLoop.keyWait, let outcome = try session.settleKeys() {
            return outcome
        }
        if session.isWaitingForDigit, now >= lastKey + TakeLoop.digitWait,
            let outcome = try session.settleDigits()
        {
            return outcome
        }
        if !hasPaused, now >= lastKey + TakeLoop.pauseWait {
            hasPaused = true
            session.pause()
        }
        guard now >= nextTick else { return nil }
        nextTick = now + TakeLoop.tickWait
        session.update(from: request)
        // Trying again after a failure, without a key: space may have been made meanwhile.
        if hasPaused { session.pause() }
        return try session.tick(request.now())
    }
}
