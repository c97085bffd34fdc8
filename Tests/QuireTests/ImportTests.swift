// Nothing else of this package: what an app sees that has the product alone.
import Foundation
import Quire
import Testing

@Suite("What an app sees that imports Quire")
struct ImportTests {
    /// A remote of the app's own can be written, and its failures, replies and fields named.
    private struct OwnRemote: Remote {
        let listURL = "https://example.org/v1/questionnaires"

        func documentURL(id: String) -> String { listURL + "/" + id }
        func presence() -> Presence { .away("no network here") }
        func get(
            _ url: String, fields: HTTPFields, maximumBytes: Int
        ) async throws(RemoteFailure) -> RemoteReply { throw RemoteFailure(.unreachable, "no network here") }
        func put(_ test: TestID, bytes: [UInt8], digest: Digest) async throws(RemoteFailure) -> RemoteReply {
            throw RemoteFailure(.unreachable, "no network here")
        }
        func send(_ delivery: ChangeDelivery) async throws(RemoteFailure) -> RemoteReply {
            throw RemoteFailure(.unreachable, "no network here")
        }
        func receipts(of tests: [TestID]) async throws(RemoteFailure) -> RemoteReply {
            throw RemoteFailure(.unreachable, "no network here")
        }
    }

    @Test("all that the library's calls take, give and throw has a name")
    func names() throws {
        let named: [Any.Type] = [
            (any FileSystem).self, POSIXFileSystem.self, FileError.self, SystemClock.self, (any StoreClock).self,
            OutboxError.self, OutboxItem.self, StoredTest.self, OutboxScan.self, CacheError.self, CatalogRecord.self,
            Cache.SearchScope.self, Puller.self, Sweeper.self, Sweeper.Report.self, JournalEvent.self, Journal.self,
            Presence.self, HTTPCache.self, HTTPReply.self, HTTPBody.self, HTTPRequest.self, HTTPFields.self,
            CachePolicy.self, CacheControlOverride.self, FilePath.self, Errno.self, QuireStore.TestLine.self,
        ]
        #expect(named.count == 28)
        #expect(OwnRemote().presence() == .away("no network here"))
    }

    @Test("an error says its sentence to those who ask for a localized one, too")
    func errors() {
        let errors: [any Error] = [
            StoreError.noStore("/no/such"), FileError("read", "/no/such", .ioError), OutboxError.sweeperIsRunning,
            RemoteFailure(.unreachable, "no network here"),
        ]
        for error in errors { #expect(error.localizedDescription == String(describing: error)) }
    }

    @Test("lines of both lists can be made up for a preview or a test")
    func previews() throws {
        let questionnaire = Questionnaire(
            id: "sky", title: "Sky", questions: [Question(id: "q1", text: "How many?", kind: .choice)])
        let hour = Timestamp(millisecondsSinceEpoch: 3_600_000)
        let item = LibraryItem(questionnaire, updated: .epoch, freshUntil: hour, isFavorite: true)
        #expect(item.id == "sky" && item.title == "Sky" && item.document.questionCount == 1 && item.isFavorite)
        #expect(item.freshness(now: .epoch) == .fresh)
        #expect(item.freshness(now: hour) == .stale(seconds: 3600))
        let line = QuireStore.TestLine(
            item: OutboxItem(id: .random(), status: .done),
            record: TestRecord(
                id: .random(),
                questionnaire: QuestionnaireReference(id: "sky", title: "Sky", digest: Digest(sha256Of: [1])),
                dateStarted: .epoch, deviceId: "tablet", sequence: 1))
        #expect(line.record?.questionnaire.title == "Sky" && line.keptAt == nil)
    }
}
