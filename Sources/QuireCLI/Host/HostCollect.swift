import Disk
import Host
import Logging
import Model
import S3
import SystemPackage

/// `quire host --data DIR --collect FOLDER`, or a bucket in its place.
enum HostCollect {
    /// Collects a folder or a bucket once, and prints the result. It blocks.
    static func run(_ place: String, _ configuration: HostConfiguration, json: Bool, _ logger: Logger) throws {
        let report: FolderCollection.Report
        do {
            let archive = try ReferenceHost.makeArchive(configuration, logger: logger)
            let collection = try collection(place, archive, configuration)
            // A folder that was named is meant.
            if configuration.questionnaires == nil { try collection.checkThatQuestionnairesAreLeft() }
            report = try collection.collect()
        } catch let fault as DocumentFault {
            throw Failure(Exit.badData, fault.description)
        } catch let error as FileError where error.isMissing {
            throw Failure(Exit.inputOutput, "\(error): plug the stick in, or make the folder")
        } catch let error as FileError where error.isAway {
            throw Failure(error)
        }
        for fault in report.faults { HostFailure.tell(fault) }
        let isBucket = S3Bucket.isAddress(place)
        try json ? Output.json(report) : tell(report, isBucket: isBucket)
        if report.isFull { throw HostFailure.inputOutput }
    }

    private static func collection(
        _ place: String, _ archive: TestArchive, _ configuration: HostConfiguration
    ) throws -> FolderCollection {
        guard let (bucket, settings) = try HostPlace.address(place) else {
            return try FolderCollection(
                FilePath(place), archive: archive, maximumMediaBytes: configuration.maximumMediaBytes,
                token: configuration.token)
        }
        let store = S3ObjectStore(bucket, settings, clock: SystemClock())
        return try FolderCollection(
            store, archive: archive,
            maximumMediaBytes: configuration.maximumMediaBytes, token: configuration.token)
    }

    private static func tell(_ report: FolderCollection.Report, isBucket: Bool) {
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
        let count = report.questionnaires
        let place =
            isBucket
            ? language.plural(
                count, one: "1 questionnaire in the bucket", other: "\(count) questionnaires in the bucket")
            : language.plural(
                count, one: "1 questionnaire in the folder", other: "\(count) questionnaires in the folder")
        Output.line("\(parts.joined(separator: ", ")); \(place).")
    }
}
