import Glibc
import Model

/// Lets a person take a test at the terminal.
///
/// It returns when the person finishes or leaves, when the terminal hangs up, or on SIGINT, SIGTERM, SIGHUP or
/// SIGQUIT; the terminal is then as it was before. Standard input must be a terminal; the screen is standard output,
/// or where that is not one, the terminal itself (so that the output can be piped). On a terminal without a cursor
/// (`TERM=dumb`) questions and answers are plain lines.
///
/// - Parameter save: stores the record durably. It is called after each answer, on every move to another question, when
///   typing pauses, and on leaving. Its error is shown on the screen, and it is retried.
/// - Throws: `TakeFault`. After `.notSaved` the answers in it are nowhere else.
package func takeInteractively(
    _ request: TakeRequest, save: @escaping (TestRecord) throws -> Void
) throws -> TakeOutcome {
    guard isatty(STDIN_FILENO) == 1 else { throw TakeFault.notATerminal }
    var output = STDOUT_FILENO
    if isatty(output) != 1 {
        output = open("/dev/tty", O_WRONLY | O_CLOEXEC)
        guard output >= 0 else { throw TakeFault.notATerminal }
    }
    defer { if output != STDOUT_FILENO { _ = close(output) } }
    let traits = TerminalTraits.of(descriptor: output)
    let outcome: TakeOutcome
    if traits.isDumb {
        outcome = try takeByLines(request, input: STDIN_FILENO, output: output, save: save)
    } else {
        outcome = try takeOnScreen(request, input: STDIN_FILENO, output: output, traits: traits, save: save)
    }
    if case .left = outcome {
        let words = TakeWords(language: request.language)
        // The terminal may be gone; the answers are saved all the same.
        try? writeAll(terminalSafe(words.savedGoOn(request.resumeCommand)) + "\n", to: output)
    }
    return outcome
}

func takeOnScreen(
    _ request: TakeRequest, input: Int32, output: Int32, traits: TerminalTraits,
    save: @escaping (TestRecord) throws -> Void
) throws -> TakeOutcome {
    let terminal = try RawTerminal(input: input, output: output)
    // Before the screen is taken: a signal in between must find its handler.
    let signals = try SignalPipe()
    let screen = TakeScreen(request, size: terminal.size, isPlain: traits.isPlain)
    var loop = TakeLoop(
        request: request, session: TakeSession(screen, save: save), terminal: terminal,
        painter: Painter(usesColour: traits.usesColour))
    let outcome = Result {
        try terminal.enter()
        return try loop.run(signals)
    }
    terminal.leave()
    signals.close()
    return try outcome.get()
}
