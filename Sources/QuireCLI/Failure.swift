import ArgumentParser
import CacheStore
import Disk
import Model
import OutboxStore
import Quire
import Remotes
import S3
import Snapshots
import Sync
import Terminal
import Wording

/// The documented exit codes (after sysexits.h).
enum Exit {
    static let usage: Int32 = 64
    static let badData: Int32 = 65
    static let unavailable: Int32 = 69
    static let inputOutput: Int32 = 74
    static let keptForLater: Int32 = 75
}

/// A failure with its exit code and one sentence for people.
struct Failure: Error {
    var code: Int32
    var message: String
    /// An id that nothing has: what resembles it is suggested.
    var unknownID: String?

    init(_ code: Int32, _ message: String, unknownID: String? = nil) {
        self.code = code
        self.message = message
        self.unknownID = unknownID
    }

    /// The meaning of any module's error at the command line.
    init(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as StoreError:
            switch error {
            case .noStore, .alreadyThere: self.init(Exit.usage, error.description)
            case .inUse: self.init(Exit.keptForLater, error.description)
            case .notOnThisDevice(let id, _): self.init(Exit.unavailable, error.description, unknownID: id)
            case .mustAskServer: self.init(Exit.unavailable, error.description)
            case .unknown(let id): self.init(Exit.badData, error.description, unknownID: id)
            default: self.init(Exit.badData, error.description)
            }
        case let error as RemoteFailure:
            let code = error.kind == .invalidReply ? Exit.badData : Exit.unavailable
            let advice =
                switch error.kind {
                case .invalidReply: ""
                case .tokenRefused:
                    ": what is here stays usable; set the right token with “quire remote set URL --token-file FILE”"
                default: ": what is here stays usable, try again later"
                }
            self.init(code, error.reason + advice)
        case let error as OutboxError:
            switch error {
            case .sweeperIsRunning: self.init(Exit.keptForLater, error.description)
            case .notBoth: self.init(Exit.usage, error.description)
            case .notFound(let id): self.init(Exit.badData, error.description, unknownID: id)
            default: self.init(Exit.badData, error.description)
            }
        case PersonError.unknown(let name): self.init(Exit.badData, "\(error)", unknownID: name)
        case PersonError.pinWait: self.init(Exit.keptForLater, "\(error)")
        case let error as PersonError: self.init(Exit.badData, error.description)
        case let error as BeginRefusal: self.init(error.isForNow ? Exit.keptForLater : Exit.badData, error.description)
        case let error as OtherPersonsTest: self.init(Exit.badData, error.description)
        case let error as ProxyAddressError: self.init(Exit.usage, error.description)
        case let error as RemoteAddressError: self.init(Exit.usage, error.description)
        case let error as RemotePreparationError: self.init(Exit.usage, error.description)
        case let error as CertificateFileError: self.init(Exit.badData, error.description)
        case let fault as TokenFault:
            if case .unreadable(let error) = fault {
                self.init(Failure(error).code, fault.description)
            } else {
                self.init(Exit.badData, fault.description)
            }
        case let error as S3AddressError: self.init(Exit.usage, error.description)
        case let error as S3SettingsError: self.init(Exit.usage, error.description)
        case let error as FileError where error.isAway: self.init(Exit.unavailable, error.description)
        case let error as FileError: self.init(Exit.inputOutput, error.description)
        case let error as CacheError: self.init(Exit.badData, error.description)
        case let error as AnswerFault: self.init(Exit.badData, error.description)
        case let error as DocumentFault: self.init(Exit.badData, error.description)
        case let error as GzipFault: self.init(Exit.badData, error.description)
        case let error as SnapshotFault: self.init(Exit.badData, error.description)
        case let error as TarFault: self.init(Exit.badData, error.description)
        case let fault as TakeFault:
            if case .notATerminal = fault {
                self.init(Exit.usage, fault.description)
            } else {
                self.init(Exit.inputOutput, fault.description)
            }
        default: self.init(Exit.inputOutput, String(describing: error))
        }
    }

    /// Of what is neither the id of a test nor of a questionnaire.
    static func unknown(_ id: String) -> Failure {
        Failure(
            Exit.badData,
            "there is neither a test nor a questionnaire “\(id)” here: see “quire tests” and “quire list”",
            unknownID: id)
    }

    /// Of a questionnaire that is not on this device.
    static func noQuestionnaire(_ id: String) -> Failure {
        Failure(Exit.badData, "there is no questionnaire “\(id)” on this device: see “quire list”", unknownID: id)
    }

    /// Prints the failure on standard error and ends the process.
    static func exit(with error: any Error) -> Never {
        if error is ExitCode || error is CleanExit || error is ValidationError || isParserError(error) {
            let code = QuireCommand.exitCode(for: error)
            if code == .success {
                Output.write(QuireCommand.fullMessage(for: error) + "\n")
            } else if !(error is ExitCode) {
                UsageFailure(QuireCommand.message(for: error), arguments: CommandLine.arguments.dropFirst()).print()
            }
            Output.exit(code.rawValue)
        }
        let failure = Failure(error)
        let advice = deniesStore(error) ? "; the store belongs to another user or is protected" : ""
        let suggestion = failure.unknownID.flatMap { Suggestion.ids(like: $0, arguments: CommandLine.arguments) }
        Output.complain(failure.message + advice, suggestion)
        Output.exit(failure.code)
    }

    /// Whether something in the store, and not elsewhere, is denied to this user.
    private static func deniesStore(_ error: any Error) -> Bool {
        guard let error = error as? FileError, error.isDenied,
            let options = try? StoreOptions.parse(StoreCompletion.storeOption(of: CommandLine.arguments))
        else { return false }
        return error.path.isWithin(options.path)
    }

    /// The parser's own error type is not public: it is known by its name.
    private static func isParserError(_ error: any Error) -> Bool {
        let name = String(reflecting: type(of: error))
        return name.hasPrefix("ArgumentParser.")
    }
}
