import Model
import SystemPackage

/// Why the host cannot start, or cannot continue an operation.
package enum HostError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No host has run in this folder.
    case noData(FilePath)
    /// Another host holds the lock of this folder.
    case dataInUse(FilePath)
    /// The named folder of questionnaires cannot be used.
    case unusableQuestionnaires(FilePath, reason: String)
    /// All published questionnaires are gone from their folder.
    case nothingPublished(FilePath, former: Int)
    /// A questionnaire that hosts on a bucket do not publish yet.
    case notInBucket(questionnaire: String, reason: String)
    /// Devices exchange through this bucket's prefix.
    case exchangePlace(String)
    /// The log of a bucket names what is not there, or says nothing that a host can read.
    case damagedLog(String, reason: String)
    /// A host has run at the target of a copy.
    case copyInUse(String)
    case copyIncomplete(String)
    /// The target of a copy has something else.
    case copyNotEmpty(String, file: String)
    /// The target of a copy is that of another place.
    case copyOfOther(String, from: String)
    case copyOntoItself(String)
    /// A file that was read back has other bytes than were written.
    case copyDiffers(String, file: String)
    /// A file was removed while the copy was made.
    case copySourceChanged(String, file: String)
    /// The folder to collect is this host's own, or contains it.
    case ownFolder(FilePath)
    case unusableToken(FilePath, reason: String)
    case invalidAddress(String)
    case cannotListen(HostAndPort, reason: String)
    /// A file of the data folder was not written by the host.
    case damaged(FilePath, reason: String)
    case shortenedMedia(String)
    /// No test has an id that begins so.
    case unknownTest(String)
    case ambiguousTest(String, count: Int)
    case cannotRate(test: String, RatingRefusal)
    /// Another mark came in between.
    case ratedMeanwhile(test: String)
    /// There is no such questionnaire, and no test of one.
    case unknownQuestionnaire(String)
    case unknownKey(String)
    /// A class list that is not used, with the lines that are wrong.
    case classList(String, reason: String)
    /// Another command changed the class lists since they were read.
    case peopleChanged
    case unknownPerson(String)
    case noPeople(group: String?)
    /// Beyond this machine, without a key and without the word that all may enter.
    case openToNetwork(HostAndPort, data: FilePath)

    /// A path as it was given: the slashes of a bucket's address are not those of a path.
    package static func shown(_ path: FilePath) -> String {
        let text = path.string
        guard let end = text.firstRange(of: ":/")?.upperBound, text.hasPrefix("s3"), !text[end...].hasPrefix("/") else {
            return text
        }
        return text[..<end] + "/" + text[end...]
    }

    /// What happened, then what to do.
    package var description: String {
        switch self {
        case .noData(let folder):
            "there are no tests of a host in \(Self.shown(folder)): name the folder that `quire host --data` was given"
        case .dataInUse(let folder):
            "another host is running on \(folder): stop it first, or name another folder with --data"
        case .unusableQuestionnaires(let folder, let reason):
            "the questionnaires in \(folder) cannot be read (\(reason)): name their folder with --questionnaires"
        case .nothingPublished(let folder, let former):
            "this host has published \(former) of its questionnaires, and none of them lies in \(folder): "
                + "name their folder with --questionnaires"
        case .notInBucket(let questionnaire, let reason):
            "the questionnaire in \(questionnaire) \(reason), which a host on a bucket cannot do yet: "
                + "take it out of the folder, or publish it with a host on a folder"
        case .exchangePlace(let place):
            "\(place) is where devices and a host exchange files: give hosts another prefix with --data"
        case .damagedLog(let place, let reason):
            "\(place) is damaged (\(reason)): a host needs all that hosts have written there; restore it from a copy"
        case .copyInUse(let place):
            "a host has run on \(place), which may have newer data than the copy: name a new place to copy to"
        case .copyIncomplete(let place):
            "\(place) is a copy that was not completed: repeat “quire host copy”, or the restore, first"
        case .copyNotEmpty(let place, let file):
            "\(place) has a “\(file)”, and is no unfinished copy: name an empty place to copy to"
        case .copyOfOther(let place, let other):
            "\(place) is a copy of \(other): name a new place to copy to"
        case .copyOntoItself(let place):
            "\(place) cannot be copied onto itself: name another place to copy to"
        case .copyDiffers(let place, let file):
            "\(place)/\(file) has other bytes than were written there: check that store, and copy once more"
        case .copySourceChanged(let place, let file):
            "\(place)/\(file) was removed while it was copied: copy once more"
        case .ownFolder(let folder):
            "\(Self.shown(folder)) is where this host keeps its own files: name another folder or prefix with --collect, such as a "
                + "folder on the stick"
        case .unusableToken(let file, let reason):
            "the token in \(file) cannot be used: \(reason)"
        case .invalidAddress(let text):
            "“\(text)” is not an address to listen on: write it like 127.0.0.1:8484 or [::1]:8484"
        case .cannotListen(let address, let reason):
            "cannot listen on \(address) (\(reason)): choose another address with --listen"
        case .damaged(let file, let reason):
            "\(file) is damaged (\(reason)): restore it from a backup, or move it away"
        case .shortenedMedia(let file):
            "\(file) was shortened while it was sent: the client asks for it again"
        case .unknownTest(let text):
            "no test has an id that begins with “\(text)”: see the ids with `quire host tests`"
        case .ambiguousTest(let text, let count):
            "\(count) tests have ids that begin with “\(text)”: write more of the id"
        case .cannotRate(let test, let reason):
            "test \(test) was not rated: \(reason)"
        case .ratedMeanwhile(let test):
            "test \(test) was rated by someone else meanwhile: look at the new rating, then rate it"
        case .unknownQuestionnaire(let id):
            "there is no questionnaire “\(id)” and no test of one: see the ids with `quire host questionnaires`"
        case .unknownKey(let id):
            "there is no key with the id “\(id)”: see the ids with `quire host keys list`"
        case .classList(let file, let reason):
            "\(file) was not imported, and nothing was changed: \(reason)"
        case .peopleChanged:
            "the people of this host were changed meanwhile, and nothing was imported: import the file again"
        case .unknownPerson(let id):
            "there is no person with the id “\(id)”: see the ids with `quire host people list`"
        case .noPeople(let group):
            (group.map { "no one of this host is in the group “\($0)”" } ?? "this host has no people")
                + ": import a class list with `quire host people import FILE.csv`"
        case .openToNetwork(let address, let data):
            "everyone who reaches \(address) could change questionnaires and read tests, since this host has no keys: "
                + "make keys with `quire host keys add --data \(Self.shown(data)) --role admin` and "
                + "`quire host keys add --data \(Self.shown(data)) --role taker`, or open it to everyone with --open"
        }
    }
}
