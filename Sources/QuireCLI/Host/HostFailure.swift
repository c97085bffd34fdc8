import ArgumentParser
import Disk
import Host
import SystemPackage

/// The failure of a host's command, printed on standard error, with the exit code for scripts.
enum HostFailure {
    /// Runs the command; a failure is printed on one line and sets the exit code.
    static func reported(_ command: () async throws -> Void) async throws {
        do {
            try await command()
        } catch let error as HostError {
            tell(error.description)
            throw code(of: error)
        } catch let error as FileError {
            tell(error.description)
            throw inputOutput
        } catch let error as Errno where error == .brokenPipe {
            // The reader has seen enough.
            throw ExitCode.success
        }
    }

    static func tell(_ text: String) { Output.complain(text) }

    private static let usage = ExitCode(64)
    private static let badData = ExitCode(65)
    static let inputOutput = ExitCode(74)

    private static func code(of error: HostError) -> ExitCode {
        switch error {
        case .invalidAddress, .ownFolder, .exchangePlace, .openToNetwork, .copyInUse, .copyNotEmpty, .copyOfOther,
            .copyOntoItself, .copyIncomplete:
            usage
        case .damaged, .unknownTest, .ambiguousTest, .cannotRate, .ratedMeanwhile, .unknownQuestionnaire, .unknownKey,
            .classList, .peopleChanged, .unknownPerson, .noPeople, .notInBucket:
            badData
        case .damagedLog, .noData, .dataInUse, .unusableQuestionnaires, .nothingPublished, .unusableToken,
            .cannotListen, .copyDiffers, .copySourceChanged,
            .shortenedMedia:
            inputOutput
        }
    }
}
