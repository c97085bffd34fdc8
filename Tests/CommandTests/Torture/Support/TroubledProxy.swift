import Foundation
import Synchronization

/// Stands between devices and a host on the loopback interface, and treats each connection as a bad network would: it
/// refuses it, tears the request, loses the reply or a part of it, or says the whole request twice.
final class TroubledProxy: Sendable {
    private enum Trouble {
        case none, refused, said
        case tornRequest(Int)
        case lostReply(Int)
    }

    struct Counts {
        var connections = 0
        var refused = 0
        var torn = 0
        var lost = 0
        var saidTwice = 0
    }

    private struct State {
        var generator: SeededGenerator
        var isHonest = false
        var counts = Counts()
    }

    let port: Int
    private let listener: Int32
    private let hostPort: Int
    private let state: Mutex<State>

    init(to hostPort: Int, seed: UInt64) throws {
        self.hostPort = hostPort
        state = Mutex(State(generator: SeededGenerator(seed: seed)))
        (listener, port) = try CuttingProxy.listen()
        Thread.detachNewThread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                Thread.detachNewThread { [self] in
                    serve(client, choose())
                    close(client)
                }
            }
        }
    }

    var address: String { "http://127.0.0.1:\(port)" }
    var counts: Counts { state.withLock { $0.counts } }

    /// From now on nothing goes wrong.
    func calm() { state.withLock { $0.isHonest = true } }

    func end() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private func choose() -> Trouble {
        state.withLock { state in
            state.counts.connections += 1
            guard !state.isHonest else { return .none }
            switch Int.random(in: 0..<10, using: &state.generator) {
            case 0:
                state.counts.refused += 1
                return .refused
            case 1:
                state.counts.torn += 1
                return .tornRequest(Int.random(in: 1..<2000, using: &state.generator))
            case 2, 3:
                state.counts.lost += 1
                return .lostReply(Int.random(in: 0..<600, using: &state.generator))
            case 4:
                state.counts.saidTwice += 1
                return .said
            default: return .none
            }
        }
    }

    private func serve(_ client: Int32, _ trouble: Trouble) {
        if case .refused = trouble { return }
        let host = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(host) }
        guard CuttingProxy.connect(host, hostPort) else { return }
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        var said: [UInt8] = []
        var answered = 0
        while true {
            var waiting = [
                pollfd(fd: client, events: Int16(POLLIN), revents: 0),
                pollfd(fd: host, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&waiting, 2, patienceMilliseconds) > 0 else { return }
            if waiting[0].revents != 0 {
                let count = recv(client, &buffer, buffer.count, 0)
                guard count > 0 else {
                    shutdown(host, Int32(SHUT_WR))
                    CuttingProxy.drain(host)
                    if case .said = trouble { say(said) }
                    return
                }
                said += buffer[..<count]
                if case .tornRequest(let length) = trouble, said.count >= length {
                    _ = CuttingProxy.send(host, buffer[..<max(0, count - (said.count - length))])
                    return
                }
                guard CuttingProxy.send(host, buffer[..<count]) else { return }
            }
            if waiting[1].revents != 0 {
                let count = recv(host, &buffer, buffer.count, 0)
                guard count > 0 else { return }
                if case .lostReply(let length) = trouble, answered + count > length {
                    _ = CuttingProxy.send(client, buffer[..<max(0, length - answered)])
                    return
                }
                answered += count
                guard CuttingProxy.send(client, buffer[..<count]) else { return }
            }
        }
    }

    /// Repeats everything that was said; the answer is discarded.
    private func say(_ bytes: [UInt8]) {
        let host = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(host) }
        guard CuttingProxy.connect(host, hostPort), CuttingProxy.send(host, bytes[...]) else { return }
        shutdown(host, Int32(SHUT_WR))
        CuttingProxy.drain(host)
    }
}
