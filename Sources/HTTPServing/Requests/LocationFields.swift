import Model

/// The fields of a place: latitude and longitude as they are written, and what the device measured.
package struct LocationFields: Hashable {
    package var latitude = ""
    package var longitude = ""
    /// `55.75;37.62;12`: latitude, longitude, and their accuracy in metres, which counts for those coordinates alone.
    package var measured = ""

    /// The fields for an answer.
    package init(_ answer: Answer?, _ question: Question) {
        guard let answer, !answer.isBlank else { return }
        guard let location = Location(answer) else {
            let text = answer.texts.joined(separator: ", ")
            let halves = text.split(separator: Self.separator, maxSplits: 1, omittingEmptySubsequences: false)
            latitude = String(halves[0])
            longitude = halves.count > 1 ? String(halves[1]) : ""
            return
        }
        latitude = Location.degrees(location.latitude)
        longitude = Location.degrees(location.longitude)
        measured =
            location.accuracyMeters.map { "\(latitude);\(longitude);\(Location.degrees($0))" } ?? ""
    }

    /// - Parameter stored: what the fields were made of. A field that shows one of its texts on one line stands for that text.
    package init(_ values: [String], keeping stored: LocationFields? = nil) {
        func value(_ name: String) -> String {
            values.first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) } ?? ""
        }
        latitude = value("latitude")
        longitude = value("longitude")
        measured = value("measured")
        guard let stored else { return }
        if latitude == AnswerFields.oneLine(stored.latitude) { latitude = stored.latitude }
        if longitude == AnswerFields.oneLine(stored.longitude) { longitude = stored.longitude }
    }

    package var values: [String] {
        [("latitude", latitude), ("longitude", longitude), ("measured", measured)]
            .map { ($0, AnswerFields.oneLine($1)) }.filter { !$1.isEmpty }
            .map { "\($0)=\($1)" }
    }

    private static let separator = "; "

    /// What was written, in one text. Both coordinates may be in the first field.
    package var text: String {
        let isBlank = longitude.allSatisfy(\.isWhitespace)
        let accuracy = measured.split(separator: ";", omittingEmptySubsequences: false)
        if accuracy.count == 3, accuracy[0] == latitude, accuracy[1] == longitude {
            return "\(latitude), \(longitude) (±\(accuracy[2]) m)"
        }
        return isBlank ? latitude : latitude + Self.separator + longitude
    }

    /// How far away the place may be, in metres; `nil` where that was not measured.
    package var accuracy: String? { measured.split(separator: ";").dropFirst(2).first.map(String.init) }
}
