import Disk
import Foundation
import Hummingbird
import HummingbirdTesting
import InMemory
import Model
import ObjectStores
import SystemPackage
import Testing

@testable import Host

/// A host's data at another place.
@Suite("A host's data copied to another place")
struct HostCopyTests {
    private let fixture: HostFixture
    private let store: MemoryObjectStore

    init() throws {
        fixture = try HostFixture()
        store = MemoryObjectStore(clock: fixture.clock)
        try fixture.makeFolder(fixture.data.appending("questionnaires/media"))
    }

    private func folder(_ name: String) -> HostConfiguration {
        HostConfiguration(data: fixture.root.appending(name), listen: HostAndPort(host: "127.0.0.1", port: 0))
    }

    private func bucket(_ store: any ObjectStore) -> HostConfiguration {
        var configuration = folder("none")
        configuration.bucket = store
        return configuration
    }

    private func copy(_ from: HostConfiguration, _ to: HostConfiguration) async throws -> HostCopy.Report {
        try await HostCopy(from: from, to: to, clock: fixture.clock, logger: HostFixture.silence).run()
    }

    private func host<Value: Sendable>(
        _ configuration: HostConfiguration, _ body: @Sendable (any TestClientProtocol) async throws -> Value
    ) async throws -> Value {
        try await fixture.serve(configuration, .memory, body)
    }

    private func write(_ text: String, to path: String) throws {
        let place = fixture.data.appending(path)
        try fixture.makeFolder(place.removingLastComponent())
        try Data(text.utf8).write(to: URL(filePath: place.string))
    }

    /// Every file by its path, with its bytes.
    private func files(_ configuration: HostConfiguration) throws -> [String: Data] {
        let root = configuration.data.string
        var files: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: root) {
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: root + "/" + path, isDirectory: &isFolder)
            if isFolder.boolValue || path.hasSuffix("lock") || path.hasPrefix("tmp") || CopyNames.isOfCopy(path) {
                continue
            }
            files[path] = try Data(contentsOf: URL(filePath: root + "/" + path))
        }
        return files
    }

    private static let photo: [UInt8] = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 91) }

    private static func test(_ version: String, of person: String? = nil) throws -> TestFile {
        var record = TestRecord(
            id: .random(),
            questionnaire: QuestionnaireReference(id: "colours", title: "C", digest: Digest(sha256Of: version.utf8)),
            dateStarted: ManualClock.start, dateFinished: ManualClock.start,
            answers: [Answer(questionId: "sky", value: .one("Blue"))],
            attachments: person == nil
                ? []
                : [
                    Attachment(
                        id: .random(), questionId: "essay", name: "1.png", mediaType: "image/png",
                        sizeBytes: Int64(photo.count), digest: Digest(sha256Of: photo))
                ], deviceId: "device", sequence: 1)
        record.person = person.map { Person(id: $0, name: $0) }
        return TestFile(id: record.id, bytes: try DocumentCoding.encode(record))
    }

    /// A host in a folder with something of everything: marks, files, keys, people, drafts, two versions.
    private func fill() async throws -> [TestFile] {
        let data = fixture.data
        try write(coloursJSON, to: "questionnaires/colours.json")
        try write("not quite a picture", to: "questionnaires/media/sky.png")
        try write("a picture that nothing names", to: "questionnaires/media/other.png")
        try write("{ this is no questionnaire", to: "questionnaires/broken.json")
        let draft = TestID.random()
        try write(#"{"number": 9}"#, to: "drafts/\(draft)/9.json")
        try write(#"{"number": 10}"#, to: "drafts/\(draft)/10.json")
        try write("a picture", to: "drafts/\(draft)/\(ContentPath(Digest(sha256Of: []), mediaType: "image/png"))")
        try write("of the author", to: "drafts/\(draft)/notes.txt")
        try write(#"{"by": "Ada"}"#, to: "publications/colours-\(Digest(sha256Of: []).hex).json")
        let edited = coloursPublished.replacing("Four questions", with: "Twenty questions")
        let tests = [try Self.test(coloursPublished, of: "ada"), try Self.test(edited)]
        try await host(folder("data")) { host in
            #expect(try await host.deliver(tests[0]).status == .created)
            let record = try DocumentCoding.decode(TestRecord.self, from: tests[0].bytes)
            let sent = try await host.put("/v1/tests/\(tests[0].id)/media/\(record.attachments[0].id)", Self.photo)
            #expect(sent.status == .created, "\(sent.text)")
        }
        try write(coloursJSON.replacing("Four questions", with: "Twenty questions"), to: "questionnaires/colours.json")
        try await host(folder("data")) { host in
            let reply = try await host.deliver(tests[1])
            #expect(reply.status == .created)
        }
        try await offload {
            let archive = try ReferenceHost.openArchive(
                folder("data"), clock: fixture.clock, logger: HostFixture.silence)
            for points in [1.0, 0] {
                let verdict = TeacherRating.Verdict.points(question: "essay", points, maximum: 1)
                _ = try archive.ratings.rate(tests[0].id, TeacherRating(verdict: verdict, ratedBy: "teacher"))
            }
            let keys = try KeyStore(making: data, clock: fixture.clock)
            let (key, _) = try keys.add(.teacher)
            _ = try keys.add(.taker, person: "ada")
            try keys.revoke(key.id)
            try PeopleStore(keys: keys).setTypedNames(true)
        }
        return tests
    }

    @Test("to a bucket and back every file is byte for byte what it was, and hosts at each place answer the same")
    func thereAndBack() async throws {
        let tests = try await fill()
        let first = try await copy(folder("data"), bucket(store))
        #expect(first.copied > 10 && first.known == 0 && first.removed == 0)
        // A repetition reads all of it again, and writes nothing.
        let names = try await store.list(prefix: "", after: nil, limit: 1000).map(\.name)
        let again = try await copy(folder("data"), bucket(store))
        #expect(again.copied == 0 && again.removed == 0 && again.known == first.copied)
        #expect(try await store.list(prefix: "", after: nil, limit: 1000).map(\.name) == names)

        _ = try await copy(bucket(store), folder("back"))
        let (before, after) = (try files(folder("data")), try files(folder("back")))
        #expect(Set(before.keys) == Set(after.keys))
        for (path, bytes) in before { #expect(after[path] == bytes, "\(path)") }

        let keys = try await offload { try KeyStore(making: fixture.root.appending("back")).add(.teacher) }
        try await offload {
            // The keys of the folder open the bucket as well; this one is made for the test.
            let bytes = try DocumentCoding.encode(keys.key)
            _ = try HostBucket(store).putIfAbsent(bytes, as: HostLayout.key(keys.key.id))
            _ = try HostFolder(POSIXFileSystem(root: fixture.data)).putIfAbsent(bytes, as: HostLayout.key(keys.key.id))
        }
        var replies: [[[UInt8]]] = []
        for place in [folder("data"), bucket(store), folder("back")] {
            replies.append(
                try await host(place) { host in
                    let record = try DocumentCoding.decode(TestRecord.self, from: tests[0].bytes)
                    var bytes: [[UInt8]] = []
                    for uri in [
                        "tests", "tests/\(tests[0].id)", "tests/\(tests[1].id)", "questionnaires/colours",
                        "questionnaires/media/sky.png", "tests/\(tests[0].id)/media/\(record.attachments[0].id)",
                    ] {
                        let reply = try await host.get("/v1/" + uri, [.authorization: "Bearer \(keys.text)"])
                        #expect(reply.status == .ok, "\(uri): \(reply.text)")
                        bytes.append(reply.bytes)
                    }
                    // A former version is rated by its own key wherever it arrives.
                    let late = try Self.test(coloursPublished)
                    let reply = try await host.put(
                        "/v1/tests/\(late.id)", late.bytes, [.authorization: "Bearer \(keys.text)"])
                    #expect(reply.text.contains("\"correct\""), "\(reply.text)")
                    return bytes
                })
        }
        #expect(replies[0] == replies[1] && replies[1] == replies[2])
    }

    @Test("what came after the first copy is in the next one, and what went is gone from it")
    func catchingUp() async throws {
        let tests = try await fill()
        let favourite = "favorites/anyone/colours.json"
        try write("{}", to: favourite)
        _ = try await copy(folder("data"), bucket(store))
        try fixture.remove(fixture.data.appending(favourite))
        try write(coloursJSON.replacing("Four questions", with: "Six questions"), to: "questionnaires/colours.json")
        let late = try Self.test(coloursPublished, of: "bob")
        try await offload {
            let archive = try ReferenceHost.openArchive(
                folder("data"), clock: fixture.clock, logger: HostFixture.silence)
            _ = try archive.ratings.rate(
                tests[1].id,
                TeacherRating(verdict: .points(question: "essay", 1, maximum: 1), ratedBy: "teacher"))
            _ = try archive.store(try TestSubmission(late.bytes, id: late.id))
            _ = try KeyStore(making: fixture.data, clock: fixture.clock).add(.admin)
        }
        let report = try await copy(folder("data"), bucket(store))
        #expect(report.copied > 0 && report.removed == 1)
        _ = try await copy(bucket(store), folder("back"))
        var (before, after) = (try files(folder("data")), try files(folder("back")))
        // The folder's host has not published the edit yet; the bucket has.
        for path in Set(before.keys).symmetricDifference(after.keys) {
            #expect(path.hasPrefix("published/colours-"), "\(path)")
            (before[path], after[path]) = (nil, nil)
        }
        for (path, bytes) in before { #expect(after[path] == bytes, "\(path)") }
    }

    /// A store that fails from some write on.
    private func failing(_ store: MemoryObjectStore, after calls: Int) -> WatchedStore {
        let rest = Counter(calls)
        return WatchedStore(store, place: "another") { (call) throws(ObjectStoreError) in
            switch call {
            case .put, .delete: if rest.next() < 0 { throw ObjectStoreError(.refused, "killed") }
            default: break
            }
        }
    }

    @Test("no host starts on a copy that was broken off, and it is copied on from none")
    func half() async throws {
        _ = try await fill()
        var (store, calls) = (store, 0)
        // The proof of the store comes before the copy.
        while try await store.list(prefix: "tests/", after: nil, limit: 1).isEmpty {
            store = MemoryObjectStore(clock: fixture.clock)
            calls += 1
            _ = try? await copy(folder("data"), bucket(failing(store, after: calls)))
        }
        let begun = bucket(store)
        await #expect(throws: HostError.copyIncomplete(HostError.shown(begun.data))) {
            _ = try await copy(begun, folder("on"))
        }
        await #expect(throws: HostError.copyIncomplete(store.place)) {
            _ = try await host(begun) { _ in true }
        }
        _ = try await copy(folder("data"), begun)
        #expect(try await host(begun) { _ in true })
        await #expect(throws: HostError.copyInUse(HostError.shown(begun.data))) {
            _ = try await copy(folder("data"), begun)
        }
    }

    @Test("a key that was revoked at the copy stays revoked when what came since is copied")
    func revoked() async throws {
        _ = try await fill()
        _ = try await copy(folder("data"), folder("other"))
        let other = fixture.root.appending("other")
        let keys = try KeyStore(making: other, clock: fixture.clock)
        let id = try #require(try keys.all().entries.first { $0.revoked == nil }?.key.id)
        try keys.revoke(id)
        _ = try await copy(folder("data"), folder("other"))
        let after = try KeyStore(making: other, clock: fixture.clock).all().entries
        #expect(after.first { $0.key.id == id }?.revoked != nil)
    }

    @Test("a copy that ends at any call is completed by the next one")
    func interrupted() async throws {
        _ = try await fill()
        var calls = 0
        var isWhole = false
        while !isWhole {
            calls += 23
            let store = MemoryObjectStore(clock: fixture.clock)
            do {
                _ = try await copy(folder("data"), bucket(failing(store, after: calls)))
                isWhole = true
            } catch {
                _ = try await copy(folder("data"), bucket(store))
            }
            let name = "back\(calls)"
            _ = try await copy(bucket(store), folder(name))
            let (before, after) = (try files(folder("data")), try files(folder(name)))
            #expect(before == after, "after \(calls) calls")
        }
        #expect(calls > 69)
    }

    @Test("between two of a kind every file is the same, with its time in a folder")
    func same() async throws {
        let tests = try await fill()
        _ = try await copy(folder("data"), folder("other"))
        #expect(try files(folder("data")) == files(folder("other")))
        let times = try ["data", "other"].map { name in
            let path = fixture.root.appending(name).appending("tests/\(tests[0].id).test.json").string
            return try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
        }
        #expect(times[0] != nil && times[0] == times[1])
        _ = try await copy(folder("data"), bucket(store))
        let second = MemoryObjectStore(clock: fixture.clock)
        _ = try await copy(bucket(store), bucket(failing(second, after: .max)))
        let names = try await [store, second].concurrentNames()
        #expect(names[0] == names[1])
    }

    @Test("a place with other files, or where a host has run, is no target, and stays as it is")
    func refused() async throws {
        _ = try await fill()
        _ = try await store.putIfAbsent(try #require(ObjectName("something")), [1])
        await #expect(throws: HostError.copyNotEmpty(fixture.root.appending("none").string, file: "something")) {
            try await copy(folder("data"), bucket(store))
        }
        #expect(try await store.list(prefix: "", after: nil, limit: 10).map(\.name.text) == ["something"])
        let used = MemoryObjectStore(clock: fixture.clock)
        _ = try await copy(folder("data"), bucket(used))
        try await host(bucket(used)) { _ in }
        await #expect(throws: HostError.copyInUse(fixture.root.appending("none").string)) {
            try await copy(folder("data"), bucket(used))
        }
        _ = try await copy(folder("data"), folder("other"))
        await #expect(throws: HostError.self) { try await copy(bucket(used), folder("other")) }
        await #expect(throws: HostError.copyOntoItself(fixture.data.string)) {
            try await copy(folder("data"), folder("data"))
        }
        await #expect(throws: HostError.noData(fixture.root.appending("nowhere"))) {
            try await copy(folder("nowhere"), folder("third"))
        }
        #expect(!FileManager.default.fileExists(atPath: fixture.root.appending("third").string))
    }
}

extension Array where Element == MemoryObjectStore {
    fileprivate func concurrentNames() async throws -> [[String]] {
        var names: [[String]] = []
        for store in self { names.append(try await store.list(prefix: "", after: nil, limit: 1000).map(\.name.text)) }
        return names
    }
}
