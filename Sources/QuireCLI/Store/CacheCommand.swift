import ArgumentParser
import CacheStore
import Model
import Quire
import SystemPackage
import Terminal
import Wording

struct CacheCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache", abstract: "Inspect the cache: list, trim, purge, verify, pin, edit.",
        subcommands: [
            Ls.self, Stats.self, Trim.self, Purge.self, Verify.self, Pin.self, Unpin.self, Path.self, Cat.self,
            Edit.self,
        ])

    struct Ls: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls", abstract: "List all entries, pictures and lists included.")
        @OptionGroup var options: StoreOptions
        @OptionGroup var format: JSONOption

        private struct Line: Encodable {
            var url: String
            var id: String?
            var digest: Digest
            var blob, mediaType: String
            var sizeBytes: Int
            var lastUsed, fetchedAt, freshUntil: Timestamp
            /// With `partial`, only parts of the content are.
            var present, partial, edited, gone: Bool
        }

        func run() throws {
            let store = try options.openStore()
            let records = try store.cache.catalog.records().sorted { $0.lastUsed > $1.lastUsed }
            if format.json {
                return try Output.json(
                    list: records.lazy.map {
                        Line(
                            url: $0.url, id: $0.document?.id, digest: $0.digest, blob: $0.blob.path.string,
                            mediaType: $0.mediaType, sizeBytes: $0.sizeBytes, lastUsed: $0.lastUsed,
                            fetchedAt: $0.responseTime, freshUntil: $0.freshUntil, present: $0.isPresent,
                            partial: $0.isPartial, edited: $0.isEdited, gone: $0.isGone)
                    })
            }
            let now = store.clock.now
            var pieces = OutputPieces()
            for record in records {
                let state =
                    !record.isPresent
                    ? "missing"
                    : record.isPartial
                        ? "part" : record.isEdited ? "edited" : record.freshUntil > now ? "fresh" : "stale"
                pieces.line("\(state)\t\(record.lastUsed.inWords)\t\(record.sizeBytes)\t\(record.url)")
            }
            pieces.finish()
        }
    }

    struct Stats: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "stats", abstract: "Show the number and size of the entries.")
        @OptionGroup var options: StoreOptions
        @OptionGroup var format: JSONOption

        func run() throws {
            let store = try options.openStore()
            let statistics = try store.cache.space.statistics()
            if format.json { return try Output.json(statistics) }
            let language = Output.language
            let quota =
                statistics.quota.map { language.text(" of ") + ByteCount.format($0, language) }
                ?? language.text(", no quota")
            Output.line("\(ByteCount.format(statistics.bytes + statistics.indexBytes, language))\(quota)")
            Output.line(
                [
                    language.plural(statistics.entries, one: "1 entry", other: "\(statistics.entries) entries"),
                    language.plural(
                        statistics.documents, one: "1 questionnaire", other: "\(statistics.documents) questionnaires",
                        context: "list"),
                    language.text("\(statistics.stale) stale"), language.text("\(statistics.edited) edited"),
                    language.text("\(statistics.missing) missing"),
                ].joined(separator: ", "))
        }
    }

    struct Trim: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "trim", abstract: "Evict the least recently used content until the cache fits its quota.")
        @OptionGroup var options: StoreOptions
        @OptionGroup var quota: QuotaOption
        @OptionGroup var format: JSONOption

        func run() throws {
            let store = try options.openStore()
            guard let goal = quota.quota?.bytes ?? store.settings.quotaBytes else {
                throw Failure(Exit.usage, "the store has no quota: name one with --quota SIZE")
            }
            try tell(try store.cache.space.trim(toBytes: Cache.contentBytes(ofQuota: goal)), options, json: format.json)
        }
    }

    struct Purge: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "purge", abstract: "Remove stale or old content.",
            discussion: "Pins, favourites, drafts' versions and local edits stay.")
        @OptionGroup var options: StoreOptions
        @OptionGroup var format: JSONOption
        @Flag(help: "Content that is no longer fresh by its server's word.") var stale = false
        @Option(
            help: ArgumentHelp("Content that was fetched, or last used, longer ago, such as 7d.", valueName: "time"))
        var olderThan: TimeInput?
        @Flag(help: "Content that is older than the store's own TTL.") var ttl = false

        func run() throws {
            let store = try options.openStore()
            var seconds = olderThan?.seconds
            if ttl {
                guard let own = store.settings.ttlSeconds else {
                    throw Failure(Exit.usage, "store.json has no ttlSeconds: add it, or use --older-than TIME")
                }
                seconds = min(seconds ?? own, own)
            }
            guard stale || seconds != nil else {
                throw Failure(Exit.usage, "say what to purge: --stale, --older-than TIME or --ttl")
            }
            try tell(
                try store.cache.space.purge(.init(isStale: stale, olderThanSeconds: seconds)), options,
                json: format.json)
        }
    }

    struct Verify: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify",
            abstract: "Read everything and compare it with its digest; damage goes to quarantine.")
        @OptionGroup var options: StoreOptions
        @OptionGroup var format: JSONOption

        func run() throws {
            let store = try options.openStore()
            let result = try store.cache.survey.verify()
            if format.json {
                try Output.json(result)
            } else {
                for url in result.edited { Output.line("edited here, adopted: \(url)") }
                for url in result.damaged { Output.line("damaged, in quarantine, pull it again: \(url)") }
                for url in result.missing { Output.line("missing, pull it again: \(url)") }
                for path in result.strangers { Output.line("does not belong here: \(path)") }
                options.say("\(result.checked) checked.")
            }
            if !result.damaged.isEmpty || !result.missing.isEmpty || !result.strangers.isEmpty {
                throw ExitCode(Exit.badData)
            }
        }
    }

    private struct Pinned: Encodable {
        var id: String
        var pinned: Bool
    }

    struct Pin: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "pin", abstract: "Never evict a questionnaire.")
        @OptionGroup var options: StoreOptions
        @OptionGroup var format: JSONOption
        @Argument(help: "The questionnaire's id.", completion: StoreCompletion.questionnaire)
        var id: String
        func run() throws {
            try setMark(.pin, id: id, isOff: false, options)
            if format.json { return try Output.json(Pinned(id: id, pinned: true)) }
            options.say("“\(id)” is pinned.")
        }
    }

    struct Unpin: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "unpin", abstract: "Allow a questionnaire to be evicted again.")
        @OptionGroup var options: StoreOptions
        @OptionGroup var format: JSONOption
        @Argument(help: "The questionnaire's id.", completion: StoreCompletion.questionnaire)
        var id: String
        func run() throws {
            try setMark(.pin, id: id, isOff: true, options)
            if format.json { return try Output.json(Pinned(id: id, pinned: false)) }
            options.say("“\(id)” is no longer pinned.")
        }
    }

    struct Path: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "path", abstract: "Print the file of a questionnaire's content.")
        @OptionGroup var options: StoreOptions
        @OptionGroup var format: JSONOption
        @Argument(help: "The questionnaire's id.", completion: StoreCompletion.questionnaire)
        var id: String

        func run() throws {
            let (store, entry, _) = try find(id, options)
            let file = store.path.pushing(entry.blob.path).string
            if format.json { return try Output.json(["id": id, "file": file]) }
            Output.line(file)
        }
    }

    struct Cat: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "cat", abstract: "Print a questionnaire's JSON.")
        @OptionGroup var options: StoreOptions
        @Argument(help: "The questionnaire's id.", completion: StoreCompletion.questionnaire)
        var id: String

        func run() throws { Output.write(try find(id, options).bytes) }
    }

    struct Edit: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "edit",
            abstract: "Change a questionnaire in your editor; a pull does not overwrite it silently.")
        @OptionGroup var options: StoreOptions
        @Argument(help: "The questionnaire's id.", completion: StoreCompletion.questionnaire)
        var id: String

        func run() throws {
            let (store, entry, bytes) = try find(id, options)
            let (edited, path) = try Editor.edit(bytes, name: id)
            if edited == bytes {
                Editor.remove(path)
                return options.say("Nothing was changed.")
            }
            let questionnaire: Questionnaire
            do throws(DocumentFault) {
                questionnaire = try Questionnaire(json: edited)
                guard questionnaire.id == id else { throw DocumentFault(field: "id", reason: "must stay “\(id)”") }
            } catch {
                throw Failure(Exit.badData, "not taken: \(error): your text is in \(path)")
            }
            try store.cache.adopt(
                edited, editOf: entry, summary: DocumentSummary(questionnaire, media: entry.document?.media ?? []))
            Editor.remove(path)
            store.journal.record("edited", questionnaire: id, title: questionnaire.title)
            options.say("“\(id)” is edited here.")
        }
    }
}

private func find(
    _ id: String, _ options: StoreOptions
) throws -> (store: QuireStore, entry: CacheEntry, bytes: [UInt8]) {
    let session = try Session(options)
    guard let entry = try session.store.documents.entry(id: id, remote: session.remote) else {
        throw Failure.noQuestionnaire(id)
    }
    switch try session.store.cache.content(of: entry) {
    case .hit(let found): return (session.store, found.entry, found.bytes)
    case .miss(let reason): throw Failure(Exit.unavailable, "“\(id)”: \(reason)")
    }
}

private func tell(_ removal: CacheSpace.Removal, _ options: StoreOptions, json: Bool) throws {
    if json { return try Output.json(removal) }
    let freed = ByteCount.format(removal.bytes, Output.language)
    options.say(
        line: Output.language.plural(
            removal.entries, one: "1 entry removed, \(freed) freed.",
            other: "\(removal.entries) entries removed, \(freed) freed."))
}
