import Disk
import Host
import Logging
import Model
import Simulation
import Synchronization
import SystemPackage

/// A disk with the reference host's tests, and what it has acknowledged.
struct HostWorld: Sendable {
    let disk: SimulatedDisk
    /// The questionnaires lie on another disk, which never fails.
    let shelf: SimulatedDisk
    let ledger: HostLedger

    private static let colours = """
        {"id": "colours", "title": "Colours", "questions": [
          {"id": "sky", "text": "What colour is the sky?", "options": ["Blue", "Green"], "correct": "Blue"}]}
        """

    init(renames: RenameDurability) {
        disk = SimulatedDisk(renames: renames)
        shelf = SimulatedDisk(clock: disk.clock)
        ledger = HostLedger()
    }

    private init(disk: SimulatedDisk, shelf: SimulatedDisk, ledger: HostLedger) {
        self.disk = disk
        self.shelf = shelf
        self.ledger = ledger
    }

    func after(_ disk: SimulatedDisk) -> HostWorld { HostWorld(disk: disk, shelf: shelf, ledger: ledger.copy()) }

    /// Its key is changed without a change of what devices get.
    private static func exam(right: String) -> String {
        """
        {"id": "exam", "title": "Exam", "answerKey": {"q": "\(right)"}, "questions": [
          {"id": "q", "text": "?", "options": ["Right", "Wrong"]}, {"id": "essay", "text": "Why?", "kind": "text"}]}
        """
    }

    func publishExam(right: String) throws { try shelf.put("exam.json", Self.exam(right: right)) }

    static func examSubmission(_ number: Int) throws -> TestSubmission {
        let id = try submission(number).id
        let digest = try PublishedQuestionnaire(json: Array(exam(right: "Right").utf8)).digest
        let record = TestRecord(
            id: id, questionnaire: QuestionnaireReference(id: "exam", title: "Exam", digest: digest),
            dateStarted: ManualClock.start, dateFinished: ManualClock.start,
            answers: ["q", "essay"].map { Answer(questionId: $0, value: .one("Right")) }, deviceId: "tablet",
            sequence: number)
        return try TestSubmission(DocumentCoding.encode(record), id: id)
    }

    /// Delivers a test of it, and notes what its receipt has that is not given out.
    func deliverExam(_ archive: TestArchive, _ number: Int) throws {
        let submission = try Self.examSubmission(number)
        try deliver(archive, submission)
        if let receipt = try archive.handedIn(submission.id)?.receipt { ledger.isRated(submission.id, receipt) }
    }

    /// A teacher's points for the essay of a test.
    func mark(_ archive: TestArchive, _ number: Int, points: Double) throws {
        let id = try Self.submission(number).id
        ledger.isBeingMarked(id, points)
        let rating = TeacherRating(verdict: .points(question: "essay", points, maximum: nil), ratedBy: "Ada")
        ledger.isMarked(id, points, try archive.ratings.rate(id, rating))
    }

    /// All ratings by the key as it is now.
    func rateAgain(_ archive: TestArchive) throws {
        for id in ledger.all.keys { ledger.isBeingRated(id) }
        for line in try archive.ratings.rateAgain(questionnaire: "exam", writes: true).lines {
            ledger.isRated(line.test, line.after)
        }
    }

    /// Every mark is there once, and rating again completes what a crash left, once.
    private func brokenMarks(_ archive: TestArchive) throws -> [String] {
        guard ledger.all.values.contains(where: { $0.mark != nil }) else { return [] }
        var broken: [String] = []
        func look(_ moment: String) throws {
            for (id, promise) in ledger.all {
                let history = try archive.received.history(of: id).map(\.receipt)
                for former in promise.formers where !history.contains(former) {
                    broken.append("what the receipt of \(id) was before is lost \(moment)")
                }
                if Set(history).count != history.count { broken.append("a version of \(id) is kept twice \(moment)") }
                guard let mark = promise.mark else { continue }
                let marks = [mark, promise.markUnderWay].compactMap(\.self)
                let essay = try archive.handedIn(id)?.receipt.evaluation?.questions.first { $0.questionId == "essay" }
                if !marks.contains(where: { $0 == essay?.points }) {
                    broken.append("the mark of \(id) is lost \(moment)")
                }
            }
        }
        try look("after the crash")
        _ = try archive.ratings.rateAgain(questionnaire: "exam", writes: true)
        try look("after rating again")
        if try !archive.ratings.rateAgain(questionnaire: "exam", writes: true).changed.isEmpty {
            broken.append("rating again twice is not rating once")
        }
        return broken
    }

    /// From now on tests of it are rated by its key.
    func publish() throws { try shelf.put("colours.json", Self.colours) }

    func archive(_ files: (any FileSystem)? = nil) -> TestArchive {
        let silence = Logger(label: "trials", factory: { _ in SwiftLogNoOpLogHandler() })
        let catalog = QuestionnaireCatalog(clock: disk.clock, logger: silence) { [shelf] () throws(FileError) in
            shelf.process()
        }
        return TestArchive(
            fileSystem: files ?? disk.process(), catalog: catalog, clock: disk.clock, logger: silence)
    }

    static func submission(_ number: Int, answer: String = "Blue") throws -> TestSubmission {
        var generator = SeededGenerator(seed: UInt64(number))
        let id = TestID.random(using: &generator)
        let record = TestRecord(
            id: id,
            questionnaire: QuestionnaireReference(id: "colours", title: "Colours", digest: Digest(sha256Of: [])),
            dateStarted: ManualClock.start, dateFinished: ManualClock.start,
            answers: [Answer(questionId: "sky", value: .one(answer))], deviceId: "tablet", sequence: number)
        return try TestSubmission(DocumentCoding.encode(record), id: id)
    }

    /// A delivery, as the host answers it.
    func deliver(_ archive: TestArchive, _ submission: TestSubmission) throws {
        ledger.mayStore(submission)
        switch try archive.store(submission) {
        case .stored(let receipt), .known(let receipt): try ledger.isStored(submission, receipt)
        case .different, .refused, .invalid: ledger.isRefused(submission)
        }
    }

    func rate(_ archive: TestArchive, _ number: Int, score: Double) throws {
        let id = try Self.submission(number).id
        ledger.isBeingRated(id)
        let receipt = try archive.ratings.rate(
            id, TeacherRating(verdict: .score(score, maximum: 10), ratedBy: "Ada", comment: "Well done"))
        ledger.isRated(id, receipt)
    }

    // MARK: The promises

    func brokenPromises() -> [String] {
        do { return try check() } catch { return ["it cannot be used: \(error)"] }
    }

    private func check() throws -> [String] {
        disk.clearPlan()
        var broken = brokenAtSight()
        let archive = archive()
        try archive.makeFolders()
        broken += try brokenTests(archive)
        try archive.recover()
        for path in disk.filePaths where path.hasSuffix(".tmp") { broken.append("\(path) was left over") }
        broken += brokenAtSight() + (try brokenTests(archive))
        broken += try brokenMarks(archive)
        // A device without a reply sends it again.
        for (id, promise) in ledger.all {
            guard let submission = promise.submissions.first else { continue }
            switch try archive.store(submission) {
            case .stored, .known: broken += try brokenTests(archive, only: id)
            case .different, .refused, .invalid:
                if promise.submissions.count < 2 { broken.append("\(id) has other bytes than were ever sent") }
            }
        }
        return broken
    }

    /// No reader ever sees half a file.
    private func brokenAtSight() -> [String] {
        disk.dump().compactMap { file in
            guard file.kind == .regular else { return nil }
            do {
                if file.path.hasPrefix("tests/") {
                    _ = try DocumentCoding.decode(TestRecord.self, from: file.bytes)
                } else if file.path.hasPrefix("receipts/") {
                    _ = try DocumentCoding.decode(Receipt.self, from: file.bytes)
                }
                return nil
            } catch {
                return "\(file.path) is not whole: \(error)"
            }
        }
    }

    private func brokenTests(_ archive: TestArchive, only: TestID? = nil) throws -> [String] {
        var broken: [String] = []
        for (id, promise) in ledger.all where only == nil || only == id {
            let bytes = disk.contents(FilePath("tests/\(id).test.json"))
            if let acknowledged = promise.acknowledged, bytes != acknowledged {
                broken.append("\(id) was acknowledged and is \(bytes == nil ? "lost" : "another one")")
            }
            if let bytes, !promise.submissions.contains(where: { $0.bytes == bytes }) {
                broken.append("\(id) has bytes that were never sent")
            }
            guard let receipt = promise.receipt else { continue }
            guard let file = disk.contents(FilePath("receipts/\(id).receipt.json")) else {
                broken.append("the receipt of \(id) was given out and is lost")
                continue
            }
            let found = try DocumentCoding.decode(Receipt.self, from: file)
            if found != receipt, !promise.isBeingRated { broken.append("\(id) has another receipt than was given out") }
            if found.digest != receipt.digest || found.receivedAt != receipt.receivedAt {
                broken.append("\(id) has a receipt for something else")
            }
        }
        return broken
    }
}

/// The host's acknowledgements, recorded outside of its files.
final class HostLedger: Sendable {
    struct Promise {
        /// The submissions under this id.
        var submissions: [TestSubmission] = []
        /// The bytes that it said it stored.
        var acknowledged: [UInt8]?
        /// The last one that it gave out.
        var receipt: Receipt?
        var isBeingRated = false
        /// A teacher's points that it said it saved.
        var mark: Double?
        var markUnderWay: Double?
        /// The receipt as it is stored, which has more than is given out, and those that it replaced.
        var rated: Receipt?
        var formers: [Receipt] = []
    }

    private let promises = Mutex<[TestID: Promise]>([:])

    var all: [TestID: Promise] { promises.withLock { $0 } }

    private func change(_ id: TestID, _ body: (inout Promise) -> Void) {
        promises.withLock { body(&$0[id, default: Promise()]) }
    }

    func mayStore(_ submission: TestSubmission) {
        change(submission.id) { promise in
            if !promise.submissions.contains(where: { $0.bytes == submission.bytes }) {
                promise.submissions.append(submission)
            }
        }
    }

    func isStored(_ submission: TestSubmission, _ receipt: [UInt8]) throws {
        let receipt = try DocumentCoding.decode(Receipt.self, from: receipt)
        change(submission.id) { promise in
            promise.acknowledged = submission.bytes
            promise.receipt = receipt
        }
    }

    /// The crash came before anybody heard of it.
    func forgetReceipt(_ id: TestID) { change(id) { $0.receipt = nil } }

    /// It said that other bytes are there.
    func isRefused(_ submission: TestSubmission) {
        change(submission.id) { promise in promise.submissions.removeAll { $0.bytes == submission.bytes } }
    }

    func isBeingRated(_ id: TestID) { change(id) { $0.isBeingRated = true } }

    func isRated(_ id: TestID, _ receipt: Receipt) {
        change(id) { promise in
            if let former = promise.rated, former != receipt { promise.formers.append(former) }
            promise.rated = receipt
            promise.receipt = receipt
            promise.isBeingRated = false
        }
    }

    func isBeingMarked(_ id: TestID, _ points: Double) {
        isBeingRated(id)
        change(id) { $0.markUnderWay = points }
    }

    func isMarked(_ id: TestID, _ points: Double, _ receipt: Receipt) {
        isRated(id, receipt)
        change(id) { ($0.mark, $0.markUnderWay) = (points, nil) }
    }

    func copy() -> HostLedger {
        let copy = HostLedger()
        let now = all
        copy.promises.withLock { $0 = now }
        return copy
    }
}
