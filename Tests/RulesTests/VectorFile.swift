import Foundation
import Model

/// A file of cases that Swift and `rules.js` pass alike.
enum VectorFile {
    static let tests = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        .deletingLastPathComponent()

    static func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: tests.appending(path: "Vectors/\(name).json")))
    }

    static func cases<Case: Decodable>(_ name: String, _ type: Case.Type) throws -> [Case] {
        try DocumentCoding.decode([Case].self, from: bytes(name))
    }

    static func decode<Value: Decodable>(_ type: Value.Type, _ json: String) throws -> Value {
        try DocumentCoding.decode(type, from: Array(json.utf8))
    }

    static func text(_ value: some Encodable) throws -> String {
        String(decoding: try DocumentCoding.encodeLine(value), as: UTF8.self).trimmingCharacters(in: .newlines)
    }
}

/// Numbers that are the same in each run (SplitMix64).
struct SeededNumbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
