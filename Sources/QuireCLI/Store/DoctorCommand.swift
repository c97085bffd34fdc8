import ArgumentParser
import Disk
import FoundationEssentials
import Model
import Quire
import QuireWording
import Remotes

struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check the store; exit code 65 if there is a problem.",
        discussion: """
            Other programs can use the store meanwhile. What --repair cannot fix is moved to quarantine, with the reason beside \
            it. Only derived and half-written files are deleted.
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var format: JSONOption
    @Flag(help: "Repair what is safe to repair, move the rest to quarantine.") var repair = false

    func run() throws {
        let store = try options.openStore()
        let hasToken = ProcessInfo.processInfo.environment["QUIRE_TOKEN"]?.isEmpty == false
        let addressFault = store.settings.remote.flatMap { RemoteAddress.fault(in: $0) }
        let fault = addressFault?.description ?? Session.credentialFault(store)
        let language = Output.language
        let findings = try store.examine(
            repairing: repair, hasToken: hasToken, remoteFault: fault, reason: { $0.words(language) })
        if format.json {
            try Output.json(findings.map { DoctorLine($0, language) })
        } else {
            for finding in findings {
                Output.line("\(finding.path): \(finding.words(language))")
                Output.line("    " + (finding.isRepaired ? language.text("repaired") : finding.advice(language)))
            }
            for note in try store.notes() where !options.quiet { Output.line(note.words(language)) }
            if findings.isEmpty { options.say("The store is in order.") }
        }
        let isUnproven = try options.offline ? false : failsProof(store)
        if isUnproven || findings.contains(where: { !$0.isRepaired }) { throw ExitCode(Exit.badData) }
    }
    /// Lets the remote prove that nothing is lost there, where its kind can be asked that. One that is away is no fault of the
    /// store's.
    private func failsProof(_ store: QuireStore) throws -> Bool {
        guard let remote = store.settings.remote else { return false }
        do {
            try RemoteAddress.prove(remote)
            return false
        } catch is RemoteAddressError {
            // The examination has named it.
            return false
        } catch let error as FileError where error.isAway {
            if !format.json { options.say("The remote cannot be tried now: \("\(error)")") }
            return false
        } catch {
            Output.complain("\(error)")
            return true
        }
    }
}

/// A finding as `quire doctor --json` prints it.
private struct DoctorLine: Encodable {
    var kind: Finding.Kind
    var path: String
    var what: String
    var advice: String
    var isRepaired: Bool

    init(_ finding: Finding, _ language: Language) {
        kind = finding.kind
        path = finding.path
        what = finding.words(language)
        advice = finding.advice(language)
        isRepaired = finding.isRepaired
    }
}
