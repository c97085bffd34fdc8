import CacheStore
import Disk
import Model
import Quire
import Wording

/// The remote, the quota with a picture of the cache's content, the language.
struct SettingsScreen: Sendable {
    let context: ScreenContext

    /// Why something was not saved.
    struct Fault: Error, Sendable {
        var field: String
        var given: String
        var reason: String
    }

    private func size(_ bytes: Int64) -> String { ByteCount.format(bytes, context.words.language) }

    func content(_ fault: Fault? = nil) throws -> Screens.Content {
        let (store, words) = (context.store, context.words)
        let settings = store.settings
        let statistics = try store.cache.space.briefStatistics()
        let used = statistics.bytes + statistics.indexBytes
        let parts = try parts(used)
        let quota = settings.quotaBytes
        let whole = max(quota ?? 0, used, 1)
        var offset: Int64 = 0
        var drawn: [[String: any Sendable]] = []
        for part in parts where part.bytes > 0 {
            // At least a sliver, so that nothing that takes room is invisible.
            let width = max(4, part.bytes * 1000 / whole)
            drawn.append([
                "number": "\(part.number)", "name": part.name, "amount": size(part.bytes), "x": "\(offset)",
                "width": "\(width)",
            ])
            offset += width
        }
        let amount = size(used)
        var model: [String: any Sendable] = [
            "remote": fault?.field == "remote" ? fault?.given ?? "" : settings.remote ?? "",
            "quota": fault?.field == "quota" ? fault?.given ?? "" : quota.map(size) ?? "",
            "store": store.path.string, "parts": drawn,
            "spaceWords": quota.map {
                words.text("\(amount) of \(size($0)) used")
            } ?? words.text("\(amount) used, no limit"),
        ]
        model["doors"] = doors()
        model["doorsTitle"] = words.text("Browsers with access")
        model["doorsAbout"] = words.text(
            "Each came with a code. One whose access is closed needs the code that “quire serve” prints.")
        model["doorsClose"] = words.text("Close access")
        model["peopleTitle"] = words.text("People")
        model["peopleAbout"] = words.text(
            "If several people use this device, each sees their own tests only. What waits is sent no matter who is there."
        )
        model["peopleLink"] = words.text("Set who is here")
        if let quota { model["free"] = size(max(0, quota - used)) }
        if let fault { model[fault.field + "Fault"] = fault.reason }
        return Screens.Content(
            template: .settings, title: words[.settings], model: model,
            status: fault == nil ? .ok : .unprocessableContent)
    }

    /// The browsers that came since the page was started.
    private func doors() -> [[String: any Sendable]] {
        let (words, request) = (context.words, context.request)
        let own = request.authenticator?.mark(of: request.session)
        return (request.authenticator?.known ?? []).map { browser in
            let isOwn = browser.mark == own
            return [
                "mark": browser.mark, "name": Self.name(of: browser.agent) ?? words.text("Another program"),
                "time": browser.lastCame.description,
                "words": isOwn ? words.text("this browser") : words.text("last here \(browser.lastCame.inWords)"),
            ]
        }
    }

    /// The name of the browser that calls itself so; most of them call themselves several.
    private static func name(of agent: String) -> String? {
        let names = [
            ("Firefox/", "Firefox"), ("FxiOS/", "Firefox"), ("Edg/", "Edge"), ("EdgA/", "Edge"), ("EdgiOS/", "Edge"),
            ("OPR/", "Opera"), ("YaBrowser/", "Yandex"),
            ("Chrome/", "Chrome"), ("CriOS/", "Chrome"), ("Safari/", "Safari"), ("curl/", "curl"),
        ]
        return names.first { agent.contains($0.0) }?.1
    }

    private struct Part {
        var number: Int
        var name: String
        var bytes: Int64
    }

    /// The content of the cache: protected, removable, media, and the rest.
    private func parts(_ used: Int64) throws -> [Part] {
        let (store, words) = (context.store, context.words)
        let protection = try store.protection()
        var (kept, others, media): (Int64, Int64, Int64) = (0, 0, 0)
        for record in try store.cache.catalog.records() {
            let bytes = record.storedBytes
            if let document = record.document {
                if protection.documentIDs.contains(document.id) || protection.digests.contains(record.digest) {
                    kept += bytes
                } else {
                    others += bytes
                }
            } else if record.mediaType.hasPrefix("image/") || record.mediaType.hasPrefix("audio/")
                || record.mediaType.hasPrefix("video/")
            {
                media += bytes
            }
        }
        return [
            Part(
                number: 1,
                name: words.text("Favourites and drafts (always kept)"),
                bytes: kept),
            Part(number: 2, name: words.text("Other questionnaires"), bytes: others),
            Part(number: 3, name: words.text("Pictures and sound"), bytes: media),
            Part(
                number: 4, name: words.text("The rest"),
                bytes: max(0, used - kept - others - media)),
        ]
    }

    /// Saves one setting durably; the others stay as they are in the store's folder now.
    ///
    /// - Returns: the note to show.
    /// - Throws: `Fault` for an invalid value.
    func save(_ name: String, _ opening: StoreContext.Opening) async throws -> PageNote {
        let (store, words) = (context.store, context.words)
        let given = (context.request.form[name] ?? "").filter { !$0.isNewline }
        let text = given.trimmed
        let saved = PageNote(.good, words.text("Saved."))
        switch name {
        case "remote":
            if !text.isEmpty, let reason = opening.faultOfRemote(text) {
                throw Fault(field: name, given: given, reason: reason)
            }
            try await offload {
                try store.changeSettings { settings in
                    let remote = text.isEmpty ? nil : text
                    // A token belongs to one server: it is not shown to another.
                    if let remote, settings.remote != remote { settings.tokenFile = nil }
                    settings.remote = remote
                }
            }
            return saved
        case "quota":
            let bytes = ByteCount.parse(text)
            guard text.isEmpty || bytes.map({ $0 > 0 }) == true else {
                throw Fault(
                    field: name, given: given,
                    reason: words.text("“\(given.prefix(40))” is not a size: write it as 200 MB or 1.5 GB."))
            }
            return try await offload {
                try store.changeSettings { $0.quotaBytes = bytes }
                guard let bytes else { return saved }
                do {
                    _ = try store.cache.space.trim(toBytes: bytes)
                    return saved
                } catch CacheError.protectedContentExceedsQuota(let kept, _) {
                    let amount = size(kept)
                    return PageNote(
                        .warn,
                        words.text("Saved. Favourites and drafts take more than that (\(amount)) and are kept."))
                }
            }
        case "access":
            let authenticator = context.request.authenticator
            let isClosed = try await offload { try authenticator?.close(text, noteClosed: store.pageAccess.close) }
            return isClosed == true
                ? PageNote(.good, words.text("That browser has no access any more."))
                : PageNote(.warn, words.text("Nothing was closed: that browser is not in the list any more."))
        default: throw PageProblem.notFound(context.request.language)
        }
    }
}
