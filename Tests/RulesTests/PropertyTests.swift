import Model
import Testing

/// Generated cases: what must hold for all of them.
@Suite("Properties of the rules")
struct PropertyTests {
    // MARK: Order

    @Test("an order is a permutation, the same each time, and differs between tests and purposes")
    func permutations() {
        var numbers = SeededNumbers(state: 1)
        for count in 0..<60 {
            let test = TestID.random(using: &numbers)
            let order = TestOrder(test)
            let places = order.permutation(count, for: "options\nq")
            #expect(places.sorted() == Array(0..<count))
            #expect(places == TestOrder(test).permutation(count, for: "options\nq"))
            guard count > 20 else { continue }
            #expect(places != order.permutation(count, for: "options\nr"))
            #expect(places != TestOrder(TestID.random(using: &numbers)).permutation(count, for: "options\nq"))
        }
    }

    @Test("every order of three options occurs about equally often")
    func uniform() {
        var numbers = SeededNumbers(state: 2)
        var counts: [[Int]: Int] = [:]
        for _ in 0..<1200 {
            counts[TestOrder(TestID.random(using: &numbers)).permutation(3, for: "x"), default: 0] += 1
        }
        #expect(counts.count == 6)
        // Expected 200 each with a deviation of 13.
        #expect(counts.values.allSatisfy { (130...270).contains($0) }, "\(counts)")
    }

    @Test("a pool has as many questions as it draws, each once, notes stay, and everything else is there")
    func pools() throws {
        var numbers = SeededNumbers(state: 3)
        for round in 0..<60 {
            let count = Int.random(in: 1...12, using: &numbers)
            let ids = (0..<count).map { "q\($0)" }
            let items = ids.map { TestOrder.Item(id: $0, isFixed: Int.random(in: 0..<5, using: &numbers) == 0) }
            let members = ids.filter { _ in Bool.random(using: &numbers) }
            let pick = Int.random(in: 0...count, using: &numbers)
            let section = Section(id: "s", questions: members, pick: pick)
            let shown = TestOrder(TestID.random(using: &numbers)).questions(
                items, sections: [section], isShuffled: round % 2 == 0)
            let notes = Set(items.filter(\.isFixed).map(\.id))
            let pool = members.filter { !notes.contains($0) }
            #expect(Set(shown).count == shown.count)
            #expect(shown.filter(pool.contains).count == min(pick, pool.count))
            #expect(Set(ids).subtracting(pool).isSubset(of: Set(shown)))
        }
    }

    // MARK: Conditions

    /// Whether a question is shown, straight from the definition, for documents without circles.
    private func isShown(
        _ id: String, _ conditions: [String: Condition], _ answers: [String: JSONValue]
    ) -> Bool {
        guard let condition = conditions[id] else { return true }
        return condition.holds { other in
            conditions.keys.contains(other) && !isShown(other, conditions, answers) ? nil : answers[other]
        }
    }

    private func condition(about ids: [String], depth: Int, _ numbers: inout SeededNumbers) -> Condition {
        guard depth > 0, Int.random(in: 0..<3, using: &numbers) > 0, !ids.isEmpty else {
            guard let id = ids.randomElement(using: &numbers) else { return Condition(.all([])) }
            let comparison = Condition.Comparison.allCases.randomElement(using: &numbers) ?? .equal
            let value = JSONValue.string(String(Int.random(in: 0..<3, using: &numbers)))
            return Condition(
                .question(id, Bool.random(using: &numbers) ? .comparison(comparison, value) : .answered(true)))
        }
        let parts = (0..<2).map { _ in condition(about: ids, depth: depth - 1, &numbers) }
        switch Int.random(in: 0..<3, using: &numbers) {
        case 0: return Condition(.all(parts))
        case 1: return Condition(.any(parts))
        default: return Condition(.not(parts[0]))
        }
    }

    @Test("what is hidden is what a plain evaluation of the definition hides, in any order of the document")
    func visibility() {
        var numbers = SeededNumbers(state: 4)
        for _ in 0..<150 {
            let ids = (0..<8).map { "q\($0)" }
            var conditions: [String: Condition] = [:]
            for (index, id) in ids.enumerated() where Bool.random(using: &numbers) {
                conditions[id] = condition(about: Array(ids[..<index]), depth: 2, &numbers)
            }
            var answers: [String: JSONValue] = [:]
            for id in ids where Bool.random(using: &numbers) {
                answers[id] = .string(String(Int.random(in: 0..<3, using: &numbers)))
            }
            let document = ids.shuffled(using: &numbers).map { ($0, conditions[$0].map { [$0] } ?? []) }
            let visibility = Visibility(document.map { (id: $0.0, conditions: $0.1) })
            #expect(visibility.cycles.isEmpty)
            let expected = ids.filter { !isShown($0, conditions, answers) }
            #expect(visibility.hidden { answers[$0] } == Set(expected))
        }
    }

    @Test("a circle is found with its ids in the order of dependence, and a chain of 5 000 is none")
    func circles() {
        func on(_ id: String) -> [Condition] { [Condition(.question(id, .answered(true)))] }
        let circle = Visibility([
            (id: "a", conditions: []), (id: "b", conditions: on("d")), (id: "c", conditions: on("b")),
            (id: "d", conditions: on("c")), (id: "e", conditions: on("d")),
        ])
        #expect(circle.cycles == [["b", "d", "c"]])
        #expect(Visibility([(id: "a", conditions: on("a"))]).cycles == [["a"]])
        let two = Visibility([
            (id: "a", conditions: on("b")), (id: "b", conditions: on("a")), (id: "x", conditions: on("y")),
            (id: "y", conditions: on("x")),
        ])
        #expect(two.cycles == [["a", "b"], ["x", "y"]])
        let chain = Visibility((0..<5000).map { (id: "q\($0)", conditions: $0 == 4999 ? [] : on("q\($0 + 1)")) })
        #expect(chain.cycles.isEmpty)
        #expect(chain.hidden { _ in nil }.count == 4999)
    }

    // MARK: Points

    @Test("points are between their bounds, a right answer has all of them, a blank one none")
    func points() throws {
        var numbers = SeededNumbers(state: 5)
        let options = ["a", "b", "c", "d"].map(JSONValue.string)
        for round in 0..<400 {
            let maximum = Double(Int.random(in: 0...10, using: &numbers)) / 2
            let form: Question.Kind = [.choices, .ranking, .choice, .gaps][round % 4]
            func some() -> [JSONValue] {
                options.shuffled(using: &numbers).filter { _ in Bool.random(using: &numbers) }
            }
            let gaps = JSONValue.object(["1": options[0], "2": options[1]])
            var acceptances: [QuestionKey.Acceptance] = some().map { .init(.value($0)) }
            if form == .ranking { acceptances = [.init(.value(.array(options)))] }
            if form == .gaps { acceptances = [.init(.value(gaps))] }
            if Bool.random(using: &numbers), form == .choices || form == .choice {
                for index in acceptances.indices {
                    acceptances[index].points = Double(Int.random(in: -6...6, using: &numbers)) / 2
                }
            }
            let key = QuestionKey(
                accept: acceptances, partial: [nil, true, false].randomElement(using: &numbers) ?? nil,
                belowZero: Bool.random(using: &numbers))
            let rule = PointsRule(form: form, maximum: maximum, key: key)
            let answer: JSONValue =
                switch form {
                case .gaps: .object(["1": options.randomElement(using: &numbers) ?? .null])
                case .choice: options.randomElement(using: &numbers) ?? .null
                case .ranking: .array(options.shuffled(using: &numbers))
                default: .array(some())
                }
            guard let result = rule.result(of: answer) else {
                #expect(acceptances.isEmpty)
                continue
            }
            #expect((key.belowZero ? -maximum : 0)...maximum ~= result.points)
            #expect(rule.result(of: nil)?.points == 0)
            if form == .ranking { #expect(rule.result(of: .array(options))?.points == maximum) }
            if form == .gaps { #expect(rule.result(of: gaps)?.points == maximum) }
            if form == .choices, acceptances.allSatisfy({ $0.points == nil }) {
                let right = acceptances.compactMap { if case .value(let value) = $0.match { value } else { nil } }
                #expect(rule.result(of: .array(right))?.points == maximum)
            }
        }
    }

    // MARK: Numbers and expressions

    @Test("decimals agree with whole numbers, and a step divides what it was multiplied by")
    func decimals() {
        var numbers = SeededNumbers(state: 6)
        func decimal(_ value: Int, _ places: Int) -> DecimalNumber? { DecimalNumber("\(value)e-\(places)") }
        for _ in 0..<300 {
            let places = Int.random(in: 0...9, using: &numbers)
            let left = Int.random(in: -100_000...100_000, using: &numbers)
            let right = Int.random(in: -1000...1000, using: &numbers)
            guard let first = decimal(left, places), let second = decimal(right, places) else {
                Issue.record("\(left) and \(right) are numbers")
                return
            }
            #expect((first < second) == (left < right) && (first == second) == (left == right))
            #expect(first - second == decimal(left - right, places))
            #expect(DecimalNumber(first.description) == first)
            guard right != 0 else { continue }
            #expect(first.isMultiple(of: second) == (left % right == 0))
        }
        #expect(DecimalNumber(String(repeating: "9", count: 401)) == nil)
        #expect(DecimalNumber("1e401") == nil && DecimalNumber("1e400") != nil && DecimalNumber(".") == nil)
    }

    @Test("an expression that others need exponential time for is matched in bounded work, and large ones are refused")
    func expressions() throws {
        let text = String(repeating: "a", count: 9999) + "!"
        for source in ["(a+)+", "(a|aa)*", "(a*)*(a*)*(a*)*", "(.*)(.*)(.*)(.*)=.*"] {
            #expect(try !TextPattern(source).matches(text), "\(source)")
        }
        #expect(try TextPattern("a*").matches(String(repeating: "a", count: 10_000)))
        #expect(try !TextPattern("a*").matches(String(repeating: "a", count: 10_001)))
        #expect(throws: TextPattern.Fault.tooLarge) { try TextPattern(String(repeating: "(", count: 200)) }
        #expect(throws: TextPattern.Fault.tooLarge) { try TextPattern("((a{1000}){1000}){1000}") }
        #expect(throws: TextPattern.Fault.unsupported(at: 1)) { try TextPattern("a(?!b)") }
        #expect(throws: TextPattern.Fault.invalid(at: 2)) { try TextPattern("ab(c") }
    }
}
