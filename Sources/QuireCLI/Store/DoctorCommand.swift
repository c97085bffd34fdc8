import ArgumentParser
import Disk
import FoundationEssentials
import Model
import Quire
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
        let fault = store.settings.remote.flatMap { RemoteAddress.fault(in: $0) }
        let findings = try store.examine(
            repairing: repair, hasToken: hasToken, remoteFault: fault?.description, Output.language)
        if format.json {
            try Output.json(findings)
        } else {
            for finding in findings {
                Output.line("\(finding.path): \(finding.what)")
                Output.line(
                    "    " + (finding.isRepaired ? Output.language.text("repaired") : finding.advice))
            }
            for note in try store.notes(Output.language) where !options.quiet { Output.line(note) }
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
