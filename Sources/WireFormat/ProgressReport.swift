import Model

/// Which tests are open at a sender, a device or a hub: what `PUT` of `APIPath.progress` sends (docs/protocol.md, section 12).
///
/// It replaces what the sender reported before, and changes no test.
package struct ProgressReport: Hashable, Sendable, Codable {
    package var tests: [OpenTest]

    /// - Parameter tests: of more than fit into a report, those that were opened last.
    package init(_ tests: some Sequence<OpenTest> = []) {
        let latest = tests.sorted { ($1.since, $0.test) < ($0.since, $1.test) }
        self.tests = Array(latest.prefix(Self.mostTests))
    }

    /// What of it is sent: of tests with very long names fewer, those that were opened last.
    package func fitting(_ maximumBytes: Int = Self.maximumBytes) throws -> (report: ProgressReport, bytes: [UInt8]) {
        var report = self
        var bytes = try DocumentCoding.encodeLine(report)
        while bytes.count > maximumBytes, !report.tests.isEmpty {
            report.tests.removeLast((report.tests.count + 1) / 2)
            bytes = try DocumentCoding.encodeLine(report)
        }
        return (report, bytes)
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        tests = try container.decode([OpenTest].self, forKey: .tests)
        guard tests.count <= Self.mostTests else {
            throw DecodingError.dataCorruptedError(
                forKey: .tests, in: container,
                debugDescription: "has \(tests.count) tests, and \(Self.mostTests) is the most")
        }
    }

    package static let mostTests = 2000
    /// Room for as many tests with the longest usual names.
    package static let maximumBytes = 2 << 20
    /// A longer name of a sender is refused.
    package static let maximumSenderBytes = 200

    /// The reply to a report, by which its sender knows that it was heard.
    package struct Reply: Hashable, Sendable, Codable {
        /// How many of its tests the receiver notes: a person's key reports for that person alone.
        package var reported: Int

        package init(reported: Int) { self.reported = reported }
    }

    /// What a key may report: of another person's tests nothing.
    ///
    /// - Parameter person: the one whose key it is; `nil` for a key that may report for everyone.
    package func allowed(to person: String?) -> ProgressReport {
        guard let person else { return self }
        return ProgressReport(tests.filter { $0.person.id == person })
    }
}

/// A test that was started and has not arrived at the host, as its sender reports it. It has no answers.
package struct OpenTest: Hashable, Sendable, Codable {
    package enum State: String, Hashable, Sendable, Codable, CaseIterable {
        case started
        /// It was handed in, and a hub has not forwarded it yet.
        case waiting
    }

    /// The questionnaire with the version that is taken.
    package struct Version: Hashable, Sendable, Codable {
        package var id: String
        package var digest: Digest

        package init(id: String, digest: Digest) {
            self.id = id
            self.digest = digest
        }
    }

    package var test: TestID
    package var questionnaire: Version
    package var person: Person
    package var state: State
    /// The name of the hub where it waits, if it has one.
    package var hub: String?
    /// When it was started, by the device's clock, or when the hub received it, by the hub's.
    package var since: Timestamp

    package init(
        test: TestID, questionnaire: Version, person: Person, state: State, hub: String? = nil, since: Timestamp
    ) {
        self.test = test
        self.questionnaire = questionnaire
        self.person = person.reference
        self.state = state
        self.hub = hub
        self.since = since
    }

    /// - Returns: `nil` for a test that names no person, which is not reported, and for one of no possible questionnaire.
    package init?(_ record: TestRecord, state: State, hub: String? = nil, since: Timestamp) {
        guard let person = record.person,
            Self.fault(in: record.questionnaire.id, most: Questionnaire.maximumIDLength) == nil
        else { return nil }
        self.init(
            test: record.id,
            questionnaire: Version(id: record.questionnaire.id, digest: record.questionnaire.digest), person: person,
            state: state, hub: hub, since: since)
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        test = try container.decode(TestID.self, forKey: .test)
        questionnaire = try container.decode(Version.self, forKey: .questionnaire)
        // Other members of a person are not kept.
        person = try container.decode(Person.self, forKey: .person).reference
        state = try container.decode(State.self, forKey: .state)
        since = try container.decode(Timestamp.self, forKey: .since)
        hub = try container.decodeIfPresent(String.self, forKey: .hub)
        for (key, text, most) in [
            (CodingKeys.hub, hub, Self.maximumHubBytes),
            (.questionnaire, questionnaire.id, Questionnaire.maximumIDLength),
        ] {
            guard let fault = text.flatMap({ Self.fault(in: $0, most: most) }) else { continue }
            throw DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: fault)
        }
    }

    /// A longer name of a hub is refused.
    package static let maximumHubBytes = 200

    private static func fault(in text: String, most: Int) -> String? {
        if text.isEmpty { return "is empty" }
        if text.utf8.count > most { return "is longer than \(most) bytes" }
        let hasControl = text.unicodeScalars.contains { $0.properties.generalCategory == .control }
        return hasControl ? "has a control character" : nil
    }

    /// What is known of a test by several reports: that it waits at a hub counts before that it was started, then the later report.
    package static func isBetter(
        _ one: (test: OpenTest, heard: Timestamp), than other: (test: OpenTest, heard: Timestamp)
    ) -> Bool {
        if one.test.state != other.test.state { return one.test.state == .waiting }
        return one.heard > other.heard
    }

    /// Each test of several reports once, as the best of them has it.
    package static func best(
        of reports: some Sequence<(report: ProgressReport, heard: Timestamp)>
    ) -> [TestID: (test: OpenTest, heard: Timestamp)] {
        var found: [TestID: (test: OpenTest, heard: Timestamp)] = [:]
        for (report, heard) in reports {
            for test in report.tests {
                if let other = found[test.test], !isBetter((test, heard), than: other) { continue }
                found[test.test] = (test, heard)
            }
        }
        return found
    }
}

/// Which reports are kept of all that came: so many, so much, and none that is too old.
package enum ProgressBounds {
    package static let mostReports = 1000
    /// With the key of a person, who has so many devices at most.
    package static let mostReportsOfPerson = 8
    package static let mostBytes = 32 << 20
    package static let ageDays = 30

    /// A report as it is counted.
    package struct Item: Hashable, Sendable {
        package var name: String
        package var heard: Timestamp
        package var sizeBytes: Int
        /// The person whose key reported it; any text that stands for them.
        package var person: String?

        package init(name: String, heard: Timestamp, sizeBytes: Int, person: String? = nil) {
            self.name = name
            self.heard = heard
            self.sizeBytes = sizeBytes
            self.person = person
        }
    }

    /// Whether a report is young enough to count.
    package static func isCurrent(_ heard: Timestamp, now: Timestamp) -> Bool {
        now.seconds(since: heard) <= Double(ageDays) * 86_400
    }

    /// The names of the reports that go.
    package static func superfluous(_ items: [Item], now: Timestamp) -> Set<String> {
        var gone: Set<String> = []
        var counts: [String: Int] = [:]
        var (count, bytes) = (0, 0)
        for item in items.sorted(by: { ($1.heard, $0.name) < ($0.heard, $1.name) }) {
            let ofPerson = item.person.map { counts[$0, default: 0] } ?? 0
            guard isCurrent(item.heard, now: now), ofPerson < mostReportsOfPerson,
                count < mostReports, bytes + item.sizeBytes <= mostBytes
            else {
                gone.insert(item.name)
                continue
            }
            if let person = item.person { counts[person] = ofPerson + 1 }
            (count, bytes) = (count + 1, bytes + item.sizeBytes)
        }
        return gone
    }
}
