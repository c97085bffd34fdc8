import Glibc

/// A terminal of which the program has the whole screen and every key, until it gives it back.
struct RawTerminal {
    let input: Int32
    let output: Int32
    private let original: termios

    /// Cooked mode is remembered, not changed.
    init(input: Int32, output: Int32) throws(TakeFault) {
        self.input = input
        self.output = output
        var attributes = termios()
        guard tcgetattr(input, &attributes) == 0 else { throw TakeFault.terminal(call: "tcgetattr", code: errno) }
        original = attributes
    }

    /// Takes the screen: the alternate one, with bracketed paste and without wrapping at the edge, since a terminal
    /// that thinks a character wider than we do would otherwise spoil the next row.
    func enter() throws(TakeFault) {
        var raw = original
        cfmakeraw(&raw)
        guard tcsetattr(input, TCSANOW, &raw) == 0 else {
            throw TakeFault.terminal(call: "tcsetattr", code: errno)
        }
        try write("\u{1B}[?1049h\u{1B}[?2004h\u{1B}[?7l\u{1B}[2J")
    }

    /// Gives it back as it was. A terminal that is gone is no concern any more, so nothing is thrown.
    func leave() {
        try? write("\u{1B}[?2004l\u{1B}[?7h\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l")
        var attributes = original
        _ = tcsetattr(input, TCSANOW, &attributes)
    }

    var size: ScreenSize { TerminalTraits.screenSize(of: output) }

    func write(_ text: String) throws(TakeFault) { try writeAll(text, to: output) }
}

/// Writes all of a text.
func writeAll(_ text: String, to descriptor: Int32) throws(TakeFault) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if count > 0 {
            rest = rest.dropFirst(count)
        } else if errno == EAGAIN {
            var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            _ = poll(&ready, 1, 1000)
        } else if errno != EINTR {
            throw TakeFault.terminal(call: "write", code: errno)
        }
    }
}
