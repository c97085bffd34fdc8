import Testing
import Wording

@testable import Model

@Suite("The chain of a test's revisions")
struct RevisionChainTests {
    private let ids = (1...4).map { _ in TestID.random() }

    private func chain(_ place: Int, _ known: [Int: RevisionChain.Link]) -> RevisionChain {
        RevisionChain(of: ids[place], parent: known[place]?.parent) { id in ids.firstIndex(of: id).flatMap { known[$0] }
        }
    }

    @Test("a test without a parent is none; each revision names its number, the previous and the first one")
    func numbers() {
        let known: [Int: RevisionChain.Link] = [
            0: .init(parent: nil), 1: .init(parent: ids[0]), 2: .init(parent: ids[1]), 3: .init(parent: ids[0]),
        ]
        let first = chain(0, known)
        #expect(first.number == nil && first.mark(.english) == nil && first.words(.english) == nil)
        #expect(chain(1, known).mark(.english) == "revision 2")
        #expect(chain(1, known).words(.english) == "A revision of \(ids[0]) (revision 2).")
        let third = chain(2, known)
        #expect(third.earlier == [ids[0], ids[1]] && third.number == 3)
        #expect(
            third.words(.english) == "A revision of \(ids[1]) (revision 3); the first version is \(ids[0]).")
        #expect(third.mark(.russian) == "редакция 3")
        #expect(chain(3, known).number == 2, "two may revise one")
    }

    @Test("a draft that went on in a newer version is no version of its own")
    func drafts() {
        let known: [Int: RevisionChain.Link] = [
            0: .init(parent: nil), 1: .init(parent: ids[0], isDraft: true), 2: .init(parent: ids[1]),
        ]
        #expect(chain(2, known).earlier == [ids[0]])
        let alone: [Int: RevisionChain.Link] = [0: .init(parent: nil, isDraft: true), 1: .init(parent: ids[0])]
        #expect(chain(1, alone).words(.english) == nil)
    }

    @Test("nothing is said of what is not here, which may be a draft, and tests that name each other end")
    func hostile() {
        let gone: [Int: RevisionChain.Link] = [1: .init(parent: ids[0])]
        #expect(chain(1, gone).missing == ids[0] && chain(1, gone).mark(.english) == nil)
        #expect(chain(1, gone).words(.english) == nil)
        let ring: [Int: RevisionChain.Link] = [0: .init(parent: ids[1]), 1: .init(parent: ids[0])]
        #expect(chain(0, ring).earlier == [ids[1]])
        #expect(chain(0, [0: .init(parent: ids[0])]).earlier.isEmpty)
    }
}
