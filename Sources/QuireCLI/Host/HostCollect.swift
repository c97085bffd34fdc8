import Disk
import Host
import Logging
import Model
import SystemPackage

/// `quire host --data DIR --collect FOLDER`
enum HostCollect {
    /// Collects a folder once, and prints the result.
    static func run(_ folder: FilePath, _ configuration: HostConfiguration, json: Bool, _ logger: Logger) throws {
        let report: FolderCollection.Report
        do {
            let archive = try ReferenceHost.makeArchive(configuration, logger: logger)
            let collection = try FolderCollection(
                folder, archive: archive, maximumMediaBytes: configuration.maximumMediaBytes,
                token: configuration.token)
            // A folder that was named is meant.
            if configuration.questionnaires == nil { try collection.checkThatQuestionnairesAreLeft() }
            report = try collection.collect()
        } catch let fault as DocumentFault {
            throw Failure(Exit.badData, fault.description)
        } catch let error as FileError where error.isMissing {
            throw Failure(Exit.inputOutput, "\(error): plug the stick in, or make the folder")
        }
        for fault in report.faults { HostFailure.tell(fault) }
        try json ? Output.json(report) : tell(report)
        if report.isFull { throw HostFailure.inputOutput }
    }

    private static func tell(_ report: FolderCollection.Report) {
        var english = "\(report.taken.count) taken, \(report.known) known"
        var russian = "принято: \(report.taken.count), уже были: \(report.known)"
        if !report.changes.isEmpty {
            english += ", \(Language.count(report.changes.count, "change"))"
            russian += ", изменений: \(report.changes.count)"
        }
        if !report.attachments.isEmpty {
            english += ", \(Language.count(report.attachments.count, "attachment"))"
            russian += ", вложений: \(report.attachments.count)"
        }
        if !report.conflicts.isEmpty {
            english += ", \(report.conflicts.count) changed elsewhere"
            russian += ", изменено в другом месте: \(report.conflicts.count)"
        }
        if !report.refused.isEmpty {
            english += ", \(report.refused.count) refused"
            russian += ", отклонено: \(report.refused.count)"
        }
        if report.waiting > 0 {
            english += ", \(report.waiting) waiting"
            russian += ", ждут: \(report.waiting)"
        }
        english += "; \(Language.count(report.questionnaires, "questionnaire")) in the folder"
        russian += "; анкет в папке: \(report.questionnaires)"
        Output.line(Output.language.pick(english, russian) + ".")
    }
}
