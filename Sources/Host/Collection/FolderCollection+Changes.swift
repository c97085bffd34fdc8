import Disk
import Model
import SystemPackage

/// The changes from devices: questionnaires that were created, edited and deleted there, and favourites.
///
/// The endpoints for HTTP requests carry out each one, with the same conditions. A change is removed from the folder
/// when its receipt, or the reason for its rejection, is there durably: an old file must not replace a later version.
extension FolderCollection {
    /// Why a change was not carried out, for its device.
    struct Refusal {
        var refusal: ExchangeRefusal
        /// The change's own file.
        var path: FilePath
    }

    /// A change's file and its place in the order in which its device made it.
    private struct Waiting {
        var id: TestID
        var sequence: Int
    }

    private enum Progress {
        case done
        /// The change that it is based on has not been carried out.
        case waits
        case refused(Refusal)
    }

    /// - Returns: those that were refused; they are still in the folder.
    func takeQuestionnaires(_ report: inout Report) throws -> [Refusal] {
        var waiting = try found(&report, ExchangeLayout.questionnaireChangeID, ExchangeLayout.questionnaireChange) {
            try QuestionnaireChange(file: $0).sequence
        }
        var refusals: [Refusal] = []
        while true {
            var rest: [Waiting] = []
            for change in waiting {
                let path = ExchangeLayout.questionnaireChange(change.id)
                switch try attempt(path, &report, { try take(change.id, path, &$0) }) {
                case .done?, nil: break
                case .waits?: rest.append(change)
                case .refused(let refusal)?: refusals.append(refusal)
                }
            }
            // Another device's clock, or a copied store, may have numbered them the other way round.
            if rest.isEmpty || rest.count == waiting.count {
                report.waiting += rest.count
                return refusals
            }
            waiting = rest
        }
    }

    private func take(_ id: TestID, _ path: FilePath, _ report: inout Report) throws -> Progress {
        guard let (file, _) = try folder.read(path, maximumBytes: ExchangeLayout.longestChangeBytes) else {
            return .done
        }
        let change = try QuestionnaireChange(file: file)
        var etag = change.base?.etag
        if let after = change.after {
            // The version after the first of the two; its device only knew that the first one is in the folder.
            guard let published = try changes.receipt(of: after)?.receipt.published else { return .waits }
            etag = published.etag
        }
        do {
            let write = try QuestionnaireWrite(change, etag: etag)
            let outcome = try changes.carryOut(write)
            return try settle(outcome, .questionnaire(change), path, &report)
        } catch let problem as Problem {
            return .refused(refuse(problem, .questionnaire(change), path, &report))
        } catch let fault as DocumentFault {
            let problem = Problem.invalidQuestionnaire(
                field: fault.field, "The questionnaire cannot be read: \(fault).")
            return .refused(refuse(problem, .questionnaire(change), path, &report))
        }
    }

    /// - Returns: those that were refused; they are still in the folder.
    func takeFavorites(_ report: inout Report) throws -> [Refusal] {
        let waiting = try found(&report, ExchangeLayout.favoriteChangeID, ExchangeLayout.favoriteChange) {
            try DocumentCoding.decode(FavoriteChange.self, from: $0).sequence
        }
        var refusals: [Refusal] = []
        for change in waiting {
            let path = ExchangeLayout.favoriteChange(change.id)
            switch try attempt(path, &report, { try takeFavorite(change.id, path, &$0) }) {
            case .done?, nil: break
            case .waits?: report.waiting += 1
            case .refused(let refusal)?: refusals.append(refusal)
            }
        }
        return refusals
    }

    private func takeFavorite(_ id: TestID, _ path: FilePath, _ report: inout Report) throws -> Progress {
        guard let (file, _) = try folder.read(path, maximumBytes: ExchangeLayout.longestChangeBytes) else {
            return .done
        }
        let change = try DocumentCoding.decode(FavoriteChange.self, from: file)
        let questionnaire = change.questionnaire
        if let fault = Questionnaire.fault(inID: questionnaire) {
            throw DocumentFault(field: "questionnaire", reason: fault)
        }
        // It was made on a device, and its creation is still to come: it would be stored under an unknown id.
        if TestID(questionnaire) != nil, try changes.hostID(of: questionnaire) == nil { return .waits }
        let outcome = try favorites.carryOut(
            id, change.favorite ? .favorite : .unfavorite, questionnaire, of: person)
        return try settle(outcome, .favorite(change), path, &report)
    }

    // MARK: Parts

    /// The readable changes of one kind in the folder, in the order in which they were made.
    private func found(
        _ report: inout Report, _ id: (String) -> TestID?, _ path: (TestID) -> FilePath,
        _ sequence: ([UInt8]) throws -> Int
    ) throws -> [Waiting] {
        var found: [Waiting] = []
        for name in try folder.names(in: ExchangeLayout.changes) {
            guard let id = id(name) else { continue }
            let path = path(id)
            let number = try attempt(path, &report) { _ in
                guard let (file, _) = try folder.read(path, maximumBytes: ExchangeLayout.longestChangeBytes) else {
                    return Int?.none
                }
                struct Name: Decodable { var id: TestID }
                guard try DocumentCoding.decode(Name.self, from: file).id == id else {
                    throw DocumentFault(field: "id", reason: "is not that of the file's name")
                }
                return try sequence(file)
            }
            if let number, let number { found.append(Waiting(id: id, sequence: number)) }
        }
        return found.sorted { ($0.sequence, $0.id) < ($1.sequence, $1.id) }
    }

    /// - Returns: `nil` if it is impossible now; then the file stays, and the report says why. One fault stops nothing:
    ///   the questionnaires may be read-only for the host.
    @discardableResult
    private func attempt<Result>(
        _ path: FilePath, _ report: inout Report, _ work: (inout Report) throws -> Result
    ) throws -> Result? {
        do {
            return try work(&report)
        } catch let error as HostError {
            report.faults.append(error.description)
        } catch let error as FileError {
            if error.isAway { throw error }
            report.note(error, at: path)
        } catch let fault as DocumentFault {
            // Half a file, perhaps: its device puts it there again.
            report.faults.append("\(path): \(fault)")
        }
        return nil
    }

    private func settle(
        _ outcome: QuestionnaireArchive.Outcome, _ change: OutgoingChange, _ path: FilePath, _ report: inout Report
    ) throws -> Progress {
        let receipt: [UInt8]
        switch outcome {
        case .stored(let stored):
            report.changes.append(change.id)
            receipt = stored
        case .known(let known):
            report.known += 1
            receipt = known
        case .different, .mismatch:
            let problem = ChangeEndpoint.problem(outcome, change.id, of: change.questionnaire)
            return .refused(refuse(problem, change, path, &report))
        }
        try put(receipt, at: ExchangeLayout.receipt(change.id), &report)
        try remove(path, &report)
        return .done
    }

    private func refuse(
        _ problem: Problem, _ change: OutgoingChange, _ path: FilePath, _ report: inout Report
    ) -> Refusal {
        if problem.status == .preconditionFailed {
            report.conflicts.append(change.id)
        } else {
            report.refused.append(change.id)
            report.faults.append("\(path) is refused: \(problem.detail)")
        }
        let refusal = ExchangeRefusal(
            test: change.id, digest: change.contentDigest, status: problem.status.code, reason: problem.detail,
            current: problem.document.current)
        return Refusal(refusal: refusal, path: path)
    }

    func put(_ refused: Refusal, _ report: inout Report) throws {
        let refusal = refused.refusal
        try put(try DocumentCoding.encode(refusal), at: ExchangeLayout.refusal(refusal.test), &report)
        try remove(refused.path, &report)
    }

    private func remove(_ path: FilePath, _ report: inout Report) throws {
        try folder.remove(path)
        report.changedFiles += 1
    }
}
