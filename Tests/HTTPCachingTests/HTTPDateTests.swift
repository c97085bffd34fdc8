import Foundation
import HTTPCaching
import Model
import Simulation
import Testing

/// RFC 9110 section 5.6.7.
@Suite("An HTTP date is read in its three forms and written in one")
struct HTTPDateTests {
    @Test(
        "the three forms are one moment",
        arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        ])
    func threeForms(_ text: String) {
        #expect(HTTPDate.parse(text) == Timestamp(secondsSinceEpoch: 784_111_777))
    }

    @Test("what was written is read back in each form, and Foundation writes the same", arguments: 0..<10)
    func roundTrips(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        func formatter(_ format: String) -> DateFormatter {
            let formatter = DateFormatter()
            formatter.locale = Locale(identifier: "en_US_POSIX")
            formatter.timeZone = TimeZone(identifier: "GMT")
            formatter.dateFormat = format
            return formatter
        }
        let imf = formatter("EEE, dd MMM yyyy HH:mm:ss 'GMT'")
        let rfc850 = formatter("EEEE, dd-MMM-yy HH:mm:ss 'GMT'")
        let asctime = formatter("EEE MMM dd HH:mm:ss yyyy")
        for _ in 0..<100 {
            let seconds = Int64.random(in: -11_644_473_600...253_402_300_799, using: &generator)
            let time = Timestamp(secondsSinceEpoch: seconds)
            let date = Date(timeIntervalSince1970: Double(seconds))
            #expect(HTTPDate.format(time) == imf.string(from: date), "seed \(seed)")
            #expect(HTTPDate.parse(HTTPDate.format(time)) == time, "seed \(seed)")
            let padded = asctime.string(from: date).split(separator: " ", omittingEmptySubsequences: false)
                .map { $0.count == 2 && $0.hasPrefix("0") ? " \($0.dropFirst())" : String($0) }.joined(separator: " ")
            #expect(HTTPDate.parse(padded) == time, "seed \(seed): \(padded)")
            // Two figures of a year say enough near the present alone.
            let near = noon.adding(seconds: Double(Int64.random(in: -1_400_000_000...1_400_000_000, using: &generator)))
            let text = rfc850.string(from: Date(timeIntervalSince1970: Double(near.secondsSinceEpoch)))
            #expect(HTTPDate.parse(text, now: noon) == near, "seed \(seed): \(text)")
        }
    }

    /// RFC 9111 section 4.2.
    @Test(
        "case and a wrong weekday do no harm (RFC 9111 section 4.2)",
        arguments: [
            "sun, 06 nov 1994 08:49:37 gmt", "SUN, 06 NOV 1994 08:49:37 GMT",
            "Mon, 06 Nov 1994 08:49:37 GMT", "SUNDAY, 06-NOV-94 08:49:37 GMT", "Friday, 06-Nov-94 08:49:37 gmt",
            "sat nov  6 08:49:37 1994",
        ])
    func tolerant(_ text: String) {
        #expect(HTTPDate.parse(text) == Timestamp(secondsSinceEpoch: 784_111_777))
    }

    @Test("50 years ahead to the second is ahead, a second more is behind")
    func fiftyYears() {
        #expect(HTTPDate.parse("Sunday, 21-Nov-76 04:51:00 GMT", now: noon)?.description.prefix(4) == "2076")
        #expect(HTTPDate.parse("Sunday, 21-Nov-76 04:51:01 GMT", now: noon)?.description.prefix(4) == "1976")
        let late = Timestamp(secondsSinceEpoch: 4_102_358_400)  // 2099-12-31
        #expect(HTTPDate.parse("Friday, 01-Jan-00 00:00:00 GMT", now: late)?.description.prefix(4) == "2100")
    }

    @Test(
        "a year of two figures is at most 50 years ahead",
        arguments: [
            (26, 2026), (27, 2027), (76, 2076), (77, 1977), (99, 1999), (0, 2000),
        ])
    func century(_ short: Int, _ year: Int64) throws {
        let text = "Sunday, 06-Nov-\(short < 10 ? "0" : "")\(short) 08:49:37 GMT"
        let time = try #require(HTTPDate.parse(text, now: noon))
        #expect(time.description.hasPrefix("\(year)-11-06"))
    }

    @Test(
        "anything else is no date",
        arguments: [
            "", "0", "-1", "now", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37",
            "Sun, 06 Nov 1994 08:49:37 +0000",
            "Son, 06 Nov 1994 08:49:37 GMT", "Sun 06 Nov 1994 08:49:37 GMT", "Sun,  06 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 GMT ", "Sun, 06 Nov 1994 08:49:37 EST", "Sun, 6 Nov 1994 08:49:37 GMT",
            "Sunday, 06 Nov 1994 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT", "Sun Nov 6 08:49:37 1994",
            "Sun Nov  6 08:49:37 1994 GMT", "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 31 Feb 1994 08:49:37 GMT",
            "Sun, 00 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
            "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 08:49:37:00 GMT",
            "Sun, 06 Nov 99994 08:49:37 GMT", "Sun, 06 Nov -994 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT",
            "Sunday, 06-Nov 08:49:37 GMT", "Sunday, -06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37Z", "784111777",
            "Sun, ٠٦ Nov 1994 08:49:37 GMT",
        ])
    func refused(_ text: String) {
        #expect(HTTPDate.parse(text) == nil)
    }

    @Test("the second that is put in at times is read")
    func leapSecond() {
        #expect(HTTPDate.parse("Sat, 31 Dec 2016 23:59:60 GMT") == HTTPDate.parse("Sun, 01 Jan 2017 00:00:00 GMT"))
    }

    @Test("junk never crashes the reader", arguments: 0..<10)
    func junk(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let pieces = [
            "Sun", ",", " ", "06", "Nov", "-", "1994", "08:49:37", ":", "GMT", "99", "9999", "00", "é", "٣", "Feb",
            "29", "\0",
        ]
        for _ in 0..<1000 {
            let text = (0..<Int.random(in: 0...14, using: &generator))
                .map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            if let time = HTTPDate.parse(text) { #expect(HTTPDate.parse(HTTPDate.format(time)) == time, "\(text)") }
        }
    }
}
