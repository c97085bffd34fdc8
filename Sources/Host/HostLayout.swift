import AuthorDrafts
import Model
import SystemPackage

/// The names of the host's files. They are built and parsed here and nowhere else.
///
///     DATA/lock                           held by the running host
///     DATA/rating.lock                    held while a teacher's rating is written
///     DATA/comments/<key>/<id>.json       comments that a marker keeps for a questionnaire, by the id of their key
///     DATA/comments/everyone/<id>.json    comments for everyone who marks
///     DATA/comments/open/<id>.json        comments of a host that asks for no key
///     DATA/comments.lock                  held while they are changed
///     DATA/changes.lock                   held while a change of a questionnaire is carried out
///     DATA/register.lock                  held while a change is numbered
///     DATA/tests/<uuid>.test.json         a test, byte for byte as it arrived
///     DATA/receipts/<uuid>.receipt.json   what the host says about it
///     DATA/receipts/<uuid>/<n>.json       what it said before: the versions that a mark replaced, from 1
///     DATA/questionnaires/*.json          what it publishes, unless another folder was named
///     DATA/questionnaires/media/          files that it shows; those that devices sent have their SHA-256 as name
///     DATA/register.json                  the number of the last change of each questionnaire
///     DATA/former/<id>-<sha256>.json      versions whose place another took, or that were deleted
///     DATA/published.json                 which version of each file of questionnaires was published last
///     DATA/published/<id>-<sha256>.json   the versions that were published, with their keys
///     DATA/publications/<id>-<sha256>.json  who published a version on the desk, and when
///     DATA/drafts.lock                    held while a draft is saved, published or removed
///     DATA/drafts/<uuid>/<n>.json         the states of a questionnaire that an author is writing; the greatest n counts
///     DATA/drafts/<uuid>/media/           pictures and sounds of a draft, named by their SHA-256
///     DATA/favorites/<person>/<id>.json   favourites, by whose token came with them
///     DATA/media/<sha256>                 files that belong to tests
///     DATA/uploads/<uuid>.json, .part     those that are on their way: how far, and what came
///     DATA/uploads/<uuid>.<n>.whole       one that has arrived, while its digest is compared
///     DATA/access/<id>.json               keys, by their digests
///     DATA/access/<id>.revoked.json       that a key was revoked, and when
///     DATA/owners/<uuid>.json             the person whose key delivered a test
///     DATA/people/list.json               the class lists
///     DATA/people.lock                    held while they are changed
///     DATA/started.json                   that a program with people and keys was started here
///     DATA/attempts.lock                  held while a test is stored of which each person may hand in so many
///     DATA/tmp/                           files that are being written
///     DATA/progress/<digest>.….json       which tests are open on a device or at a hub, as it reports; may be deleted at any moment
///     DATA/index/tests.pb                 derived: what lists show of each test; may be deleted at any moment
///
/// In a bucket that hosts share there are no locks, and what is replaced has versions, of which the greatest number counts:
///
///     tests/<uuid>.test.json              a test, byte for byte as it arrived
///     receipts/<uuid>.receipt.json/<n>    what the hosts say about it
///     attempts/<id>/<person>/<uuid>       that a test is of this questionnaire and person
///     attempts/<id>/<person>/log/<n>      their order, where their number is limited
///     changes/<n>                         the changes of what is published, numbered from 1
///     contents/<sha256>                   files of questionnaires, with their keys, and of their media
///     uploads/<uuid>/record/<n>           files of tests that are on their way: what is expected
///     uploads/<uuid>/<folder>/<offset>    what came, in pieces
///     drafts/<uuid>/<n>                   the states of a questionnaire that an author is writing; an empty one is the end
///     drafts/<uuid>/media/                pictures and sounds of a draft, named by their SHA-256
///     sessions/<digest>.json              log-ins at the desk, by the SHA-256 of the secret that the browser has
///     access/, owners/, favorites/, media/, progress/, publications/    as above
enum HostLayout {
    static let lock: FilePath = "lock"
    static let ratingLock: FilePath = "rating.lock"
    static let changesLock: FilePath = "changes.lock"
    static let registerLock: FilePath = "register.lock"
    static let publishedLock: FilePath = "published.lock"
    static let temporary: FilePath = "tmp"
    static let tests: FilePath = "tests"
    static let receipts: FilePath = "receipts"
    static let questionnaires: FilePath = "questionnaires"
    static let register: FilePath = "register.json"
    static let former: FilePath = "former"
    static let published: FilePath = "published"
    static let publishedFiles: FilePath = "published.json"
    static let publications: FilePath = "publications"
    static let comments: FilePath = "comments"
    static let commentsLock: FilePath = "comments.lock"
    static let draftsLock: FilePath = "drafts.lock"
    static let drafts = DraftLayout(folder: "drafts", lock: draftsLock, temporary: temporary)
    static let favorites: FilePath = "favorites"
    static let media: FilePath = "media"
    static let uploads: FilePath = "uploads"
    static let access: FilePath = "access"
    static let owners: FilePath = "owners"
    static let peopleList: FilePath = "people/list.json"
    static let peopleLock: FilePath = "people.lock"
    static let attemptsLock: FilePath = "attempts.lock"
    static let started: FilePath = "started.json"
    static let index: FilePath = "index"
    static let testIndex: FilePath = "index/tests.pb"
    static let attempts: FilePath = "attempts"
    static let contents: FilePath = "contents"
    static let progress: FilePath = "progress"
    static let sessions: FilePath = "sessions"
    /// Where a store proves itself, and shows its time.
    static let proof: FilePath = "proof"
    static let changes: FilePath = "changes"

    /// Folders whose files refer to those of the others, each to the next ones: a receipt has its test, a test its files.
    static let referringFolders = [receipts, tests].map(\.string)

    /// Names in DATA of locks, of files that are being written or received, and of what is derived.
    static let transientNames: Set<String> = Set(
        [
            lock, ratingLock, changesLock, registerLock, publishedLock, draftsLock, commentsLock, peopleLock,
            attemptsLock,
            temporary, uploads, index, progress, sessions,
        ].map(\.string))

    /// The file of a test's attachment, by its digest.
    static func mediaFile(_ digest: Digest) -> FilePath { media.appending(name: digest.hex) }

    /// The file of a questionnaire that a device made; its id has no other letters than these.
    static func questionnaireFile(id: String) -> String { id + questionnaireSuffix }

    /// Where a version is kept whose place another one takes.
    static func formerVersion(of id: String, _ digest: Digest) -> FilePath {
        former.appending(name: nameStem(id) + "-" + digest.hex + questionnaireSuffix)
    }

    /// Where a version is kept that was published.
    ///
    /// - Parameter digest: SHA-256 of the sent content, which devices name in their tests.
    static func publishedVersion(of id: String, _ digest: Digest) -> FilePath {
        published.appending(name: nameStem(id) + "-" + digest.hex + questionnaireSuffix)
    }

    /// Who published a version.
    ///
    /// - Parameter digest: SHA-256 of its file, the key included.
    static func publication(of id: String, _ digest: Digest) -> FilePath {
        publications.appending(name: nameStem(id) + "-" + digest.hex + questionnaireSuffix)
    }

    /// Whether a file is a version of a questionnaire, or about one.
    static func isVersion(fileName name: String, of id: String) -> Bool { digest(ofVersion: name, of: id) != nil }

    /// The digest in the name of a file of a version; `nil` for a name of anything else.
    static func digest(ofVersion name: String, of id: String) -> Digest? {
        let start = nameStem(id) + "-"
        guard name.hasPrefix(start), name.hasSuffix(questionnaireSuffix) else { return nil }
        return Digest(hex: name.dropFirst(start.count).dropLast(questionnaireSuffix.count))
    }

    static func comments(of owner: SavedComment.Owner) -> FilePath {
        switch owner {
        // No id of a key is such a word.
        case .everyone: comments.appending(name: "everyone")
        case .marker(nil): comments.appending(name: "open")
        case .marker(let key?): comments.appending(name: nameStem(key))
        }
    }

    static func comments(of owner: SavedComment.Owner, questionnaire id: String) -> FilePath {
        comments(of: owner).appending(name: nameStem(id) + questionnaireSuffix)
    }

    static func favorites(of person: String) -> FilePath { favorites.appending(name: person) }

    static func favorite(_ id: String, of person: String) -> FilePath {
        favorites(of: person).appending(name: nameStem(id) + questionnaireSuffix)
    }

    static func key(_ id: String) -> FilePath { access.appending(name: id + questionnaireSuffix) }

    static func revocation(ofKey id: String) -> FilePath { access.appending(name: id + ".revoked.json") }

    /// The key that a file of the keys' folder holds; `nil` for a name of anything else.
    static func keyID(ofFile name: String) -> String? {
        guard name.hasSuffix(questionnaireSuffix) else { return nil }
        let id = String(name.dropLast(questionnaireSuffix.count))
        return AccessKey.isID(id) ? id : nil
    }

    /// The tests of a person of a questionnaire, in a bucket: a name for each.
    static func attempts(of person: String, in questionnaire: String) -> FilePath {
        attempts.appending(name: nameStem(questionnaire)).appending(name: nameStem(person))
    }

    /// The order of those tests where their number is limited; it has versions.
    static func attemptLog(of person: String, in questionnaire: String) -> FilePath {
        attempts(of: person, in: questionnaire).appending(name: "log")
    }

    /// Content of questionnaires and of their media in a bucket, by its SHA-256.
    static func content(_ digest: Digest) -> FilePath { contents.appending(name: digest.hex) }

    /// All that there is of an upload, in a bucket.
    static func upload(_ id: TestID) -> FilePath { uploads.appending(name: id.description) }

    static let uploadRecordName = "record"

    /// Describes an upload; replaced as it goes on.
    static func uploadRecord(_ id: TestID) -> FilePath { upload(id).appending(name: uploadRecordName) }

    static func owner(of test: TestID) -> FilePath { owners.appending(name: test.description + questionnaireSuffix) }

    /// An id as a part of a file name: safe, readable, bounded.
    private static func nameStem(_ id: String) -> String {
        // The escapes of a name must not be those of a path.
        let encoded = PercentEncoding.encode(id).map { $0 == "." ? "%2E" : String($0) }.joined()
        return encoded.utf8.count <= 150 ? encoded : encoded.prefix(80) + "~" + Digest(sha256Of: id.utf8).hex
    }

    private static let testSuffix = ".test.json"
    private static let receiptSuffix = ".receipt.json"
    private static let questionnaireSuffix = ".json"

    static func test(_ id: TestID) -> FilePath { tests.appending(name: testName(id)) }

    static func receipt(_ id: TestID) -> FilePath { receipts.appending(name: receiptName(id)) }

    /// The name in its folder: of a hundred thousand files no path is made.
    static func testName(_ id: TestID) -> String { id.description + testSuffix }

    static func receiptName(_ id: TestID) -> String { id.description + receiptSuffix }

    static func formerReceipts(of id: TestID) -> FilePath { receipts.appending(name: id.description) }

    static func formerReceipt(_ number: Int, of id: TestID) -> FilePath {
        formerReceipts(of: id).appending(name: "\(number)" + questionnaireSuffix)
    }

    /// The number of a former version; `nil` for a name that the host does not give.
    static func receiptNumber(ofFile name: String) -> Int? {
        guard name.hasSuffix(questionnaireSuffix) else { return nil }
        let stem = name.dropLast(questionnaireSuffix.count)
        guard let number = Int(place: stem), number > 0, String(number) == stem else { return nil }
        return number
    }

    /// The test that a file of the tests' folder holds; `nil` for a name that the host does not give.
    static func testID(ofFile name: String) -> TestID? {
        guard name.hasSuffix(testSuffix) else { return nil }
        let stem = name.dropLast(testSuffix.count)
        // Only the name in lowercase: a second spelling would be a second file of one test.
        guard let id = TestID(stem), id.description == stem else { return nil }
        return id
    }

    /// The test, or the change, that a file of the receipts' folder is about; `nil` for a name that the host does not give.
    static func receiptID(ofFile name: String) -> TestID? {
        guard name.hasSuffix(receiptSuffix) else { return nil }
        let stem = name.dropLast(receiptSuffix.count)
        guard let id = TestID(stem), id.description == stem else { return nil }
        return id
    }

    /// Whether a file directly in the folder of questionnaires is one. A hidden file is not: editors and copying
    /// programs keep their half-written files under such names.
    static func isQuestionnaire(fileName name: String) -> Bool {
        name.hasSuffix(questionnaireSuffix) && !name.hasPrefix(".")
    }

    /// Whether a name could be a questionnaire's on a case-insensitive file system.
    static func mayBeQuestionnaire(fileName name: String) -> Bool { name.lowercased().hasSuffix(questionnaireSuffix) }
}

/// The names in DATA that a backup must know.
extension HostConfiguration {
    package static var transientNames: Set<String> { HostLayout.transientNames }
    package static var referringFolders: [String] { HostLayout.referringFolders }
    package static var lockFile: FilePath { HostLayout.lock }
    package static var temporaryFolder: FilePath { HostLayout.temporary }
}
