import Disk
import Model
import SystemPackage
import Testing

@testable import Quire

@Suite("A PIN keeps a person's tests on a shared device from the others")
struct PINTests {
    private static let rounds = 16

    private func refusal(_ body: () throws -> Void) -> PersonError? {
        do {
            try body()
            return nil
        } catch {
            return error as? PersonError
        }
    }

    @Test("who switches to a person with a PIN needs it, by each way", arguments: StoreKind.allCases)
    func switching(_ kind: StoreKind) async throws {
        let ground = try await StoreFixture(on: kind)
        let store = ground.store
        let ada = try store.people.set(name: "Ada")
        try store.people.setPIN("12 34", former: nil, rounds: Self.rounds)
        // The current person stays one without it.
        #expect(try store.people.use(named: "Ada") == ada)
        let boris = try store.people.set(name: "Boris")
        #expect(refusal { _ = try store.people.use(named: "Ada") } == .pinNeeded(ada))
        #expect(refusal { _ = try store.people.set(name: "Ada") } == .pinNeeded(ada))
        #expect(refusal { _ = try store.people.set(name: "Eve", id: ada.id) } == .pinNeeded(ada))
        #expect(refusal { _ = try store.people.use(named: "Ada", pin: "1235") } == .wrongPIN(ada, waitSeconds: 0))
        #expect(refusal { _ = try store.people.use(named: "Ada", pin: "no") } == .wrongPIN(ada, waitSeconds: 0))
        #expect(try store.people.state().current == boris)
        #expect(try store.people.state().people.map(\.name) == ["Ada", "Boris"])
        // Digits of another script are the same PIN.
        #expect(try store.people.use(named: "Ada", pin: "\u{0661}\u{0662}\u{0663}\u{0664}") == ada)
        #expect(try store.people.pins.holders(among: [ada, boris]) == [ada.id])
        #expect(try ground.reopened().people.pins.isSet(for: ada.id))
    }

    @Test("it is changed and removed by its person alone, and reset by the operator")
    func changing() async throws {
        let store = try await StoreFixture().store
        #expect(refusal { try store.people.setPIN("1234", former: nil) } == .noneCurrent)
        let ada = try store.people.set(name: "Ada")
        for text in ["", "123", "1234567890123", "12a4", "half"] {
            #expect(refusal { try store.people.setPIN(text, former: nil) } == .invalidPIN, "\(text)")
        }
        try store.people.setPIN("1234", former: nil, rounds: Self.rounds)
        #expect(refusal { try store.people.setPIN("5678", former: nil) } == .pinNeeded(ada))
        #expect(refusal { try store.people.setPIN("5678", former: "4321") } == .wrongPIN(ada, waitSeconds: 0))
        #expect(refusal { try store.people.setPIN(nil, former: "4321") } == .wrongPIN(ada, waitSeconds: 0))
        try store.people.setPIN("5678", former: "1234", rounds: Self.rounds)
        try store.people.use(nil)
        #expect(refusal { _ = try store.people.use(named: "Ada", pin: "1234") } == .wrongPIN(ada, waitSeconds: 0))
        try store.people.use(named: "Ada", pin: "5678")
        try store.people.setPIN(nil, former: "5678")
        try store.people.use(nil)
        try store.people.use(named: "Ada")
        try store.people.setPIN("1234", former: nil, rounds: Self.rounds)
        try store.people.use(nil)
        #expect(try store.people.resetPIN(of: "Ada") == ada)
        try store.people.use(named: "Ada")
    }

    @Test("wrong ones are bounded, and the right person waits a quarter of an hour at most")
    func bounded() async throws {
        let ground = try await StoreFixture()
        let store = ground.store
        let ada = try store.people.set(name: "Ada")
        try store.people.setPIN("1234", former: nil, rounds: Self.rounds)
        try store.people.use(nil)
        var waits: [Int] = []
        for _ in 1...14 {
            guard case .wrongPIN(ada, let wait) = refusal({ _ = try store.people.use(named: "Ada", pin: "0000") })
            else {
                Issue.record("it was compared")
                return
            }
            waits.append(wait)
            guard wait > 0 else { continue }
            // Until then nothing is compared, not even the right one, also by another process.
            let other = try ground.reopened()
            #expect(refusal { _ = try other.people.use(named: "Ada", pin: "1234") } == .pinWait(ada, seconds: wait))
            ground.disk.clock.advance(by: .seconds(wait - 1))
            #expect(refusal { _ = try store.people.use(named: "Ada", pin: "1234") } == .pinWait(ada, seconds: 1))
            ground.disk.clock.advance(by: .seconds(1))
        }
        #expect(waits == [0, 0, 0, 0, 30, 60, 120, 240, 480, 900, 900, 900, 900, 900])
        try store.people.use(named: "Ada", pin: "1234")
        try store.people.use(nil)
        // They are forgotten with the right one.
        #expect(refusal { _ = try store.people.use(named: "Ada", pin: "0000") } == .wrongPIN(ada, waitSeconds: 0))
    }

    @Test("a clock that is set back makes no wait longer")
    func clock() {
        let now = Timestamp(secondsSinceEpoch: 1_800_000_000)
        let tries = PINTries(wrong: 30, at: now.adding(seconds: 1e9))
        #expect(tries.remainingSeconds(now) == PINTries.longestWaitSeconds)
        #expect(PINTries(wrong: 30, at: now).remainingSeconds(now.adding(seconds: 900)) == 0)
        #expect(PINTries(wrong: Int.max, at: now).remainingSeconds(now) == 900)
        #expect(PINTries(wrong: 4, at: now).remainingSeconds(now) == 0)
    }

    @Test("many tries at once are counted one by one")
    func atOnce() async throws {
        let store = try await StoreFixture(on: .inMemory).store
        let ada = try store.people.set(name: "Ada")
        try store.people.setPIN("1234", former: nil, rounds: Self.rounds)
        try store.people.use(nil)
        let compared = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<50 {
                group.addTask {
                    do {
                        try store.people.use(named: "Ada", pin: "\(1300 + number)")
                        return true
                    } catch PersonError.wrongPIN(ada, _) {
                        return true
                    } catch {
                        return false
                    }
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(compared == PINTries.free)
    }

    @Test("a damaged file locks, and the operator's reset opens")
    func damaged() async throws {
        let ground = try await StoreFixture()
        let store = ground.store
        let ada = try store.people.set(name: "Ada", id: "s-1")
        try store.people.setPIN("1234", former: nil, rounds: Self.rounds)
        try store.people.use(nil)
        let good = String(
            decoding: try ground.files.readFile("keys/s-1.pin.json", maximumBytes: 9999).bytes, as: UTF8.self)
        for text in [
            "{", good.replacing("\"rounds\" : 16", with: "\"rounds\" : 1073741824"),
            good.replacing("s-1", with: "s-2"), good.replacing("scrypt", with: "plain"),
        ] {
            #expect(text != good)
            try ground.files.writeDurably(Array(text.utf8), to: "keys/s-1.pin.json", temporaryFolder: "keys")
            #expect(refusal { _ = try store.people.use(named: "Ada", pin: "1234") } == .unreadablePIN(ada), "\(text)")
        }
        _ = try store.people.resetPIN(of: "s-1")
        try store.people.use(named: "Ada")
    }

    @Test("the PIN is nowhere in the file, two equal ones differ, and the standard hash takes 32 MiB")
    func stored() async throws {
        let ground = try await StoreFixture()
        var files: [String] = []
        for id in ["s-1", "s-2"] {
            try ground.store.people.set(name: id, id: id)
            try ground.store.people.setPIN("271828", former: nil)
            files.append(
                String(
                    decoding: try ground.files.readFile(FilePath("keys/\(id).pin.json"), maximumBytes: 9999).bytes,
                    as: UTF8.self))
        }
        for file in files { #expect(!file.contains("271828") && file.contains("\"scrypt\"") && file.contains("32768")) }
        #expect(files[0].replacing("s-1", with: "s-2") != files[1])
        try ground.store.people.use(nil)
        try ground.store.people.use(named: "s-1", pin: "271828")
    }
}
