/// Which questions are shown, by the conditions of questions and sections.
package struct Visibility: Sendable {
    /// The conditions of a question: its own, and its section's.
    private let conditions: [String: [Condition]]
    /// Ids in an order in which each comes after those that it depends on.
    private let order: [String]
    private let known: Set<String>
    /// Groups of questions whose conditions depend on each other in a circle, each in the order of dependence.
    package let cycles: [[String]]

    /// The conditions of questions and of their sections.
    ///
    /// - Parameter questions: ids with their own conditions, in the order of the document.
    package init(_ questions: [(id: String, condition: Condition?)], _ sections: [Section]) {
        let sectionConditions = sections.reduce(into: [String: [Condition]]()) { conditions, section in
            guard let condition = section.condition else { return }
            for id in section.questions { conditions[id, default: []].append(condition) }
        }
        self.init(
            questions.map { ($0.id, ($0.condition.map { [$0] } ?? []) + (sectionConditions[$0.id] ?? [])) })
    }

    /// - Parameter questions: ids with their conditions, in the order of the document.
    package init(_ questions: [(id: String, conditions: [Condition])]) {
        var conditions: [String: [Condition]] = [:]
        for question in questions { conditions[question.id, default: []] += question.conditions }
        let ids = questions.map(\.id)
        let dependencies = conditions.mapValues { conditions in
            Set(conditions.flatMap(\.questions))
        }.mapValues { $0.filter { conditions[$0] != nil } }
        let sorted = Self.sorted(ids, dependencies)
        let circular = Self.circular(ids, dependencies, rest: Set(ids).subtracting(sorted))
        cycles = Self.cycles(ids, dependencies, in: circular)
        // A question of a circle is shown: none is lost because of a condition that cannot be decided.
        for id in circular { conditions[id] = [] }
        self.conditions = conditions
        known = Set(ids)
        order = circular.isEmpty ? sorted : Self.sorted(ids, dependencies.filter { !circular.contains($0.key) })
    }

    /// The ids of the questions that are hidden. The answer to a hidden question counts as none.
    package func hidden(_ answer: (String) -> JSONValue?) -> Set<String> {
        var hidden: Set<String> = []
        // An answer to a question that there is not, or that a pool did not draw, counts as none, too.
        func value(_ id: String) -> JSONValue? { hidden.contains(id) || !known.contains(id) ? nil : answer(id) }
        for id in order {
            let isShown = (conditions[id] ?? []).allSatisfy { $0.holds(value) }
            if !isShown { hidden.insert(id) }
        }
        return hidden
    }

    /// Ids after those that they depend on, otherwise in their own order. Those of circles, and what depends on them, are left out.
    private static func sorted(_ ids: [String], _ dependencies: [String: Set<String>]) -> [String] {
        var missing = ids.reduce(into: [:]) { $0[$1] = dependencies[$1]?.count ?? 0 }
        var dependents: [String: [String]] = [:]
        for id in ids { for other in dependencies[id] ?? [] { dependents[other, default: []].append(id) } }
        var ready = ids.filter { missing[$0] == 0 }
        var place = 0
        while place < ready.count {
            for dependent in dependents[ready[place]] ?? [] {
                missing[dependent, default: 0] -= 1
                if missing[dependent] == 0 { ready.append(dependent) }
            }
            place += 1
        }
        return ready
    }

    /// What is left of `rest` without the questions that only depend on a circle and are on none.
    private static func circular(
        _ ids: [String], _ dependencies: [String: Set<String>], rest: Set<String>
    ) -> Set<String> {
        guard !rest.isEmpty else { return [] }
        var reversed: [String: Set<String>] = [:]
        for id in rest {
            for other in dependencies[id] ?? [] where rest.contains(other) { reversed[other, default: []].insert(id) }
        }
        return rest.subtracting(sorted(ids.filter(rest.contains), reversed))
    }

    /// Follows the first dependency of each question until one repeats.
    private static func cycles(
        _ ids: [String], _ dependencies: [String: Set<String>], in circular: Set<String>
    ) -> [[String]] {
        let places = Dictionary(ids.enumerated().map { ($1, $0) }) { first, _ in first }
        var next: [String: String] = [:]
        for id in circular {
            next[id] = dependencies[id]?.filter(circular.contains).min { (places[$0] ?? 0) < (places[$1] ?? 0) }
        }
        var seen: Set<String> = []
        var cycles: [[String]] = []
        for id in ids where circular.contains(id) && !seen.contains(id) {
            var path: [String] = []
            var places: [String: Int] = [:]
            var current = id
            while !seen.contains(current), let following = next[current] {
                seen.insert(current)
                places[current] = path.count
                path.append(current)
                current = following
            }
            if let start = places[current] { cycles.append(Array(path[start...])) }
        }
        return cycles
    }
}
