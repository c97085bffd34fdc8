import Disk
import Model
import OutboxStore
import SystemPackage

/// Files that belong to answers.
extension QuireStore {
    /// An attachment of a test, and its state.
    public struct AttachmentLine: Sendable, Hashable {
        public var attachment: Attachment
        /// `nil` while the test is a draft: then it goes with the test.
        public var status: TestStatus?
        /// Attempts that did not end in an acknowledgement.
        package var delivery: Receipt.Delivery?
        /// Where it is kept on its way; `nil` where it is not.
        package var medium: DeliveryMedium?
        /// Whether its bytes are here: those of a delivered one may have been removed.
        public var isHere: Bool
    }

    /// Attaches a file to an answer of a draft. When this returns, the file and its place in the test survive a crash.
    ///
    /// - Parameters:
    ///   - name: its name; the file's own name if `nil`.
    ///   - mediaType: derived from the name if `nil`.
    /// - Throws: `OutboxError.unfit` for a file that cannot be attached, `.frozen` for a finished test, `AnswerFault`
    ///   for a question that the questionnaire does not have.
    public func attach(
        _ file: FilePath, to test: TestID, questionId: String, name: String? = nil, mediaType: String? = nil
    ) throws -> (test: StoredTest, attachment: Attachment) {
        let name = try Self.attachmentName(name, of: file)
        let content = try Self.open(file)
        let type = try Self.checked(name: name, mediaType: mediaType)
        let questionId = try attachableQuestion(test, questionId: questionId, name: name, mediaType: type)
        return try attach(
            try outbox.media.spool(named: name, from: content), to: test, questionId: questionId, name: name,
            mediaType: mediaType)
    }

    /// Whether something may be attached there: said before a long file is copied; the outbox looks again.
    ///
    /// - Throws: `OutboxError.frozen` for a test that is finished, `AnswerFault` for a question that the questionnaire
    ///   has not, and for a file that it does not take.
    package func checkAttachable(_ test: TestID, questionId: String, name: String, mediaType: String) throws {
        _ = try attachableQuestion(test, questionId: questionId, name: name, mediaType: mediaType)
    }

    /// The same.
    ///
    /// - Returns: the question's id in memory: of a repeated section people write `name[2]`.
    private func attachableQuestion(
        _ test: TestID, questionId: String, name: String, mediaType: String
    ) throws -> String {
        guard let item = try outbox.find(test) else { throw OutboxError.notFound(test.description) }
        let record = try outbox.read(item).record
        guard item.status.isDraft else { throw OutboxError.frozen(test, item.status) }
        guard let questionnaire = try questionnaire(of: record) else { return questionId }
        guard let question = questionnaire.question(writtenAs: questionId) else {
            throw AnswerFault(questionId: questionId, reason: "the questionnaire has no such question")
        }
        if let most = question.mostFiles, record.attachments(to: question.id).count >= most {
            let words = Language.english.plural(most, one: "1 file", other: "\(most) files")
            throw AnswerFault(
                questionId: questionId, reason: "takes at most \(words): remove one with “quire attach --remove” first")
        }
        if let accepted = question.acceptedFiles, !accepted.takes(name: name, mediaType: mediaType) {
            throw AnswerFault(
                questionId: questionId,
                reason:
                    "takes files of these types alone: \(accepted.entries.joined(separator: ", ")), and “\(name)” is \(mediaType)"
            )
        }
        return question.id
    }

    /// The same with received bytes.
    package func attach(
        _ spooled: SpooledMedia, to test: TestID, questionId: String, name: String, mediaType: String?
    ) throws -> (test: StoredTest, attachment: Attachment) {
        let type: String
        do {
            type = try Self.checked(name: name, mediaType: mediaType)
        } catch {
            outbox.media.giveUp(spooled)
            throw error
        }
        let made = try outbox.edits.attach(spooled, to: test, questionId: questionId, name: name, mediaType: type)
        let record = made.test.record
        journal.record(
            "attached", test: test, questionnaire: record.questionnaire.id, title: record.questionnaire.title,
            detail: name)
        return made
    }

    /// The attachments of a test, in the order in which they were attached.
    public func attachments(of record: TestRecord) throws -> [AttachmentLine] {
        try record.attachments.map { attachment in
            let item = try outbox.find(attachment.id)
            // A damaged one is named by doctor.
            let receipt = item.flatMap { item in try? outbox.receipt(item) }
            return AttachmentLine(
                attachment: attachment, status: item?.status, delivery: receipt?.delivery,
                medium: receipt?.keptAt.map { _ in medium }, isHere: try outbox.media.hasBytes(attachment.digest))
        }
    }

    /// The attachments whose bytes are not here, and that no server is known to have.
    package func lostAttachments(of record: TestRecord) throws -> [Attachment] {
        try record.attachments.filter { try isLost($0.digest) }
    }

    func isLost(_ digest: Digest) throws -> Bool {
        try !outbox.media.hasBytes(digest) && !outbox.media.isDelivered(digest)
    }

    /// Limits the copies of delivered attachments to the rest of the cache's quota, and removes the oldest beyond that.
    ///
    /// - Returns: how many bytes were given free.
    @discardableResult
    package func releaseMedia() throws -> Int64 {
        guard let quota = cache.totalQuotaBytes else { return 0 }
        let used = try cache.space.briefStatistics()
        return try outbox.media.release(keepingBytes: max(0, quota - used.bytes - used.indexBytes))
    }

    // MARK: What may be attached

    static func attachmentName(_ name: String?, of file: FilePath) throws -> String {
        if let name { return name }
        guard let last = file.lastComponent else {
            throw OutboxError.unfit(file: file.string, reason: "it is a folder")
        }
        return last.string
    }

    static func checked(name: String, mediaType: String?) throws -> String {
        if let fault = Attachment.fault(inName: name) {
            let shown = String(String.UnicodeScalarView(name.unicodeScalars.filter { $0.value >= 0x20 }).prefix(80))
            throw OutboxError.unfit(
                file: "“\(shown)”", reason: "its name \(fault): give it another one with --name")
        }
        if let mediaType, !MediaType.isType(mediaType) {
            throw OutboxError.unfit(
                file: "“\(name)”", reason: "“\(mediaType.prefix(80))” is no media type, like image/jpeg")
        }
        return MediaType.of(fileName: name, stated: mediaType)
    }

    /// Opens a file to attach: a regular file, and no link to one.
    static func open(_ file: FilePath) throws -> OpenContent {
        guard let name = file.lastComponent, name.kind == .regular else {
            throw OutboxError.unfit(file: file.string, reason: "it is a folder")
        }
        let parent = file.removingLastComponent()
        do {
            let folder = try POSIXFileSystem(root: parent.isEmpty ? "." : parent)
            let path = FilePath(name.string)
            // Looked at before it is opened: opening a pipe or a device may do something.
            switch try folder.status(at: path)?.kind {
            case .regular?: break
            case .folder?: throw OutboxError.unfit(file: file.string, reason: "it is a folder")
            case .symbolicLink?:
                throw OutboxError.unfit(
                    file: file.string, reason: "it is a symbolic link: name the file that it leads to")
            case .other?: throw OutboxError.unfit(file: file.string, reason: "it is a pipe, a socket or a device")
            case nil: throw OutboxError.unfit(file: file.string, reason: "there is no such file")
            }
            let content = try OpenContent(path, in: folder)
            let status = try content.status()
            guard status.kind == .regular else {
                throw OutboxError.unfit(file: file.string, reason: "it is no file any more")
            }
            guard status.sizeBytes <= Attachment.maximumBytes else {
                let most = ByteCount.format(Attachment.maximumBytes)
                throw OutboxError.unfit(
                    file: file.string,
                    reason:
                        "it has \(ByteCount.format(status.sizeBytes)), and \(most) is the most that one file may have")
            }
            return content
        } catch let error as FileError {
            throw OutboxError.unfit(file: file.string, reason: error.isMissing ? "there is no such file" : "\(error)")
        }
    }
}
