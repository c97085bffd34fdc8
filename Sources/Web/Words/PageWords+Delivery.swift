import Model
import Quire
import Sync
import Wording

/// How waiting tests reach the server: what the page may promise.
enum DeliveryWay: Sendable, Hashable {
    case byItself
    /// Only on request.
    case whenAsked
    /// There is no server to send to.
    case noServer
}

extension PageWords {
    var noServer: String {
        text("No server is set. Enter its address in Settings. Until then everything stays here.")
    }

    func footer(_ way: DeliveryWay) -> String {
        switch way {
        case .byItself:
            text("Everything is kept on this device and sent when there is a connection.")
        case .whenAsked:
            text("Everything is kept on this device and sent when you ask for it.")
        case .noServer:
            text("Everything is kept on this device. No server is set.")
        }
    }

    func sendButton(isOnline: Bool, _ way: DeliveryWay) -> String {
        if isOnline { return text("Send") }
        return switch way {
        case .byItself: text("Save, send when connected")
        case .whenAsked: text("Save, send later")
        case .noServer: text("Save")
        }
    }

    /// The effect of the button.
    func consequence(isOnline: Bool, _ way: DeliveryWay) -> String {
        if isOnline {
            return text(
                "You cannot change the answers after that. They are sent at once, and kept here until the server has them."
            )
        }
        return switch way {
        case .byItself:
            text(
                "You are offline. The answers are kept on this device and sent automatically when there is a connection."
            )
        case .whenAsked:
            text("You are offline. The answers are kept on this device until you send them from the outbox.")
        case .noServer:
            text("You cannot change the answers after that. No server is set, so they stay on this device.")
        }
    }

    /// The next step of finished tests.
    func waiting(isDue: Bool, isOnline: Bool, _ way: DeliveryWay) -> String {
        switch way {
        case .noServer: noServer
        case .whenAsked:
            text("It waits until you send it.")
        case .byItself where !isDue: text("It will be tried again.")
        case .byItself:
            isOnline
                ? text("It will be sent in a moment.")
                : text("It will be sent automatically when there is a connection.")
        }
    }

    /// When it is tried again, and why not now.
    func retry(at moment: Timestamp?, reason: String?, now: Timestamp, _ way: DeliveryWay) -> String? {
        var parts: [String] = []
        if let moment, moment > now, way == .byItself { parts.append(nextTry(moment, now: now)) }
        if let reason, !reason.isEmpty {
            parts.append(text("Last attempt: \(reason)."))
        }
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }

    private func nextTry(_ moment: Timestamp, now: Timestamp) -> String {
        let seconds = moment.seconds(since: now)
        if seconds < 1 { return text("Next attempt: now.") }
        let span = TimeSpan.format(seconds: seconds, language)
        return text("Next attempt in \(span).")
    }

    // MARK: What came of asking for it

    /// The server was unreachable.
    func unreachable(_ reason: String, _ way: DeliveryWay) -> PageNote {
        let rest =
            way == .byItself
            ? text("Everything here stays available, and what is waiting will be sent automatically.")
            : text("Everything here stays available, and what is waiting stays here.")
        return PageNote(.warn, text("No connection (\(reason)).") + " " + rest)
    }

    /// The sent and the waiting items, with reasons.
    ///
    /// - Parameters:
    ///   - undecided: how much waits for the person.
    ///   - fetching: why the library could not be updated.
    func synced(
        _ report: Sweeper.Report, undecided: Int, medium: DeliveryMedium, fetching: String?, now: Timestamp,
        _ way: DeliveryWay
    ) -> PageNote {
        var parts: [String] = []
        if !report.sent.isEmpty {
            parts.append(text("Sent: \(report.sent.count)."))
        }
        if !report.rated.isEmpty {
            parts.append(text("Rated: \(report.rated.count)."))
        }
        if report.kept > 0 {
            parts.append("\(medium.kept(language)): \(report.kept).")
        }
        let waiting = report.waiting - report.kept
        let hasTrouble =
            report.stopped != nil || report.unheard != nil || !report.unreadable.isEmpty || !report.missing.isEmpty
        let isDone = waiting == 0 && undecided == 0 && !hasTrouble
        if waiting > 0 { parts.append(text("Still waiting: \(waiting).")) }
        if report.isBusy {
            parts.append(text("Another program is sending at the moment."))
        } else if let reason = report.stopped ?? report.trouble {
            parts.append(text("Not sent: \(reason)."))
        } else if let reason = report.unheard {
            parts.append(
                text("Could not check the status of some tests: \(reason)."))
        }
        if waiting > 0, let due = report.nextDue, due > now, way == .byItself { parts.append(nextTry(due, now: now)) }
        if undecided > 0 {
            parts.append(
                text("Waiting for your decision in the outbox: \(undecided)."))
        }
        if !report.missing.isEmpty {
            parts.append(
                text("No longer on the server: \(report.missing.count); see the outbox."))
        }
        if let fetching {
            parts.append(
                text("The library could not be updated: \(fetching)."))
        } else if isDone {
            parts.append(
                report.kept > 0
                    ? text("Nothing else is waiting.")
                    : text("Everything is in sync."))
        }
        return PageNote(isDone && fetching == nil ? .good : .warn, parts.joined(separator: " "))
    }
}
