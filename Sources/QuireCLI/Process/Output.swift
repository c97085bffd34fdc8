import FoundationEssentials
import Glibc
import Model
import QRCode
import Sync
import Terminal
import Wording

/// Where words for people and data for scripts go.
enum Output {
    /// The language of the person, by the locale.
    static let language: Language = {
        let environment = ProcessInfo.processInfo.environment
        for name in ["LC_ALL", "LC_MESSAGES", "LANG"] {
            if let value = environment[name], !value.isEmpty { return Language(locale: value) }
        }
        return .english
    }()

    static let traits = TerminalTraits.of(descriptor: STDOUT_FILENO)
    static let errorTraits = TerminalTraits.of(descriptor: STDERR_FILENO)

    /// Ends the process.
    static func exit(_ code: Int32) -> Never { Glibc.exit(code) }

    /// Whether a person can answer.
    static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 }

    /// Writes text as it is.
    static func write(_ text: String, to descriptor: Int32 = STDOUT_FILENO) { write(Array(text.utf8), to: descriptor) }

    /// A QR code at a terminal that is wide enough for it; nothing elsewhere.
    static func writeQRCode(of text: String) {
        guard traits.isTerminal, !traits.isDumb, let symbol = QRSymbol(Array(text.utf8)),
            traits.columns >= symbol.size + 2 * QRSymbol.quietZone
        else { return }
        write(symbol.terminalLines.joined(separator: "\n") + "\n")
    }

    static func write(_ bytes: [UInt8], to descriptor: Int32 = STDOUT_FILENO) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            // A reader that left (EPIPE), or a full disk: an acknowledgement that was not written is none.
            guard count > 0 else {
                if descriptor != STDERR_FILENO, errno != EPIPE {
                    complain("the output cannot be written: \(String(cString: strerror(errno)))")
                }
                exit(Exit.inputOutput)
            }
            rest = rest.dropFirst(count)
        }
    }

    /// A line for people; foreign text in it cannot control the terminal.
    static func line(_ text: String = "") { write(terminalSafe(text) + "\n") }

    /// `quire: what happened: what to do` on standard error, in one line whatever an id or a file's name holds.
    static func complain(_ text: String, _ suggestion: Suggestion? = nil) {
        let question = suggestion.map { ". " + $0.question } ?? ""
        let line = terminalSafe(text + question).split(whereSeparator: \.isNewline).joined(separator: " ")
        // The event is at the beginning, the advice at the end.
        let shown = line.count > 1000 ? line.prefix(500) + "…" + line.suffix(400) : line[...]
        write("quire: " + shown + "\n", to: STDERR_FILENO)
    }

    /// Data for scripts.
    static func json(_ value: some Encodable) throws {
        write(terminalSafeJSON(String(decoding: try DocumentCoding.encode(value), as: UTF8.self)))
    }

    /// The same of a list that may be long: written as it is made.
    static func json(list values: some Sequence<some Encodable>) throws {
        var pieces = OutputPieces()
        try DocumentCoding.encodeList(values) { pieces.add(terminalSafeJSON(String(decoding: $0, as: UTF8.self)).utf8) }
        pieces.finish()
    }

    enum Style: String {
        case bold = "1"
        case dim = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
    }

    /// The text in a style where colours are wanted. The text is made safe here, since the line is written as it is.
    static func styled(_ text: String, _ style: Style) -> String {
        let safe = terminalSafe(text)
        return traits.usesColour ? "\u{1B}[\(style.rawValue)m\(safe)\u{1B}[0m" : safe
    }
}

/// Output in many small parts: a call for each would take longer than the part.
struct OutputPieces {
    private var pending: [UInt8] = []
    private static let pieceBytes = 64 << 10
    /// Lines that still fit on the screen; `nil` where no pager is wanted, or one is running.
    private var rowsLeft: Int?
    private var pager: Pager?

    /// - Parameter pages: whether what does not fit on the screen is shown by the person's pager.
    init(pages: Bool = false) {
        if pages, Output.traits.isTerminal, !Output.traits.isDumb { rowsLeft = Output.traits.rows - 1 }
    }

    mutating func add(_ bytes: some Collection<UInt8>) {
        pending += bytes
        if let rows = rowsLeft {
            rowsLeft = rows - bytes.count { $0 == UInt8(ascii: "\n") }
            if rowsLeft ?? 0 >= 0 { return }
            (rowsLeft, pager) = (nil, Pager())
        }
        if pending.count >= Self.pieceBytes { flush() }
    }

    /// A line for people; foreign text in it cannot control the terminal.
    mutating func line(_ text: String) { add((terminalSafe(text) + "\n").utf8) }

    mutating func finish() {
        flush()
        pager?.end()
        pager = nil
    }

    private mutating func flush() {
        if let pager { _ = pager.write(pending) } else { Output.write(pending) }
        pending.removeAll(keepingCapacity: true)
    }
}

/// A progress bar on a terminal; nothing where it is not one.
struct Progress: Sendable {
    let label: String
    private let isShown: Bool

    init(_ label: String, isQuiet: Bool) {
        self.label = label
        isShown = Output.errorTraits.isTerminal && !Output.errorTraits.isDumb && !isQuiet
    }

    func show(done: Int, total: Int, _ amount: String) {
        show(label, done: done, total: total, "\(done)/\(total) \(amount)")
    }

    /// Shows the upload of one file.
    func show(_ medium: MediaProgress) {
        show(
            label + " " + terminalSafe(String(medium.name.prefix(24))), done: Int(clamping: medium.sentBytes),
            total: Int(clamping: max(1, medium.sizeBytes)),
            [medium.sentBytes, medium.sizeBytes].map { ByteCount.format($0, Output.language) }.joined(separator: "/"))
    }

    private func show(_ label: String, done: Int, total: Int, _ amount: String) {
        guard isShown, total > 0 else { return }
        let bar = ProgressBar(done: done, total: total, isPlain: Output.errorTraits.isPlain)
        let line = bar.line(label, amount, width: max(20, Output.errorTraits.columns - 1))
        Output.write("\r\u{1B}[K" + line, to: STDERR_FILENO)
    }

    func clear() {
        if isShown { Output.write("\r\u{1B}[K", to: STDERR_FILENO) }
    }
}
