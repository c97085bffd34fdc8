import Localization

extension Section {
    /// Which instance of a repeated section this is.
    package struct Instance: Hashable, Sendable {
        /// The section as the document has it.
        package var section: String
        /// The number that answers name it by; it stays when the others are moved.
        package var number: Int
        /// Its place among the instances of the test, from 1.
        package var place: Int
        /// The number of instances.
        package var count: Int
        /// Its label, such as “Person 2”.
        package var name: String
        package var isFirst: Bool { place == 1 }
        package var isLast: Bool { place == count }
    }

    /// The id that it has in the document.
    package var documentID: String { instance?.section ?? id }

    /// The most instances of a section, whatever the document says.
    package static let mostInstances = 100

    /// How many instances a test has at least; 1 where the document does not say.
    package var fewestInstances: Int { min(max(0, repetition?.min ?? 1), Self.mostInstances) }

    /// How many instances can be added.
    package var mostInstances: Int {
        min(max(repetition?.max ?? Self.mostInstances, fewestInstances, 1), Self.mostInstances)
    }

    /// The label of the instance at a place; places count from 1.
    package func name(ofInstance place: Int, _ language: Language) -> String {
        let label = [repetition?.label, title].compactMap { $0 }.first { !$0.isEmpty }
        return "\(label ?? language.entry) \(place)"
    }

    /// The label of one instance more, without a number.
    package func instanceWord(_ language: Language) -> String {
        [repetition?.label, title].compactMap { $0 }.first { !$0.isEmpty } ?? language.entry
    }

    /// The numbers of the instances that a test has, in the order shown: those that it names, else the fewest, and those that have
    /// answers. Without a test, as on paper, there is at least one.
    package func instances(in record: TestRecord?) -> [Int] {
        var numbers: [Int] = []
        var seen: Set<Int> = []
        func add(_ number: Int) {
            if number > 0, seen.count < Self.mostInstances, seen.insert(number).inserted { numbers.append(number) }
        }
        if let stated = record?.instances[id] {
            stated.forEach(add)
        } else {
            let fewest = record == nil ? max(1, fewestInstances) : fewestInstances
            if fewest > 0 { (1...fewest).forEach(add) }
            record?.instanceNumbers(of: self).forEach(add)
        }
        // A file edited by hand may have fewer.
        var next = 1
        while numbers.count < fewestInstances {
            add(next)
            next += 1
        }
        return numbers
    }

    /// The instances of this section, each with questions of its own.
    ///
    /// - Parameter numbers: of the instances, in order.
    func instances(
        _ numbers: [Int], ids: [Int: [String: String]], _ language: Language
    ) -> [Section] {
        numbers.enumerated().map { index, number in
            let named = ids[number] ?? [:]
            var section = self
            let name = name(ofInstance: index + 1, language)
            section.id = QuestionInstance(question: id, number: number).id
            section.instance = Instance(
                section: id, number: number, place: index + 1, count: numbers.count, name: name)
            let hasBoth = !(title ?? "").isEmpty && !(repetition?.label ?? "").isEmpty
            section.title = hasBoth ? "\(title ?? "") · \(name)" : name
            section.questions = questions.map { named[$0] ?? $0 }
            section.condition = condition?.renaming { named[$0] ?? $0 }
            return section
        }
    }
}
