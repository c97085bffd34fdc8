import Glibc
import Model

/// A test on a terminal that only prints: the question, then a line that answers it.
func takeByLines(
    _ request: TakeRequest, input: Int32, output: Int32, save: @escaping (TestRecord) throws -> Void
) throws -> TakeOutcome {
    let signals = try SignalPipe()
    var conversation = LineConversation(
        session: TakeSession(
            TakeScreen(request, size: TerminalTraits.screenSize(of: output), isPlain: true), save: save))
    let outcome = Result { try converse(&conversation, request, signals, input: input, output: output) }
    signals.close()
    return try outcome.get()
}

private func converse(
    _ conversation: inout LineConversation, _ request: TakeRequest, _ signals: SignalPipe, input: Int32,
    output: Int32
) throws -> TakeOutcome {
    var pending: [UInt8] = []
    while true {
        do {
            try writeAll(conversation.prompt(), to: output)
        } catch {
            return try conversation.update { try $0.hangUp() }
        }
        while !pending.contains(0x0A) {
            var descriptors = [
                pollfd(fd: input, events: Int16(POLLIN), revents: 0),
                pollfd(fd: signals.readEnd, events: Int16(POLLIN), revents: 0),
            ]
            _ = poll(&descriptors, 2, -1)
            if descriptors[1].revents != 0, !Set(signals.read()).isDisjoint(with: SignalPipe.leaving) {
                return try conversation.update { try $0.hangUp() }
            }
            guard descriptors[0].revents != 0 else { continue }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = read(input, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return try conversation.update { try $0.hangUp() } }
            pending += bytes[..<count]
        }
        let line = pending.prefix { $0 != 0x0A }
        pending.removeFirst(line.count + 1)
        conversation.update { $0.update(from: request) }
        // What was typed before the end counts: a line is known when it is complete.
        var outcome = try conversation.take(bytes: line)
        if outcome == nil { outcome = try conversation.update { try $0.tick(request.now()) } }
        if let outcome { return outcome }
    }
}
