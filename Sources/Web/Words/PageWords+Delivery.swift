import Model
import Quire
import Sync

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
        pick(
            "No server is set. Enter its address in Settings. Until then everything stays here.",
            "Сервер не задан: укажите его адрес в настройках. До тех пор всё остаётся здесь.")
    }

    func footer(_ way: DeliveryWay) -> String {
        switch way {
        case .byItself:
            pick(
                "Everything is kept on this device and sent when there is a connection.",
                "Всё хранится на этом устройстве и отправляется, когда есть связь.")
        case .whenAsked:
            pick(
                "Everything is kept on this device and sent when you ask for it.",
                "Всё хранится на этом устройстве и отправляется, только когда вы нажмёте «Отправить».")
        case .noServer:
            pick(
                "Everything is kept on this device. No server is set.",
                "Всё хранится на этом устройстве. Сервер не задан.")
        }
    }

    func sendButton(isOnline: Bool, _ way: DeliveryWay) -> String {
        if isOnline { return pick("Send", "Отправить") }
        return switch way {
        case .byItself: pick("Save, send when connected", "Сохранить, отправить при подключении")
        case .whenAsked: pick("Save, send later", "Сохранить, отправить позже")
        case .noServer: pick("Save", "Сохранить")
        }
    }

    /// The effect of the button.
    func consequence(isOnline: Bool, _ way: DeliveryWay) -> String {
        if isOnline {
            return pick(
                "You cannot change the answers after that. They are sent at once, and kept here until the server has them.",
                "После этого ответы нельзя изменить. Они отправятся сразу и останутся здесь, пока их не получит сервер."
            )
        }
        return switch way {
        case .byItself:
            pick(
                "You are offline. The answers are kept on this device and sent automatically when there is a connection.",
                "Связи нет. Ответы останутся на этом устройстве и отправятся сами, когда она появится.")
        case .whenAsked:
            pick(
                "You are offline. The answers are kept on this device until you send them from the outbox.",
                "Связи нет. Ответы останутся на этом устройстве, пока вы не отправите их из исходящих.")
        case .noServer:
            pick(
                "You cannot change the answers after that. No server is set, so they stay on this device.",
                "После этого ответы нельзя изменить. Сервер не задан, поэтому они останутся на этом устройстве.")
        }
    }

    /// The next step of finished tests.
    func waiting(isDue: Bool, isOnline: Bool, _ way: DeliveryWay) -> String {
        switch way {
        case .noServer: noServer
        case .whenAsked:
            pick("It waits until you send it.", "Ждёт, пока вы его не отправите.")
        case .byItself where !isDue: pick("It will be tried again.", "Отправка повторится.")
        case .byItself:
            isOnline
                ? pick("It will be sent in a moment.", "Сейчас будет отправлено.")
                : pick(
                    "It will be sent automatically when there is a connection.", "Отправится сам, когда будет связь.")
        }
    }

    /// When it is tried again, and why not now.
    func retry(at moment: Timestamp?, reason: String?, now: Timestamp, _ way: DeliveryWay) -> String? {
        var parts: [String] = []
        if let moment, moment > now, way == .byItself { parts.append(nextTry(moment, now: now)) }
        if let reason, !reason.isEmpty {
            parts.append(pick("Last attempt: \(reason).", "Последняя попытка: \(reason)."))
        }
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }

    private func nextTry(_ moment: Timestamp, now: Timestamp) -> String {
        let seconds = moment.seconds(since: now)
        if seconds < 1 { return pick("Next attempt: now.", "Следующая попытка: сейчас.") }
        let span = TimeSpan.format(seconds: seconds, language)
        return pick("Next attempt in \(span).", "Следующая попытка через \(span).")
    }

    // MARK: What came of asking for it

    /// The server was unreachable.
    func unreachable(_ reason: String, _ way: DeliveryWay) -> PageNote {
        let rest =
            way == .byItself
            ? pick(
                "Everything here stays available, and what is waiting will be sent automatically.",
                "Всё, что есть здесь, остаётся доступным, а ожидающее отправится само.")
            : pick(
                "Everything here stays available, and what is waiting stays here.",
                "Всё, что есть здесь, остаётся доступным, а ожидающее останется здесь.")
        return PageNote(.warn, pick("No connection (\(reason)).", "Связи нет (\(reason)).") + " " + rest)
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
            parts.append(pick("Sent: \(report.sent.count).", "Отправлено: \(report.sent.count)."))
        }
        if !report.rated.isEmpty {
            parts.append(pick("Rated: \(report.rated.count).", "Проверено: \(report.rated.count)."))
        }
        if report.kept > 0 {
            parts.append("\(medium.kept(language)): \(report.kept).")
        }
        let waiting = report.waiting - report.kept
        let hasTrouble =
            report.stopped != nil || report.unheard != nil || !report.unreadable.isEmpty || !report.missing.isEmpty
        let isDone = waiting == 0 && undecided == 0 && !hasTrouble
        if waiting > 0 { parts.append(pick("Still waiting: \(waiting).", "Ещё ждут: \(waiting).")) }
        if report.isBusy {
            parts.append(pick("Another program is sending at the moment.", "Сейчас отправляет другая программа."))
        } else if let reason = report.stopped ?? report.trouble {
            parts.append(pick("Not sent: \(reason).", "Не отправлено: \(reason)."))
        } else if let reason = report.unheard {
            parts.append(
                pick(
                    "Could not check the status of some tests: \(reason).",
                    "Не удалось узнать состояние некоторых тестов: \(reason)."))
        }
        if waiting > 0, let due = report.nextDue, due > now, way == .byItself { parts.append(nextTry(due, now: now)) }
        if undecided > 0 {
            parts.append(
                pick(
                    "Waiting for your decision in the outbox: \(undecided).",
                    "Ждут вашего решения в исходящих: \(undecided)."))
        }
        if !report.missing.isEmpty {
            parts.append(
                pick(
                    "No longer on the server: \(report.missing.count); see the outbox.",
                    "Больше нет на сервере: \(report.missing.count); см. исходящие."))
        }
        if let fetching {
            parts.append(
                pick("The library could not be updated: \(fetching).", "Библиотека не обновлена: \(fetching)."))
        } else if isDone {
            parts.append(
                report.kept > 0
                    ? pick("Nothing else is waiting.", "Больше ничего не ждёт.")
                    : pick("Everything is in sync.", "Всё синхронизировано."))
        }
        return PageNote(isDone && fetching == nil ? .good : .warn, parts.joined(separator: " "))
    }
}
