import Foundation
import Model
import Synchronization
import SystemPackage
import Testing

@testable import Host

/// A folder is collected while the host runs: both write the same files.
@Suite("Two processes of one host")
struct TwoProcessesTests {
    private func archive(_ fixture: HostFixture) throws -> QuestionnaireArchive {
        let tests = try ReferenceHost.makeArchive(
            fixture.configuration(), clock: fixture.clock, logger: HostFixture.silence)
        let archive = QuestionnaireArchive(fileSystem: tests.fileSystem, catalog: tests.catalog, clock: fixture.clock)
        try archive.recover()
        return archive
    }

    private func write(
        _ action: ChangeAction, _ id: String, _ title: String, base: QuestionnaireWrite.Base
    ) -> QuestionnaireWrite {
        QuestionnaireWrite(
            change: .random(), action: action, questionnaire: id, base: base,
            document: Array(questionnaireJSON(id: id, title: title).utf8))
    }

    private func published(_ outcome: QuestionnaireArchive.Outcome) throws -> Publication? {
        guard case .stored(let receipt) = outcome else { return nil }
        return try DocumentCoding.decode(Receipt.self, from: receipt).published
    }

    @Test("of two edits of one version at the same moment one is carried out, and the other one hears of it")
    func edits() async throws {
        let fixture = try HostFixture()
        let archives = try [archive(fixture), archive(fixture)]
        let id = TestID.random().description
        var current = try #require(try published(try archives[0].carryOut(write(.create, id, "None", base: .none))))
        for round in 0..<10 {
            let base = QuestionnaireWrite.Base.versions([try #require(current.digest).hex])
            let edits = (0..<2).map { write(.edit, id, "\(round) of \($0)", base: base) }
            let outcomes = await withTaskGroup(of: QuestionnaireArchive.Outcome?.self) { group in
                for (archive, edit) in zip(archives, edits) { group.addTask { try? archive.carryOut(edit) } }
                return await group.reduce(into: [QuestionnaireArchive.Outcome]()) { all, one in
                    if let one { all.append(one) }
                }
            }
            #expect(outcomes.count == 2)
            let stored = try outcomes.compactMap { try published($0) }
            #expect(stored.count == 1)
            current = try #require(stored.first)
            let told = outcomes.compactMap { if case .mismatch(let current) = $0 { current } else { nil } }
            #expect(told == [current])
        }
        // Ten versions took the place of another one, and none is lost.
        #expect(try fixture.names(fixture.data.appending("former")).count == 10)
    }

    @Test("each numbers on from what the other has numbered, and neither takes what is new for deleted")
    func numbers() throws {
        let fixture = try HostFixture()
        let archives = try [archive(fixture), archive(fixture)]
        var numbers: [Int] = []
        for round in 0..<6 {
            let id = TestID.random().description
            let made = try archives[round % 2].carryOut(write(.create, id, "Made", base: .none))
            numbers.append(try #require(try published(made)?.sequence))
            if round == 3 {
                let delete = QuestionnaireWrite(
                    change: .random(), action: .delete, questionnaire: id, base: .any, document: nil)
                let gone = try #require(try published(try archives[0].carryOut(delete)))
                #expect(gone.deleted == true)
                numbers.append(try #require(gone.sequence))
                // The other one knows that it was there.
                let late = try archives[1].carryOut(write(.edit, id, "Late", base: .versions(["old"])))
                #expect(late == .mismatch(gone))
            }
        }
        #expect(numbers == Array(1...7))
    }
}
