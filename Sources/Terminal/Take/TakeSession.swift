import Model

/// Combines the screen, the keys and the saving, without a terminal.
///
/// Saving is attempted at every effect that requires it, at every pause while something is unsaved, and before leaving.
/// Unsaved input stays on the screen.
struct TakeSession {
    private(set) var screen: TakeScreen
    /// The terminal should sound its bell.
    private(set) var rings = false
    /// The terminal is to be given back for a while (Ctrl-Z).
    private(set) var suspends = false
    /// All is to be drawn again.
    private(set) var redraws = false
    private var parser = KeyParser()
    private let save: (TestRecord) throws -> Void

    init(_ screen: TakeScreen, save: @escaping (TestRecord) throws -> Void) {
        self.screen = screen
        self.save = save
    }

    /// Received bytes may be the first part of a key.
    var isWaitingForKey: Bool { parser.isWaiting }
    var isWaitingForDigit: Bool { screen.editor.pendingDigit != nil }
    var isWaitingForPause: Bool { screen.isDirty || screen.saveFault != nil }

    // MARK: What happens

    mutating func receive(_ bytes: some Sequence<UInt8>) throws -> TakeOutcome? { try take(parser.feed(bytes)) }

    /// Nothing followed: half a key is a whole one.
    mutating func settleKeys() throws -> TakeOutcome? { try take(parser.flush()) }

    mutating func settleDigits() throws -> TakeOutcome? { try perform(screen.settleDigits()) }

    /// The person has stopped typing for a moment.
    mutating func pause() { if isWaitingForPause { _ = trySaving() } }

    mutating func tick(_ now: Timestamp) throws -> TakeOutcome? { try perform(screen.tick(now)) }

    mutating func resize(_ size: ScreenSize) { screen.resize(size) }

    /// Updates state from outside of the screen.
    mutating func update(from request: TakeRequest) {
        screen.buttonTitle = request.buttonTitle()
        screen.networkState = request.networkState()
        screen.attach(request.attachments())
    }

    /// The terminal is gone, or the program was asked to stop: no one can be asked.
    ///
    /// - Throws: `TakeFault.notSaved`
    mutating func hangUp() throws -> TakeOutcome {
        _ = try perform(screen.settleDigits())
        guard trySaving() else { throw notSaved }
        return .left(screen.test.record)
    }

    /// The terminal has processed the requests.
    mutating func clearRequests() {
        rings = false
        suspends = false
        redraws = false
    }

    // MARK: Effects

    mutating func take(_ keys: [Key]) throws -> TakeOutcome? {
        var wantsSave = false
        for key in keys {
            let effects = screen.handle(key)
            wantsSave = wantsSave || effects.contains(.save)
            // Several keys of one read are saved once: all that they did is in the record.
            if let outcome = try perform(effects.filter { $0 != .save }) { return outcome }
        }
        if wantsSave, screen.isDirty { _ = trySaving() }
        return nil
    }

    /// A line of the conversation on a terminal that only prints.
    mutating func take(line: String) throws -> TakeOutcome? { try perform(LineInput(line).enter(into: &screen)) }

    /// A line that is not UTF-8.
    mutating func refuseLine() {
        screen.message = .init(
            text: screen.words.text("This line is not UTF-8: set a UTF-8 locale, then type it once more."))
        rings = true
    }

    private mutating func perform(_ effects: [TakeScreen.Effect]) throws -> TakeOutcome? {
        for effect in effects {
            switch effect {
            case .save: _ = trySaving()
            case .bell: rings = true
            case .redraw: redraws = true
            case .suspend:
                _ = trySaving()
                suspends = true
            case .finish: if trySaving() { return .finished(screen.test.record) }
            case .end:
                // A first digit that waits for a second one is an answer.
                _ = try perform(screen.settleDigits())
                if trySaving() { return .finished(screen.test.record) }
            case .leave:
                if trySaving() { return .left(screen.test.record) }
                screen.confirmLeaving()
                rings = true
            case .leaveUnsaved:
                if trySaving() { return .left(screen.test.record) }
                throw notSaved
            }
        }
        return nil
    }

    private mutating func trySaving() -> Bool {
        let record = screen.test.record
        do {
            try save(record)
            screen.wasSaved(record)
            return true
        } catch {
            if screen.saveFault == nil { rings = true }
            screen.wasNotSaved(String(describing: error))
            return false
        }
    }

    private var notSaved: TakeFault { .notSaved(screen.test.record, reason: screen.saveFault ?? "") }
}
