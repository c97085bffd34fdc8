import Model
import QRCode
import RichText
import Wording

/// The report in words.
enum StatusText {
    /// - Parameter addresses: where phones open the app.
    static func page(_ report: HubReport, phonesOpen addresses: [String], _ language: Language) -> String {
        func say(_ text: LocalizedText) -> String { escaped(language.text(text)) }
        var sections: [(title: String, rows: String)] = []
        func row(_ name: String, _ value: String) {
            sections[sections.count - 1].rows += "<div><dt>\(name)</dt><dd>\(value)</dd></div>\n"
        }
        func section(_ title: String) { sections.append((title, "")) }
        let ago = TimeSpan.format(seconds: max(0, report.now.seconds(since: report.upstream.since)), language)
        let state: String
        switch report.upstream.isReachable {
        case true?: state = say("reachable for \(ago)")
        case false?:
            state =
                say("away for \(ago)")
                + (report.upstream.reason.map { " (\(escaped($0)))" } ?? "")
        case nil: state = say("not asked yet")
        }
        section(say("Upstream"))
        row(say("Address"), escaped(report.upstream.url))
        row(say("State"), state)
        func writes(_ writes: HubReport.Writes) {
            row(say("Saved here, waiting to be sent"), String(writes.waiting))
            row(say("Sent"), String(writes.delivered))
            row(say("Not accepted"), String(writes.rejected))
            row(say("Changed elsewhere"), String(writes.conflicts))
            if let fault = writes.fault { row(say("Trouble"), escaped(fault)) }
        }
        section(say("Answers of the devices"))
        writes(report.tests)
        for questionnaire in report.handedIn.questionnaires {
            section("\(say("Handed in")): <span dir=\"auto\">\(escaped(questionnaire.title))</span>")
            for state in HubStandings.State.allCases {
                if let count = questionnaire.states[state.rawValue], count > 0 {
                    row(escaped(state.words(language)), String(count))
                }
            }
            if questionnaire.withoutPerson > 0 { row(say("without a person"), String(questionnaire.withoutPerson)) }
            guard let persons = questionnaire.persons, !persons.isEmpty else { continue }
            sections[sections.count - 1].rows += "</dl><details><summary>\(say("People"))</summary><dl>\n"
            for person in persons {
                let name = Person(id: person.id, name: person.name, group: person.group).fullName
                row("<span dir=\"auto\">\(escaped(name))</span>", escaped(person.state.words(language)))
            }
            sections[sections.count - 1].rows += "</dl></details><dl>\n"
        }
        section(say("Drafts of phones, encrypted"))
        row(say("Drafts"), String(report.drafts.drafts))
        row(say("Of people"), String(report.drafts.people))
        row(say("Space"), escaped(ByteCount.format(report.drafts.bytes, language)))
        for person in report.drafts.persons ?? [] {
            let name = Person(id: person.id, name: person.name, group: person.group).fullName
            row("<span dir=\"auto\">\(escaped(name))</span>", String(person.drafts))
        }
        section(say("Questionnaires changed on devices"))
        writes(report.questionnaires)
        section(say("Favourites of the devices"))
        writes(report.favorites)
        section(say("Attachments of the devices"))
        writes(report.attachments)
        section(say("Cache"))
        row(say("Requests"), String(report.cache.requests))
        row(say("Answered from here"), String(report.cache.hits))
        row(say("Fetched"), String(report.cache.misses))
        row(say("Confirmed by the server"), String(report.cache.revalidated))
        row(say("Served though old"), String(report.cache.staleServed))
        row(say("Saved"), escaped(ByteCount.format(report.cache.bytesFromCache, language)))
        row(
            say("Space"),
            escaped(
                ByteCount.format(report.storage.bytes, language)
                    + (report.storage.quotaBytes.map { language.text(" of ") + ByteCount.format($0, language) }
                        ?? "")))
        section(say("Kept for times without the server"))
        row(say("Documents"), String(report.keeping.urls))
        if report.keeping.missing > 0 { row(say("Missing"), String(report.keeping.missing)) }
        let title = say("Quire hub")
        let time = say("As of \(report.now.inWords).")
        let content = sections.map { "<section><h2>\($0.title)</h2>\n<dl>\n\($0.rows)</dl></section>\n" }.joined()
        return """
            <!doctype html>
            <html lang="\(language.rawValue)"><head><meta charset="utf-8"><title>\(title)</title>
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <style>:root{color-scheme:light dark}
            body{font:1rem/1.5 system-ui,sans-serif;margin:2em auto;max-width:40em;padding:0 1em;background:#fffefb;color:#20262b}
            h2{font-size:1.05rem;margin:1.5em 0 .3em}dl{margin:0}a{color:#1b6a57}
            dl div{display:flex;justify-content:space-between;gap:1em;padding:.25em 0;border-bottom:1px solid #dcd8cd}
            dt{color:#59636b}dd{margin:0;text-align:right;overflow-wrap:anywhere}
            @media (prefers-color-scheme:dark){body{background:#14181b;color:#e8e6e0}a{color:#6fc7ae}dt{color:#a5adb2}\
            dl div{border-color:#323b41}}</style></head>
            <body><main><h1>\(title)</h1>
            <p><a href="app/">\(say("The app for phones and browsers"))</a></p>
            <p>\(time) <a href="status">\(say("Refresh"))</a></p>
            \(phoneAddresses(addresses, language))\(content)</main></body></html>

            """
    }

    /// The addresses for phones, with a QR code of the first.
    private static func phoneAddresses(_ addresses: [String], _ language: Language) -> String {
        guard let first = addresses.first, let symbol = QRSymbol(Array(first.utf8)) else { return "" }
        let links = addresses.map { "<p><a href=\"\(escaped($0))\">\(escaped($0))</a></p>\n" }.joined()
        return """
            <section><h2>\(escaped(language.text("Phones open")))</h2>
            \(symbol.svg(label: escaped(language.text("QR code of the address")), side: 200))
            \(links)</section>

            """
    }

    /// The text format of Prometheus, version 0.0.4.
    static func metrics(_ report: HubReport) -> String {
        var text = ""
        func metric(_ name: String, _ kind: String, _ help: String, _ value: some CustomStringConvertible) {
            text += "# HELP quire_hub_\(name) \(help)\n# TYPE quire_hub_\(name) \(kind)\nquire_hub_\(name) \(value)\n"
        }
        let cache = report.cache
        metric("requests_total", "counter", "Requests that the cache was asked.", cache.requests)
        metric("hits_total", "counter", "Requests answered without asking the upstream.", cache.hits)
        metric("misses_total", "counter", "Requests answered by the upstream.", cache.misses)
        metric("revalidated_total", "counter", "Requests answered after the upstream confirmed.", cache.revalidated)
        metric("stale_total", "counter", "Requests answered with something stale.", cache.staleServed)
        metric("collapsed_total", "counter", "Requests that shared another one's answer.", cache.collapsed)
        metric("upstream_failures_total", "counter", "Questions to the upstream that failed.", cache.failures)
        metric("saved_bytes_total", "counter", "Bytes of bodies that came from the cache.", cache.bytesFromCache)
        metric("fetched_bytes_total", "counter", "Bytes of bodies that came from the upstream.", cache.bytesFetched)
        let kinds = [
            ("tests", "Tests", report.tests), ("questionnaires", "Changes of questionnaires", report.questionnaires),
            ("favorites", "Favourites", report.favorites), ("attachments", "Attachments", report.attachments),
        ]
        for (name, words, writes) in kinds {
            metric("\(name)_waiting", "gauge", "\(words) that are kept here and not forwarded yet.", writes.waiting)
            metric(
                "\(name)_delivered", "gauge", "\(words) that the upstream has, as far as the hub knows.",
                writes.delivered)
            metric("\(name)_rejected", "gauge", "\(words) that the upstream refused.", writes.rejected)
            metric(
                "\(name)_conflict", "gauge", "\(words) of which the upstream has something else.", writes.conflicts)
        }
        metric("drafts", "gauge", "Drafts that phones handed over.", report.drafts.drafts)
        metric("draft_bytes", "gauge", "What the drafts and their files take.", report.drafts.bytes)
        metric(
            "upstream_up", "gauge", "Whether the upstream is reachable.", report.upstream.isReachable == true ? 1 : 0)
        metric("cache_bytes", "gauge", "What the cache takes.", report.storage.bytes)
        metric("cache_entries", "gauge", "URLs that the cache knows.", report.storage.entries)
        if let quota = report.storage.quotaBytes {
            metric("cache_quota_bytes", "gauge", "What the cache may take.", quota)
        }
        metric("kept_urls", "gauge", "URLs that are kept for times without the upstream.", report.keeping.urls)
        metric("kept_missing", "gauge", "Of these, the ones that could not be fetched.", report.keeping.missing)
        metric("active_requests", "gauge", "Requests that are being answered.", report.activeRequests)
        return text
    }

    static func escaped(_ text: String) -> String { HTMLWriter.escaped(text) }
}
