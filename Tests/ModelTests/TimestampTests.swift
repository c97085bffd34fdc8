import Foundation
import Model
import Simulation
import Testing

@Suite("A timestamp is read and written as RFC 3339")
struct TimestampTests {
    @Test("what was written is read back, and Foundation writes the same", arguments: 0..<10)
    func roundTrips(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        // From 1583 on: Foundation's calendar is Julian before the reform, RFC 3339 is not.
        let range: ClosedRange<Int64> = -12_212_553_600_000...253_402_300_799_999
        for _ in 0..<500 {
            let time = Timestamp(millisecondsSinceEpoch: .random(in: range, using: &generator))
            let text = time.description
            #expect(Timestamp(text) == time, "seed \(seed): \(text)")
            let date = Date(timeIntervalSince1970: Double(time.secondsSinceEpoch))
            #expect(text.dropLast(5) == date.formatted(style).dropLast(5), "seed \(seed)")
        }
    }

    @Test(
        "known moments are written as they are",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"), (1_795_236_660_123, "2026-11-21T04:51:00.123Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"), (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
            (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"), (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
        ] as [(Int64, String)])
    func knownMoments(_ milliseconds: Int64, _ text: String) {
        #expect(Timestamp(millisecondsSinceEpoch: milliseconds).description == text)
        #expect(Timestamp(text)?.millisecondsSinceEpoch == milliseconds)
    }

    @Test(
        "the forms of RFC 3339 are read",
        arguments: [
            ("2026-11-21T04:51:00Z", "2026-11-21T04:51:00.000Z"), ("2026-11-21t04:51:00z", "2026-11-21T04:51:00.000Z"),
            ("2026-11-21 04:51:00Z", "2026-11-21T04:51:00.000Z"), ("2026-11-21T04:51Z", "2026-11-21T04:51:00.000Z"),
            ("2026-11-21T04:51:00.5Z", "2026-11-21T04:51:00.500Z"),
            ("2026-11-21T04:51:00.123456789Z", "2026-11-21T04:51:00.123Z"),
            ("2026-11-21T07:51:00+03:00", "2026-11-21T04:51:00.000Z"),
            ("2026-11-20T23:21:00.25-05:30", "2026-11-21T04:51:00.250Z"),
            ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"), ("2026-11-21", "2026-11-21T00:00:00.000Z"),
            ("2024-02-29", "2024-02-29T00:00:00.000Z"),
        ])
    func forms(_ text: String, _ expected: String) {
        #expect(Timestamp(text)?.description == expected)
    }

    @Test(
        "anything else is refused",
        arguments: [
            "", "2026", "2026-11", "2026-11-21T", "2026-11-21T04", "2026-11-21T04:51", "2026-11-21T04:51:00",
            "2026-11-21T04:51:00.Z", "2026-11-21T04:51:00 Z", "2026-11-21T04:51:00Zx", "2026-13-01", "2026-00-01",
            "2026-02-29", "2100-02-29", "2026-04-31", "2026-11-00", "2026-11-21T24:00:00Z", "2026-11-21T04:60:00Z",
            "2026-11-21T04:51:61Z", "2026-11-21T04:51:00+0300", "2026-11-21T04:51:00+24:00", "26-11-21", "-026-11-21",
            "+2026-11-21", "2026-11-21T04:51:00,5Z", " 2026-11-21", "２０２６-11-21", "now", "1795236660",
        ])
    func refused(_ text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test("junk never crashes the reader", arguments: 0..<5)
    func junk(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let alphabet = Array("0123456789-:TZtz+. é\0")
        for _ in 0..<2000 {
            let length = Int.random(in: 0...40, using: &generator)
            let text = String((0..<length).map { _ in alphabet.randomElement(using: &generator) ?? "0" })
            if let time = Timestamp(text) { #expect(Timestamp(time.description) == time, "\(text)") }
        }
    }

    @Test("order is the order of time, and spans are measured in seconds")
    func arithmetic() {
        let early = Timestamp(millisecondsSinceEpoch: -1500)
        let late = Timestamp(secondsSinceEpoch: 2)
        #expect(early < late)
        #expect(late.seconds(since: early) == 3.5)
        #expect(early.adding(seconds: 3.5) == late)
        #expect(early.adding(seconds: -0.0004) == early)
        #expect(early.secondsSinceEpoch == -2)
        #expect(Timestamp(millisecondsSinceEpoch: -2000).secondsSinceEpoch == -2)
        #expect(late.secondsSinceEpoch == 2)
    }

    @Test("times beyond all calendars are held at the end of the range, whatever was asked for")
    func extremes() {
        let last = Timestamp(millisecondsSinceEpoch: .max)
        let first = Timestamp(millisecondsSinceEpoch: .min)
        #expect(Timestamp.epoch.adding(seconds: 1e300) == last)
        #expect(Timestamp.epoch.adding(seconds: -.infinity) == first)
        #expect(last.adding(seconds: 1) == last)
        #expect(first.adding(seconds: -1) == first)
        #expect(Timestamp.epoch.adding(seconds: .nan) == .epoch)
        #expect(Timestamp(secondsSinceEpoch: .max) == last)
        #expect(Timestamp(secondsSinceEpoch: .min) == first)
        #expect(last.seconds(since: first) > 1e16)
        #expect(first.secondsSinceEpoch < -9_000_000_000_000_000)
        #expect(!first.description.isEmpty && !last.description.isEmpty)
    }

    @Test("in JSON it is a text, and a wrong one is named")
    func json() throws {
        let time = Timestamp(millisecondsSinceEpoch: 1_795_236_660_123)
        let text = try DocumentCoding.encodeLine([time])
        #expect(String(decoding: text, as: UTF8.self) == "[\"2026-11-21T04:51:00.123Z\"]\n")
        #expect(try DocumentCoding.decode([Timestamp].self, from: text) == [time])
        let fault = #expect(throws: DocumentFault.self) {
            try DocumentCoding.decode([Timestamp].self, from: bytes("[\"yesterday\"]"))
        }
        #expect(fault?.description == "[0]: “yesterday” is not a date like 2026-11-21T04:51:00Z")
    }

    @Test("every day of 800 years is the day after the one before")
    func calendar() throws {
        var previous = CivilDate(daysSinceEpoch: -150_000)
        for days: Int64 in -149_999...150_000 {
            let date = CivilDate(daysSinceEpoch: days)
            #expect(date.daysSinceEpoch == days)
            let isNext = date.day == previous.day + 1 && date.month == previous.month && date.year == previous.year
            let isNextMonth = date.day == 1 && date.month == previous.month + 1 && date.year == previous.year
            let isNextYear = date.day == 1 && date.month == 1 && date.year == previous.year + 1
            if !isNext, !isNextMonth || previous.day < 28, !isNextYear || previous.day != 31 {
                Issue.record("\(previous) and then \(date)")
            }
            previous = date
        }
    }
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
