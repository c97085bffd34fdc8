/// The order of questions and options of a test, and which questions of a pool it has: derived from the test's UUID, so it
/// is the same in every interface, after every restart and on paper.
///
/// The algorithm, which `rules.js` has, too: `SHA-256("quire-order-1\n" + UUID in lowercase + "\n" + purpose + "\n" + n)` for
/// n = 0, 1, 2 … is read as eight numbers of 32 bits, most significant byte first. A number below k is drawn by rejecting numbers not below
/// the greatest multiple of k up to 2³² and taking the rest modulo k. A list is shuffled by Fisher and Yates' method: for i from the last
/// place down to 1, the elements at i and at a number below i + 1 change places.
package struct TestOrder: Sendable {
    private let test: TestID

    package init(_ test: TestID) { self.test = test }

    /// The places `0..<count` in the order that belongs to a purpose.
    package func permutation(_ count: Int, for purpose: String) -> [Int] {
        guard count > 1 else { return Array(0..<max(0, count)) }
        var numbers = OrderNumbers(seed: "quire-order-1\n\(test)\n\(purpose)")
        var places = Array(0..<count)
        for place in stride(from: count - 1, to: 0, by: -1) { places.swapAt(place, numbers.below(place + 1)) }
        return places
    }

    /// The places of a question's options in the order shown: those of `keepLast` stay at the end.
    package func options(_ options: [String], keepLast: [String] = [], of question: String) -> [Int] {
        let isLast = Set(keepLast)
        let free = options.indices.filter { !isLast.contains(options[$0]) }
        return permutation(free.count, for: "options\n" + question).map { free[$0] }
            + options.indices.filter { isLast.contains(options[$0]) }
    }

    /// A question as far as its place matters.
    package struct Item: Hashable, Sendable {
        package var id: String
        /// Whether it stays where it is and is never drawn: a note.
        package var isFixed: Bool

        package init(id: String, isFixed: Bool = false) {
            self.id = id
            self.isFixed = isFixed
        }
    }

    /// The ids of the questions of the test, in the order shown.
    ///
    /// A section stands where its first question does, with its questions in the order of its own list. A question of no section
    /// stays between the same sections. Shuffling changes places within a section, and among questions between two
    /// sections.
    package func questions(_ questions: [Item], sections: [Section] = [], isShuffled: Bool = false) -> [String] {
        let items = Dictionary(questions.map { ($0.id, $0) }) { first, _ in first }
        var sectionOf: [String: Int] = [:]
        for (index, section) in sections.enumerated() {
            for id in section.questions where items[id] != nil && sectionOf[id] == nil { sectionOf[id] = index }
        }
        var result: [String] = []
        var run: [Item] = []
        var done: Set<Int> = []
        func flush() {
            if let first = run.first { result += isShuffled ? shuffled(run, for: "run\n" + first.id) : run.map(\.id) }
            run = []
        }
        for question in questions {
            guard let index = sectionOf[question.id] else {
                run.append(question)
                continue
            }
            guard done.insert(index).inserted else { continue }
            flush()
            let section = sections[index]
            var seen: Set<String> = []
            let members = section.questions.filter { sectionOf[$0] == index && seen.insert($0).inserted }
                .compactMap { items[$0] }
            let drawn = drawn(members, section)
            result += isShuffled ? shuffled(drawn, for: "section\n" + section.id) : drawn.map(\.id)
        }
        flush()
        return result
    }

    private func drawn(_ members: [Item], _ section: Section) -> [Item] {
        let pool = members.indices.filter { !members[$0].isFixed }
        guard let pick = section.pick, pick < pool.count else { return members }
        let drawn = Set(permutation(pool.count, for: "pick\n" + section.id).prefix(max(0, pick)).map { pool[$0] })
        return members.indices.filter { members[$0].isFixed || drawn.contains($0) }.map { members[$0] }
    }

    private func shuffled(_ items: [Item], for purpose: String) -> [String] {
        let free = items.indices.filter { !items[$0].isFixed }
        var ids = items.map(\.id)
        for (place, other) in zip(free, permutation(free.count, for: purpose)) { ids[place] = items[free[other]].id }
        return ids
    }
}

/// Numbers out of a seed.
private struct OrderNumbers {
    let seed: String
    private var block = 0
    private var numbers: [UInt32] = []

    init(seed: String) { self.seed = seed }

    mutating func below(_ count: Int) -> Int {
        let count = UInt64(count)
        let limit = (1 << 32) / count * count
        while true {
            let number = UInt64(next())
            if number < limit { return Int(number % count) }
        }
    }

    private mutating func next() -> UInt32 {
        if numbers.isEmpty {
            let digest = Digest(sha256Of: Array("\(seed)\n\(block)".utf8)).bytes
            block += 1
            numbers = stride(from: 28, through: 0, by: -4).map { start in
                digest[start..<(start + 4)].reduce(0) { $0 << 8 | UInt32($1) }
            }
        }
        return numbers.removeLast()
    }
}
