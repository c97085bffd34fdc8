import Disk

/// A host as a queue: one request after the other, each for its time, at most so many at once; the others hear when to come
/// again.
struct LoadHost {
    enum Answer: Equatable {
        /// When the request is answered.
        case answered(at: Double)
        /// There was no place for the connection.
        case turnedAway
    }

    private let places: Int
    private var freeAt = 0.0
    /// When those that are in the queue will be answered, in order; those before `first` are.
    private var ends: [Double] = []
    private var first = 0
    private var advice = ReturnAdvice()
    private(set) var busySeconds = 0.0
    private(set) var mostWaiting = 0

    init(places: Int) { self.places = places }

    mutating func take(at now: Double, for seconds: Double) -> Answer {
        while first < ends.count, ends[first] <= now {
            advice.answered(now: ends[first])
            first += 1
        }
        if first > 4096, first * 2 > ends.count {
            ends.removeFirst(first)
            first = 0
        }
        let waiting = ends.count - first
        guard waiting < places else {
            advice.turnedAway(now: now)
            return .turnedAway
        }
        mostWaiting = max(mostWaiting, waiting + 1)
        freeAt = max(freeAt, now) + seconds
        busySeconds += seconds
        ends.append(freeAt)
        return .answered(at: freeAt)
    }

    /// When one that was turned away may come again, by the host's own rule.
    mutating func returnSeconds(random: Double, now: Double) -> Int { advice.seconds(random: random, now: now) }
}
