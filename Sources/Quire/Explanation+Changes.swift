import Model
import OutboxStore

/// Where a questionnaire or a favourite on its way to the server stands.
extension QuireStore {
    func explainChange(_ item: OutboxItem, _ language: Language) throws -> Explanation {
        let say = language.pick
        let file = path.pushing(item.path).string
        let stored: StoredChange
        do {
            stored = try outbox.readChange(item)
        } catch let error as OutboxError {
            return .unreadable(item, error, file: file, language)
        }
        let change = stored.change
        // A damaged one is named by doctor.
        let receipt = try? outbox.receipt(item)
        var facts = ["\(change.action.words(language)) \(change.dateChanged.inWords)."]
        if case .questionnaire(let questionnaire) = change {
            if let base = questionnaire.base {
                facts.append(say("It is based on the version \(base.etag).", "Основано на версии \(base.etag)."))
            }
            if let after = questionnaire.after {
                facts.append(say("It goes on from change \(after).", "Продолжает изменение \(after)."))
            }
        }
        if case .media(let media) = change { facts += try mediaFacts(media, receipt, language) }
        let keptAt = item.status.isWaiting ? receipt?.keptAt : nil
        if let keptAt { facts.append(keptFact(since: keptAt, language)) }
        if let delivery = receipt?.delivery, delivery.attempts > 0 {
            // A server's sentence ends with a full stop of its own.
            let reason = delivery.reason.hasSuffix(".") ? String(delivery.reason.dropLast()) : delivery.reason
            facts.append(
                say(
                    "Tried \(Language.count(delivery.attempts, "time")), last \(delivery.lastAttempt.inWords): \(reason).",
                    "Попыток: \(delivery.attempts), последняя \(delivery.lastAttempt.inWords): \(reason)."))
        }
        if let received = receipt?.receivedAt {
            facts.append(say("The server stored it \(received.inWords).", "Сервер сохранил \(received.inWords)."))
            if let published = receipt?.published, published.id != change.questionnaire {
                facts.append(
                    say("The server calls it \(published.id).", "На сервере его идентификатор \(published.id)."))
            }
        }
        return Explanation(
            id: item.id, status: item.status, questionnaire: change.questionnaire, title: change.title,
            state: item.status.words(
                language, reason: receipt?.delivery?.reason, isKept: keptAt != nil, keeper: keeper),
            facts: facts,
            next: try next(stored, receipt, language),
            nextAttempt: item.status == .done ? max(stored.modified, clock.now) : nil, evaluation: nil, file: file)
    }

    private func mediaFacts(_ media: MediaChange, _ receipt: Receipt?, _ language: Language) throws -> [String] {
        let say = language.pick
        let size = ByteCount.format(media.sizeBytes)
        var facts = ["\(media.name), \(media.mediaType), \(size)."]
        let question = media.attachment.questionId
        switch media.owner {
        case .test(let test):
            facts.append(
                say(
                    "It belongs to question \(question) of test \(test).",
                    "Относится к вопросу \(question) теста \(test)."))
        case .questionnaire(let path):
            facts.append(
                say(
                    "It belongs to question \(question) of questionnaire \(media.questionnaire), as \(path).",
                    "Относится к вопросу \(question) анкеты \(media.questionnaire), как \(path)."))
        }
        if try outbox.hasBytes(media.digest) {
            facts.append(path.pushing(OutboxLayout.mediaPath(media.digest)).string)
        } else if receipt?.receivedAt != nil {
            facts.append(
                say("The copy here was removed; the server has it.", "Копия здесь удалена; файл есть на сервере."))
        } else {
            facts.append(say("Its bytes are not on this device.", "Самого файла на этом устройстве нет."))
        }
        if receipt?.delivery?.upload != nil, receipt?.receivedAt == nil {
            facts.append(
                say(
                    "A part may be on the server: the next sync goes on from there.",
                    "Часть уже может быть на сервере: следующая синхронизация продолжит с неё."))
        }
        return facts
    }

    private func next(_ stored: StoredChange, _ receipt: Receipt?, _ language: Language) throws -> String {
        let say = language.pick
        let id = stored.item.id
        switch stored.item.status {
        case .done where receipt?.keptAt != nil: return nextWhenKept(language)
        case .done where stored.modified > clock.now:
            return say(
                "Tried again after \(stored.modified.inWords); “quire outbox retry \(id)” makes it due now.",
                "Следующая попытка после \(stored.modified.inWords); сразу: «quire outbox retry \(id)».")
        case .conflict:
            return receipt?.published?.deleted == true
                ? say(
                    "The server has deleted it. You decide: “quire resolve \(id) --mine” brings it back, “--theirs” lets it go, “--both” makes it a new one.",
                    "На сервере удалено. Решать вам: «quire resolve \(id) --mine» вернёт, «--theirs» отпустит, «--both» сделает новым."
                )
                : say(
                    "You decide: “quire conflicts” shows the difference; “quire resolve \(id) --mine”, “--theirs” or “--both”.",
                    "Решать вам: «quire conflicts» покажет разницу; «quire resolve \(id) --mine», «--theirs» или «--both»."
                )
        case .rejected:
            return say(
                "You decide: “quire outbox retry \(id)”, or “quire outbox discard \(id)”.",
                "Решать вам: «quire outbox retry \(id)» или «quire outbox discard \(id)».")
        case .done:
            return try nextAfterOwner(stored.change, language)
                ?? say(
                    "Sent with the next “quire sync” that reaches the server.",
                    "Уйдёт со следующим «quire sync», который дойдёт до сервера.")
        case .sent: return say("Nothing more to do.", "Больше ничего не нужно.")
        default:
            return say(
                "Sent with the next “quire sync” that reaches the server.",
                "Уйдёт со следующим «quire sync», который дойдёт до сервера.")
        }
    }
}

extension QuireStore {
    /// Who keeps it on its way.
    func keptFact(since keptAt: Timestamp, _ language: Language) -> String {
        keeper == .folder
            ? language.pick(
                "It lies in the folder since \(keptAt.inWords), until a host takes it in.",
                "Лежит в папке с \(keptAt.inWords), пока её не примет сервер.")
            : language.pick(
                "The hub keeps it since \(keptAt.inWords) and hands it on to the server.",
                "Узел хранит его с \(keptAt.inWords) и передаст серверу.")
    }

    func nextWhenKept(_ language: Language) -> String {
        keeper == .folder
            ? language.pick(
                "After “quire host --collect” on the host, “quire sync” brings the receipt from the folder.",
                "После «quire host --collect» на сервере «quire sync» заберёт квитанцию из папки.")
            : language.pick(
                "“quire sync” asks the hub whether the server has it.",
                "«quire sync» спросит у узла, получил ли его сервер.")
    }

    /// Where what a file belongs to stands, and so whether the file may go.
    public func standing(of media: MediaChange) throws -> NamingChanges.Standing {
        switch media.owner {
        case .questionnaire(let path):
            return try outbox.namingChanges().standing(of: path, in: media.questionnaire)
        case .test(let test):
            guard let owner = try outbox.find(test), !owner.status.isDelivered else { return .ready }
            return owner.status == .rejected || owner.status == .conflict ? .refused(owner) : .waiting(owner)
        }
    }

    /// What an attachment waits for; `nil` where it waits for nothing.
    private func nextAfterOwner(_ change: OutgoingChange, _ language: Language) throws -> String? {
        guard case .media(let media) = change else { return nil }
        let say = language.pick
        switch try standing(of: media) {
        case .ready: return nil
        case .refused(let owner): return try nextAfterRefused(owner, language)
        case .waiting where media.owner.test != nil:
            return say("It waits for its test, and goes after it.", "Ждёт свой тест и уйдёт после него.")
        case .waiting:
            return say("It waits for its questionnaire, and goes after it.", "Ждёт свою анкету и уйдёт после неё.")
        case .unwanted:
            return say(
                "Its questionnaire does not show it any more: the next “quire sync” puts it into quarantine.",
                "Анкета его больше не показывает: следующий «quire sync» уберёт его в карантин.")
        }
    }

    private func nextAfterRefused(_ owner: OutboxItem, _ language: Language) throws -> String {
        // A damaged one is named by doctor.
        let reason = (try? outbox.receipt(owner))?.delivery?.reason
        let state = owner.status.words(language, reason: reason)
        return language.pick(
            "It waits for what it belongs to, which stands so: \(state). Decide about that first: “quire why \(owner.id)”.",
            "Ждёт то, к чему относится, а там: \(state). Сначала решите с ним: «quire why \(owner.id)».")
    }
}

extension QuireStore.AttachmentLine {
    /// Where it stands.
    public func state(_ language: Language) -> String {
        status.map { $0.words(language, reason: reason, isKept: keeper != nil, keeper: keeper ?? .hub) }
            ?? language.pick("goes with the test", "уйдёт с тестом")
    }

    /// As one line for people.
    public func words(_ language: Language) -> String {
        let question = language.pick("question", "вопрос")
        return language.pick("Attached", "Приложено")
            + ": \(attachment.name), \(ByteCount.format(attachment.sizeBytes)) (\(question) \(attachment.questionId)): \(state(language))."
    }
}

extension ChangeAction {
    /// What was done, as a person reads it.
    public func words(_ language: Language) -> String {
        switch self {
        case .create: language.pick("Created here", "Создано здесь")
        case .edit: language.pick("Edited here", "Изменено здесь")
        case .delete: language.pick("Deleted here", "Удалено здесь")
        case .favorite: language.pick("Made a favourite", "Добавлено в избранное")
        case .unfavorite: language.pick("No favourite any more", "Убрано из избранного")
        case .attach: language.pick("Attached here", "Приложено здесь")
        }
    }
}
