import CacheStore
import Disk
import HTTPCaching
import HTTPTypes
import Model

/// Updates the device: fetches the list, then only the documents that changed.
public struct Puller: Sendable {
    let fetcher: Fetcher
    let journal: Journal
    /// The content that drafts, pins and favourites refer to.
    let protection: @Sendable () throws -> Protection

    package init(fetcher: Fetcher, journal: Journal, protection: @escaping @Sendable () throws -> Protection) {
        var fetcher = fetcher
        let clock = fetcher.clock
        // The clocks are compared at each pull, not only when something is sent.
        fetcher.heardList = { reply in
            if let contact = Contact(after: .success(reply), now: clock.now) { journal.note(contact) }
        }
        self.fetcher = fetcher
        self.journal = journal
        self.protection = protection
    }

    /// Requests under way at once.
    static let parallelFetches = 8
    /// No document takes less of the quota: a block each for its content, its entry and its folder.
    static let smallestDocumentBytes: Int64 = 3 * 4096
    /// Room enough for all the requests under way.
    static let plentyBytes: Int64 = 512 << 10

    public struct Options: Sendable {
        /// Only these; everything when `nil`.
        public var ids: [String]?
        /// Takes the server's version where the document was changed here.
        public var discardsEdits: Bool
        /// Removes everything that the server's list lacks, however much that is.
        public var confirmsRemovals: Bool
        public init(ids: [String]? = nil, discardsEdits: Bool = false, confirmsRemovals: Bool = false) {
            self.ids = ids
            self.discardsEdits = discardsEdits
            self.confirmsRemovals = confirmsRemovals
        }
    }

    public struct Report: Sendable, Equatable {
        /// Questionnaires on the server's list.
        public var listed = 0
        public var new: [String] = []
        public var updated: [String] = []
        public var unchanged = 0
        /// Changed here by hand and therefore left alone; `true` where the server has a newer version too.
        public var edited: [String: Bool] = [:]
        /// No longer on the server: removed here, or kept since something here needs them.
        public var removed: [String] = []
        package var keptThoughGone: [String] = []
        /// Missing from an implausible list: kept until a later one confirms the removal (`RemovalDecision`).
        public var held: [String] = []
        /// The server forbids keeping them.
        public var notStored: [String] = []
        /// They did not fit into the quota, or onto the disk.
        public var noRoom: [String] = []
        package var noRoomReason: String?
        /// The system's error, if the disk was the cause.
        public var diskFull: String?
        /// The errors, by id.
        public var failed: [String: String] = [:]
        /// Those of them that another pull may fetch unchanged.
        package var failedForNow: Set<String> = []
        public var transferredBytes: Int64 = 0
        package init() {}

        /// Whether neither the connection nor the disk kept anything back: what else is fetched may follow.
        package var isComplete: Bool { failedForNow.isEmpty && diskFull == nil }

        fileprivate mutating func fail(_ id: String, _ reason: String, isForNow: Bool) {
            failed[id] = reason
            if isForNow { failedForNow.insert(id) }
        }

        fileprivate mutating func fail(_ id: String, _ failure: RemoteFailure) {
            fail(id, failure.reason, isForNow: failure.kind != .invalidReply)
        }

        fileprivate mutating func lacksRoom(_ id: String, _ reason: String, isDisk: Bool) {
            noRoom.append(id)
            noRoomReason = noRoomReason ?? reason
            if isDisk { diskFull = diskFull ?? reason }
        }
    }

    public struct Progress: Sendable {
        public var done: Int
        public var total: Int
        public var bytes: Int64
    }

    /// Content received before a cancellation stays.
    ///
    /// - Throws: `RemoteFailure` when the list cannot be had, `CancellationError`, `FileError`.
    public func pull(
        _ options: Options = Options(), progress: @Sendable (Progress) -> Void = { _ in }
    ) async throws -> Report {
        if case .away(let reason) = fetcher.remote.presence() {
            journal.note(Contact(at: fetcher.clock.now, isReachable: false, reason: reason))
            throw RemoteFailure(.unreachable, reason)
        }
        var report = Report()
        let isRepeated = journal.contact()?.lastPull != nil
        // The listing at the end knows everything that this pull stores.
        fetcher.cache.catalog.beginNoting()
        defer { fetcher.cache.catalog.endNoting() }
        // However it ends: the received content is here, and no later pull reports it.
        defer { recordNews(report, isRepeated: isRepeated) }
        let begun = fetcher.clock.now
        var isWhole = false
        do {
            // Resumes the downloads of a killed pull.
            try await offload { try fetcher.cache.parts.settleAbandonedFiles() }
            let (items, isComplete) = try await list()
            report.listed = items.count
            isWhole = options.ids == nil && isComplete
            let records = try await offload {
                let records = try fetcher.cache.catalog.records()
                return try fetcher.cache.normaliseURLs(of: records) ? try fetcher.cache.catalog.records() : records
            }
            let removals =
                isWhole ? try removals(items, records, isForced: options.confirmsRemovals) : RemovalDecision()
            let byURL = Dictionary(records.map { ($0.url, $0) }, uniquingKeysWith: { first, _ in first })
            let listed = ListedMedia(
                items, records: byURL, cache: fetcher.cache, now: fetcher.clock.now, listURL: fetcher.remote.listURL)
            let plan = try await plan(items, byURL, listed, isComplete: isComplete, options, &report)
            // A pull of everything does not remove one document for another, and nothing at all where its list is implausible;
            // one that was asked for by name may take the place of others.
            let eviction: EvictionPolicy =
                options.ids != nil ? .leastRecentlyUsed : removals.held.isEmpty ? .onlyGone : .nothing
            try await fetch(plan, listed, options, eviction, &report, progress)
            if isWhole { try await removeGone(removals, &report) }
            try await offload { _ = try fetcher.cache.space.removeUnreferencedBlobs() }
            // Updates the index while everything is at hand.
            _ = try await offload { try fetcher.cache.catalog.records() }
            try _Concurrency.Task.checkCancellation()
        } catch let failure as RemoteFailure {
            guard let contact = Contact(after: .failure(failure), now: fetcher.clock.now) else {
                throw CancellationError()
            }
            journal.note(contact)
            throw failure
        }
        var contact = Contact(at: fetcher.clock.now, isReachable: true)
        contact.lastPull = fetcher.clock.now
        // A list that is not trusted says nothing about deletions.
        if isWhole, report.failed.isEmpty, report.held.isEmpty { contact.lastListing = begun }
        if isWhole { contact.heldRemovals = report.held.count }
        journal.note(contact)
        return report
    }

    // MARK: What to fetch

    private struct Task: Sendable {
        var id: String
        var url: String
        var isDocument: Bool
        var isNew: Bool
        var media: [String]
    }

    private func plan(
        _ items: [QuestionnaireList.Item], _ byURL: [String: CatalogRecord], _ listed: ListedMedia, isComplete: Bool,
        _ options: Options, _ report: inout Report
    ) async throws -> [Task] {
        let wanted = options.ids.map(Set.init)
        var tasks: [Task] = []
        for item in items where wanted?.contains(item.id) ?? true {
            if let fault = Questionnaire.fault(inID: item.id) {
                report.failed["“\(item.id.prefix(80))”"] = "its id \(fault)"
                continue
            }
            guard let url = RemoteURL.resolve(item.url, against: fetcher.remote.listURL) else {
                report.failed[item.id] = "its URL “\(item.url.prefix(80))” is not on this server"
                continue
            }
            let media = (item.media ?? []).compactMap { RemoteURL.resolve($0, against: fetcher.remote.listURL) }
            let record = byURL[url]
            if let record, record.isEdited, !options.discardsEdits {
                let base = try fetcher.cache.entry(url: url).value?.edited?.from
                report.edited[item.id] = item.digest != nil && base != item.digest
                continue
            }
            // The bytes alone are not enough: content that is no document here is in no list.
            if let record, record.isPresent, record.isDocument, record.digest == item.digest {
                report.unchanged += 1
                try await confirm(record)
                let missing = try media.filter(listed.needs)
                if !missing.isEmpty {
                    tasks.append(Task(id: item.id, url: url, isDocument: false, isNew: false, media: missing))
                }
                continue
            }
            tasks.append(Task(id: item.id, url: url, isDocument: true, isNew: record == nil, media: media))
        }
        for id in wanted ?? [] where isComplete && !items.contains(where: { $0.id == id }) {
            report.failed[id] = "the server has no such questionnaire"
        }
        return tasks
    }

    /// The list says that the stored version is the server's: equivalent to a 304.
    private func confirm(_ record: CatalogRecord) async throws {
        let now = fetcher.clock.now
        guard record.freshUntil <= now || record.isGone else { return }
        _ = try await offload {
            try fetcher.cache.update(url: record.url) { entry in
                entry.goneSince = nil
                entry.response.isInvalidated = false
                entry.response.requestTime = now
                entry.response.responseTime = now
                // Date and Age were those of the earlier response.
                entry.response.fields[.date] = HTTPDate.format(now)
                entry.response.fields[.age] = nil
            }
        }
    }

    // MARK: Fetching

    private enum Result: Sendable {
        /// Without an outcome only the document's media were asked for.
        case fetched(Task, Fetcher.Outcome?, mediaFault: MediaFault?)
        case failure(Task, RemoteFailure)

        /// Where the server is not to be had at all.
        var unreachable: RemoteFailure? {
            switch self {
            case .failure(_, let failure), .fetched(_, _, mediaFault: .failure(let failure)?):
                failure.kind == .unreachable ? failure : nil
            default: nil
            }
        }

        var isDocumentWithoutRoom: Bool {
            switch self {
            case .fetched(_, .notKept(_, reason: .noRoom), _), .fetched(_, .notKept(_, reason: .diskFull), _): true
            default: false
            }
        }
    }

    private enum MediaFault: Sendable {
        case noRoom(String, isDisk: Bool)
        case other(String, isForNow: Bool = false)
        case failure(RemoteFailure)

        init?(_ outcome: Swift.Result<Fetcher.Outcome, RemoteFailure>, of url: String) {
            switch outcome {
            case .success(.kept), .success(.unchanged), .success(.notKept(_, reason: .noStore)): return nil
            case .success(.notKept(_, reason: .noRoom(let reason))): self = .noRoom(reason, isDisk: false)
            case .success(.notKept(_, reason: .diskFull(let reason))): self = .noRoom(reason, isDisk: true)
            case .success(.gone): self = .other("the server does not have \(url)")
            case .success(.refused(let status, let reason)):
                self = .other("\(url): \(reason)", isForNow: Fetcher.isForNow(status))
            case .failure(let failure): self = .failure(failure)
            }
        }
    }

    private func fetch(
        _ tasks: [Task], _ listed: ListedMedia, _ options: Options, _ eviction: EvictionPolicy, _ report: inout Report,
        _ progress: @Sendable (Progress) -> Void
    ) async throws {
        let free = eviction == .leastRecentlyUsed ? nil : try fetcher.cache.space.freeQuotaBytes()
        var isFull = free.map { $0 < Self.smallestDocumentBytes } ?? false
        // With little room, one at a time: content that no longer fits would be transferred in vain.
        let width = free.map { $0 < Self.plentyBytes } == true ? 1 : Self.parallelFetches
        var unreachable: RemoteFailure?
        var done = 0
        var bytes: Int64 = 0
        let fetches = MediaFetches()
        progress(Progress(done: 0, total: tasks.count, bytes: 0))
        try await withThrowingTaskGroup(of: (Result, Int64).self) { group in
            var next = 0
            func begin() {
                // Once the quota is full, content that could not be stored is not transferred either.
                while isFull, next < tasks.count {
                    report.noRoom.append(tasks[next].id)
                    next += 1
                }
                guard next < tasks.count, unreachable == nil else { return }
                let task = tasks[next]
                next += 1
                group.addTask { try await fetch(task, listed, eviction, options.discardsEdits, fetches) }
            }
            for _ in 0..<width { begin() }
            while let (result, size) = try await group.next() {
                done += 1
                bytes += size
                unreachable = unreachable ?? result.unreachable
                note(result, &report)
                // A film that is too long says nothing of the documents that follow.
                if eviction != .leastRecentlyUsed, result.isDocumentWithoutRoom { isFull = true }
                progress(Progress(done: done, total: tasks.count, bytes: bytes))
                begin()
            }
        }
        report.transferredBytes = bytes
        if let unreachable { throw unreachable }
    }

    private func fetch(
        _ task: Task, _ listed: ListedMedia, _ eviction: EvictionPolicy, _ discardsEdits: Bool, _ fetches: MediaFetches
    ) async throws -> (Result, Int64) {
        var bytes: Int64 = 0
        var outcome: Fetcher.Outcome?
        var media = task.media
        do {
            if task.isDocument {
                let fetched = try await fetcher.fetch(
                    task.url, .document(id: task.id), eviction: eviction, replacingEdit: discardsEdits)
                // Many results may wait to be noted down.
                outcome = fetched.withoutContent
                switch fetched {
                case .kept(let entry, let content):
                    bytes += Int64(content.count)
                    media = try (entry.document?.media ?? media).filter(listed.mayDiffer)
                case .unchanged(let entry):
                    // Without digests in the list this is how an unchanged questionnaire shows.
                    media = try (entry.document?.media ?? media).filter(listed.needs)
                case .notKept(let content, _):
                    bytes += Int64(content.count)
                    media = []
                default: media = []
                }
            }
            var fault: MediaFault?
            for url in media {
                let fetched = try await fetches.outcome(of: url) {
                    try await fetcher.fetchMedia(url, digest: listed.digest(of: url), eviction: eviction)
                }
                bytes += fetched.transferredBytes
                fault = MediaFault(fetched.outcome, of: url) ?? fault
                // One that broke says nothing of those that follow; a server that is not there does.
                if case .failure(let failure) = fetched.outcome, [.unreachable, .cancelled].contains(failure.kind) {
                    break
                }
            }
            return (.fetched(task, outcome, mediaFault: fault), bytes)
        } catch let failure as RemoteFailure {
            return (.failure(task, failure), bytes)
        }
    }

    private func note(_ result: Result, _ report: inout Report) {
        switch result {
        case .failure(let task, let failure):
            report.fail(task.id, failure)
        case .fetched(let task, let outcome, let mediaFault):
            switch outcome {
            case nil: break
            case .kept: task.isNew ? report.new.append(task.id) : report.updated.append(task.id)
            case .unchanged: report.unchanged += 1
            case .notKept(_, .noStore): report.notStored.append(task.id)
            case .notKept(_, .noRoom(let reason)): report.lacksRoom(task.id, reason, isDisk: false)
            case .notKept(_, .diskFull(let reason)): report.lacksRoom(task.id, reason, isDisk: true)
            case .gone: report.failed[task.id] = "the server lists it and does not have it"
            case .refused(let status, let reason):
                report.fail(task.id, reason, isForNow: Fetcher.isForNow(status))
            }
            switch mediaFault {
            case nil: break
            case .other(let reason, let isForNow): report.fail(task.id, reason, isForNow: isForNow)
            case .noRoom(let reason, let isDisk): report.lacksRoom(task.id, reason, isDisk: isDisk)
            case .failure(let failure): report.fail(task.id, failure)
            }
        }
    }
}
