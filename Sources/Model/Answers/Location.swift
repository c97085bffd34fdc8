/// A place on the earth (WGS 84), as answers have it.
package struct Location: Hashable, Sendable {
    /// Degrees; south is negative.
    package var latitude: Double
    /// Degrees; west is negative.
    package var longitude: Double
    /// How far away it may be.
    package var accuracyMeters: Double?

    package init(latitude: Double, longitude: Double, accuracyMeters: Double? = nil) {
        self.latitude = latitude
        self.longitude = longitude
        self.accuracyMeters = accuracyMeters
    }

    /// `nil` for members that are no numbers.
    package init?(_ members: [String: JSONValue]) {
        func number(_ name: String) -> Double? {
            switch members[name] {
            case .integer(let number): Double(number)
            case .number(let number): number
            default: nil
            }
        }
        guard let latitude = number("latitude"), let longitude = number("longitude") else { return nil }
        let accuracy = members["accuracyMeters"]
        guard accuracy == nil || accuracy == .null || number("accuracyMeters") != nil else { return nil }
        self.init(latitude: latitude, longitude: longitude, accuracyMeters: number("accuracyMeters"))
    }

    /// The place of an answer; `nil` for an answer in words.
    package init?(_ answer: Answer?) {
        guard case .object(let members)? = answer?.value else { return nil }
        self.init(members)
    }

    package var isOnEarth: Bool {
        (-90...90).contains(latitude) && (-180...180).contains(longitude)
            && accuracyMeters.map { $0 >= 0 && $0.isFinite } ?? true
    }

    package var value: Answer.Value {
        var members: [String: JSONValue] = ["latitude": .number(latitude), "longitude": .number(longitude)]
        members["accuracyMeters"] = accuracyMeters.map(JSONValue.number)
        return .object(members)
    }

    package static func degrees(_ number: Double) -> String { Answer.Value.number(number).texts[0] }

    /// As people read it, and may write it: `55.75, 37.62 (±12 m)`.
    package var text: String {
        let accuracy = accuracyMeters.map { " (±\(Self.degrees($0)) m)" } ?? ""
        return "\(Self.degrees(latitude)), \(Self.degrees(longitude))\(accuracy)"
    }
}
