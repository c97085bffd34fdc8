import Disk
import Model
import Simulation
import Testing

@testable import CacheStore

/// An index file of any length is read piece by piece, and nothing of it counts unless all of it is as it was written.
struct IndexReaderTests {
    /// Messages of all lengths, in pieces that none of them ends with, and one that is longer than many pieces.
    private static let messages: [[UInt8]] = {
        var generator = SeededGenerator(seed: 41)
        var lengths = (0..<700).map { _ in Int.random(in: 0...4000, using: &generator) }
        lengths.insert(500_000, at: 300)
        return lengths.map { length in (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) } }
    }()

    private func field(_ message: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = [0x0A]
        var length = message.count
        while length >= 0x80 {
            bytes.append(UInt8(length & 0x7F) | 0x80)
            length >>= 7
        }
        return bytes + [UInt8(length)] + message
    }

    private func write(_ messages: [[UInt8]], _ files: any FileSystem) throws {
        let writer = try IndexWriter(files)
        for message in messages { try writer.append(field(message)) }
        try writer.finish(as: CacheLayout.texts)
    }

    private func read(_ files: any FileSystem, isVerifying: Bool = true) throws -> [[UInt8]]? {
        let file = try files.open(CacheLayout.texts, .read)
        defer { files.closeQuietly(file) }
        var found: [[UInt8]] = []
        var foundMeanwhile = 0
        let reader = IndexReader(fileSystem: files, file: file, longestMessage: 2 << 20)
        let isWhole = try reader.eachMessage(isVerifying: isVerifying) { message in
            found.append(Array(message))
            return true
        } meanwhile: {
            foundMeanwhile = found.count
        }
        guard isWhole else { return nil }
        #expect(foundMeanwhile == found.count, "all are there when there is time for something else")
        return found
    }

    @Test("what was written is read", arguments: [true, false])
    func whole(isVerifying: Bool) throws {
        let files = SimulatedDisk().process()
        for messages in [Self.messages, [], [[]], [[1, 2, 3]]] {
            try write(messages, files)
            #expect(try read(files, isVerifying: isVerifying) == messages)
        }
    }

    @Test("one bit that is another, or a byte too few, is noticed wherever it is")
    func damaged() throws {
        let disk = SimulatedDisk()
        let files = disk.process()
        try write(Self.messages, files)
        let (bytes, _) = try files.readFile(CacheLayout.texts, maximumBytes: 16 << 20)
        #expect(bytes.count > 3 << 19)
        for place in [0, 20, 46, 47, 131_000, 800_000, 1_500_000, bytes.count - 1] {
            var changed = bytes
            changed[place] ^= 4
            try files.writeUnsynced(changed, to: CacheLayout.texts, temporaryFolder: CacheLayout.index)
            #expect(try read(files) == nil, "a change at \(place)")
        }
        for count in [0, 10, 46, 200_000, bytes.count - 1] {
            try files.writeUnsynced(
                Array(bytes.prefix(count)), to: CacheLayout.texts, temporaryFolder: CacheLayout.index)
            #expect(try read(files) == nil, "\(count) bytes of it")
        }
    }

    @Test("who wants no more gets no more, and a message that is too long is none")
    func ended() throws {
        let files = SimulatedDisk().process()
        try write(Self.messages, files)
        let file = try files.open(CacheLayout.texts, .read)
        defer { files.closeQuietly(file) }
        var count = 0
        let reader = IndexReader(fileSystem: files, file: file, longestMessage: 2 << 20)
        #expect(
            try !reader.eachMessage { _ in
                count += 1
                return count < 500
            })
        #expect(count == 500)
        let strict = IndexReader(fileSystem: files, file: file, longestMessage: 256 << 10)
        #expect(try !strict.eachMessage { _ in true })
    }
}
