// What a program that tests itself with the product QuireTesting sees.
import Foundation
import Quire
import QuireTesting
import Testing

@Suite("A store in memory")
struct InMemoryTests {
    private let clock = ManualClock()
    private let remote: ScriptedRemote
    private let disk: MemoryFileSystem
    private let store: QuireStore

    init() async throws {
        remote = ScriptedRemote(clock: clock)
        for document in PreviewData.questionnaires() { try remote.publish(json: Array(document.utf8)) }
        disk = MemoryFileSystem(clock: clock)
        store = try QuireStore.inMemory(on: disk, clock: clock)
        _ = try await store.puller(remote).pull()
    }

    private func finished(_ id: String = "your-library") async throws -> TestID {
        let document = try await store.open(id: id, remote: remote)
        return try store.take(document, answers: ["visits": .one("Every week")], isFinished: true).record.id
    }

    @Test("a second store on the same memory sees everything, and one on other memory nothing")
    func shared() async throws {
        let test = try await finished()
        let other = try QuireStore.inMemory(on: disk, clock: clock)
        #expect(try other.tests().map(\.item.id) == [test])
        #expect(try other.library().count == 3)
        #expect(try QuireStore.inMemory(clock: clock).library().isEmpty)
        // The settings are those of the first.
        #expect(other.settings == store.settings && other.settings.remote == ScriptedRemote.origin)
        #expect(try !other.hasOtherSettings())
        #expect(try store.examine(repairing: false).isEmpty)
    }

    @Test("one sweeper at a time, and a lock is free when its holder is done")
    func locks() async throws {
        _ = try await finished()
        let other = try QuireStore.inMemory(on: disk, clock: clock)
        let watcher = try #require(try store.automaticSync.becomeWatcher())
        #expect(try other.automaticSync.becomeWatcher() == nil)
        watcher.release()
        #expect(try other.automaticSync.becomeWatcher() != nil)
    }

    @Test("queries follow what another store on the same memory does")
    func live() async throws {
        let other = try QuireStore.inMemory(on: disk, clock: clock)
        let done = TestStatus.done
        var waiting = other.liveTests(matching: #Predicate { $0.item.status == done }).makeAsyncIterator()
        var library = other.liveLibrary().makeAsyncIterator()
        #expect(try await waiting.next()?.isEmpty == true)
        #expect(try await library.next()?.count == 3)
        let test = try await finished()
        #expect(try await waiting.next()?.map(\.item.id) == [test])
        _ = try await store.sweeper(remote).sweep()
        #expect(try await waiting.next()?.isEmpty == true)
        remote.withdraw("birds-at-the-feeder")
        _ = try await store.puller(remote).pull()
        #expect(try await library.next()?.count == 2)
    }

    @Test("what many tasks save at once is all there, each once")
    func manyAtOnce() async throws {
        let document = try await store.open(id: "your-library", remote: remote)
        try await withThrowingTaskGroup { group in
            for _ in 0..<20 {
                group.addTask {
                    let store = try QuireStore.inMemory(on: disk, clock: clock)
                    _ = try store.take(document, answers: ["visits": .one("Every month")], isFinished: true)
                }
            }
            try await group.waitForAll()
        }
        #expect(try store.tests(status: .done).count == 20)
        #expect(try await store.sweeper(remote).sweep().sent.count == 20)
        #expect(remote.tests.count == 20)
    }

    @Test("offline everything waits, and is sent once when the network is back")
    func offline() async throws {
        remote.set(.offline)
        let test = try await finished()
        #expect(try await store.sweeper(remote).sweep().sent.isEmpty)
        #expect(try store.outbox.find(test)?.status == .done)
        remote.set(.online)
        clock.advance(by: .seconds(3600))
        #expect(try await store.sweeper(remote).sweep().sent == [test])
        #expect(remote.arrivals == [test])
    }

    @Test("a slow remote answers when its time has passed on the clock")
    func slow() async throws {
        let remote = remote
        remote.set(.slow(.seconds(30)))
        async let reply = remote.get(remote.listURL, fields: [:], maximumBytes: 1 << 20)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(29))
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(1))
        #expect(try await reply.status == 200)
    }

    @Test("what a failing remote refuses for now is kept, and a lost reply sends nothing twice")
    func failing() async throws {
        let test = try await finished()
        remote.set(.failing(status: 503))
        #expect(try await store.sweeper(remote).sweep().sent.isEmpty)
        clock.advance(by: .seconds(86_400))
        remote.respond { $0.isPut ? .cutAfterStoring : nil }
        #expect(try await store.sweeper(remote).sweep().sent.isEmpty && remote.tests.count == 1)
        clock.advance(by: .seconds(86_400))
        remote.set(.online)
        _ = try await store.sweeper(remote).sweep()
        #expect(try store.outbox.find(test)?.status == .sent && remote.arrivals == [test])
    }

    @Test("the sample questionnaires can be published, and no key leaves the remote", arguments: Language.allCases)
    func samples(_ language: Language) async throws {
        let (store, remote) = try await PreviewData.store(language)
        let library = try store.library()
        #expect(library.count == 3 && library.allSatisfy { !$0.title.isEmpty })
        for item in library {
            let document = try await store.open(id: item.id, remote: remote)
            #expect(!String(decoding: document.bytes, as: UTF8.self).contains("nswerKey"))
        }
        let isRussian = library.allSatisfy { item in
            item.title.unicodeScalars.contains { (0x400...0x4FF).contains($0.value) }
        }
        #expect(isRussian == (language == .russian))
        #expect(try store.tests().map(\.item.status) == [.inProgress, .rated, .done])
        #expect(try store.tests().compactMap(\.receipt?.evaluation).count == 1)
        #expect(try store.examine(repairing: false).isEmpty)
        #expect(throws: DocumentFault.self) { try remote.publish(json: Array("{}".utf8)) }
    }
}
