import ArgumentParser
import Model

/// One finding of `check`.
private struct FindingLine: Encodable {
    var place: String
    var problem: String
    /// Whether the document cannot be published with it; the others are likely mistakes.
    var isFault: Bool
}

private struct CheckResult: Encodable {
    var file: String
    var findings: [FindingLine]
}

struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check a questionnaire's file: its conditions, constraints, sections, translations and key.",
        discussion: """
            Each finding is one line with its place. Faults end with 65: no host publishes the document. Warnings are likely \
            mistakes. - is standard input.
            """)

    @OptionGroup var format: JSONOption
    @Argument(
        help: ArgumentHelp("The document, with its key.", valueName: "file.json"),
        completion: .file(extensions: ["json"]), transform: FileArgument.named)
    var file: String

    func run() throws {
        let bytes = try InputFile.read(file)
        var findings: [FindingLine] = []
        do throws(DocumentFault) {
            let questionnaire = try Questionnaire(json: bytes)
            try AnswerKey(json: bytes).check(for: questionnaire)
            findings = QuestionnaireCheck.findings(in: try QuestionnaireRules(json: bytes)).map {
                FindingLine(place: $0.place, problem: "\($0.problem)", isFault: $0.isFault)
            }
        } catch {
            findings = [FindingLine(place: error.field ?? "", problem: error.reason, isFault: true)]
        }
        if format.json { try Output.json(CheckResult(file: file, findings: findings)) }
        let faults = findings.filter(\.isFault)
        if !format.json {
            for finding in findings {
                let place = finding.place.isEmpty ? "" : "\(finding.place): "
                let kind = finding.isFault ? "" : Output.language.text("warning: ")
                Output.line("\(file): \(kind)\(place)\(finding.problem)")
            }
        }
        guard faults.isEmpty else {
            throw Failure(
                Exit.badData,
                faults.count == 1
                    ? "\(file) has a fault: correct it" : "\(file) has \(faults.count) faults: correct them")
        }
        if !format.json, findings.isEmpty { Output.line(Output.language.text("No faults.")) }
    }
}
