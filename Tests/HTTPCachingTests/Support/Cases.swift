import HTTPCaching
import HTTPTypes
import Model
import Simulation
import Testing

/// Makes messages out of the pieces that caches meet.
struct Cases {
    var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }

    mutating func one<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &generator)]
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

    /// An argument of a directive: mostly a small number.
    mutating func seconds() -> String {
        switch number(0...19) {
        case 0: one(["=", "=x", "=-1", "=1.5", "=\"\"", "=+5", "", "= 5", " =5", "=5 5"])
        case 1: "=\(one(["2147483647", "2147483648", "99999999999999999999"]))"
        case 2: "=\"\(number(0...120))\""
        case 3: "=0\(number(0...120))"
        default: "=\(number(0...120))"
        }
    }

    mutating func cased(_ text: String) -> String {
        switch number(0...3) {
        case 0: text.uppercased()
        case 1: text.prefix(1).uppercased() + text.dropFirst()
        default: text
        }
    }

    /// Up to `most` directives over one or two lines.
    mutating func cacheControl(_ numbers: [String], _ flags: [String], most: Int) -> Oracle.Lines {
        var lines: Oracle.Lines = []
        for _ in 0..<(chance(15) ? 2 : 1) {
            var members: [String] = []
            for _ in 0..<number(0...most) {
                members.append(chance(60) ? cased(one(numbers)) + seconds() : cased(one(flags)))
            }
            if members.isEmpty { continue }
            lines.append((cased("Cache-Control"), members.joined(separator: one([",", ", ", " , ", ",,", "\t, "]))))
        }
        return lines
    }

    mutating func responseControl() -> Oracle.Lines {
        cacheControl(
            ["max-age", "max-age", "s-maxage", "stale-while-revalidate", "stale-if-error"],
            [
                "public", "must-revalidate", "proxy-revalidate", "no-cache", "no-cache=\"set-cookie\"", "immutable",
                "foo", "foo=\"no-store, a\"", "no-transform", "private=\"x-a, x-b\"",
            ], most: 3)
    }

    mutating func requestControl() -> Oracle.Lines {
        cacheControl(
            ["max-age", "min-fresh", "max-stale", "stale-if-error"],
            ["no-cache", "max-stale", "only-if-cached", "no-transform", "foo=1"], most: 2)
    }

    /// A stored response that arrived about `time`.
    mutating func stored(at time: Int) -> Oracle.Stored {
        var lines = responseControl()
        if chance(70) { lines.append(("Date", date(time + (chance(70) ? -number(0...5) : number(-90...90))))) }
        if chance(25) {
            lines.append(("Age", one(["0", "5", "\(number(0...100))", "-1", "x", "7, 80", "1.5", " 3 , x"])))
        }
        if chance(35) { lines.append(("Expires", expires(time))) }
        if chance(5) { lines.append(("Expires", expires(time))) }
        if chance(50) { lines.append(("Last-Modified", date(time - number(0...2000)))) }
        return Oracle.Stored(
            status: one([200, 200, 200, 203, 204, 301, 302, 404, 410, 500, 501, 299]), fields: lines,
            requestTime: time - (chance(70) ? 0 : number(-3...30)), responseTime: time)
    }

    private mutating func expires(_ time: Int) -> String {
        chance(85) ? date(time + number(-50...150)) : one(["0", "-1", "never", "", date(time).uppercased() + "x"])
    }

    func date(_ time: Int) -> String { HTTPDate.format(Timestamp(secondsSinceEpoch: Int64(time))) }
}

/// `#expect` for loops of many thousands, where it would take most of the time.
func agree<Value: Equatable>(
    _ found: Value, _ expected: Value, _ note: @autoclosure () -> String,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    guard found != expected else { return }
    Issue.record("\(found) instead of \(expected): \(note())", sourceLocation: sourceLocation)
}

extension HTTPFields {
    init(_ lines: Oracle.Lines) {
        self.init()
        for line in lines {
            guard let name = HTTPField.Name(line.name) else { continue }
            append(HTTPField(name: name, value: line.value))
        }
    }
}

extension StoredResponse {
    init(_ stored: Oracle.Stored) {
        self.init(
            status: stored.status, fields: HTTPFields(stored.fields),
            requestTime: Timestamp(secondsSinceEpoch: Int64(stored.requestTime)),
            responseTime: Timestamp(secondsSinceEpoch: Int64(stored.responseTime)))
    }
}
