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
        let language = Output.language
        var parts = [language.text("\(report.taken.count) taken, \(report.known) known")]
        func add(_ count: Int, _ text: (Int) -> String) { if count > 0 { parts.append(text(count)) } }
        add(report.changes.count) {
            language.plural($0, one: "1 change", other: "\($0) changes", context: "list")
        }
        add(report.attachments.count) {
            language.plural($0, one: "1 attachment", other: "\($0) attachments")
        }
        add(report.conflicts.count) { language.text("\($0) changed elsewhere", context: "list") }
        add(report.refused.count) { language.text("\($0) refused") }
        add(report.waiting) { language.text("\($0) waiting", context: "list") }
        let folder = language.plural(
            report.questionnaires, one: "1 questionnaire in the folder",
            other: "\(report.questionnaires) questionnaires in the folder")
        Output.line("\(parts.joined(separator: ", ")); \(folder).")
    }
}
