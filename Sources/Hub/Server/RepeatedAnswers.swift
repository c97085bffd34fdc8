import Model
import NIOCore
import Sync

/// Answers from the cache as they went out, by the bytes of the requests that they answered: a request that is byte for
/// byte one of the same second needs no parsing, no decision and no writing of fields. On one event loop.
// Proof: it is touched on its event loop alone.
final class RepeatedAnswers: @unchecked Sendable {
    final class Answer {
        /// With the empty line at its end.
        let request: ByteBuffer
        let response: ByteBuffer
        let contentBytes: Int
        let lease: ReplyLease

        init(request: ByteBuffer, response: ByteBuffer, contentBytes: Int, lease: ReplyLease) {
            self.request = request
            self.response = response
            self.contentBytes = contentBytes
            self.lease = lease
        }

        var sizeBytes: Int { request.readableBytes + response.readableBytes }
    }

    private var answers: [ByteBuffer: Answer] = [:]
    private var sizeBytes = 0

    /// What all event loops of a hub keep together: in the turns of a room, documents come again within the second, too.
    static let mostBytesOfAll = 32 << 20
    static let longestRequest = 2048
    private static let mostBytesOfOne = 256 << 10

    private let mostBytes: Int

    /// - Parameter loops: how many there are, each with its own.
    init(loops: Int) { mostBytes = Self.mostBytesOfAll / max(1, loops) }

    func find(_ request: ByteBuffer, at now: Timestamp) -> Answer? {
        guard let answer = answers[request] else { return nil }
        if answer.lease.holds(at: now) { return answer }
        answers[request] = nil
        sizeBytes -= answer.sizeBytes
        return nil
    }

    func keep(_ answer: Answer) {
        guard answer.request.readableBytes <= Self.longestRequest, answer.sizeBytes <= Self.mostBytesOfOne else {
            return
        }
        // Nothing in it is of use for longer than a second: what is full begins anew.
        if sizeBytes + answer.sizeBytes > mostBytes {
            answers = [:]
            sizeBytes = 0
        }
        if let former = answers.updateValue(answer, forKey: answer.request) { sizeBytes -= former.sizeBytes }
        sizeBytes += answer.sizeBytes
    }
}

/// Answers what a connection repeats before anybody else sees it.
// Proof: it is touched on the connection's event loop alone.
final class RepeatedRequests: @unchecked Sendable {
    private let answers: RepeatedAnswers
    private let cache: HTTPCache
    private let clock: any StoreClock
    /// Most connections ask for the same again and again.
    private var last: RepeatedAnswers.Answer?

    init(_ answers: RepeatedAnswers, cache: HTTPCache, clock: any StoreClock) {
        self.answers = answers
        self.cache = cache
        self.clock = clock
    }

    /// Takes the requests out of the bytes that have come, as far as they are repeated, and answers them.
    func serve(_ buffer: inout ByteBuffer, on stream: ByteStream) {
        guard buffer.readableBytes > 0 else { return }
        let now = clock.now
        var isAnswered = false
        while stream.takesMore, let answer = next(buffer, now) {
            buffer.moveReaderIndex(forwardBy: answer.request.readableBytes)
            stream.put(answer.response)
            cache.countRepeated(bytes: answer.contentBytes)
            isAnswered = true
        }
        if isAnswered { stream.flush() }
    }

    private func next(_ buffer: ByteBuffer, _ now: Timestamp) -> RepeatedAnswers.Answer? {
        if let last, last.lease.holds(at: now),
            buffer.getSlice(at: buffer.readerIndex, length: last.request.readableBytes) == last.request
        {
            return last
        }
        guard let length = buffer.withUnsafeReadableBytes(Self.headLength),
            let head = buffer.getSlice(at: buffer.readerIndex, length: length)
        else { return nil }
        last = answers.find(head, at: now)
        return last
    }

    /// The length of a head with its empty line, if it is a short one.
    private static func headLength(_ bytes: UnsafeRawBufferPointer) -> Int? {
        var index = 3
        let end = min(bytes.count, RepeatedAnswers.longestRequest)
        while index < end {
            // A head's end is found by its last byte.
            if bytes[index] == 0x0A, bytes[index - 1] == 0x0D, bytes[index - 2] == 0x0A, bytes[index - 3] == 0x0D {
                return index + 1
            }
            index += 1
        }
        return nil
    }

    /// Keeps an answer that has gone out.
    func keep(request: ByteBuffer, response: ByteBuffer, contentBytes: Int, lease: ReplyLease) {
        guard request.readableBytes <= RepeatedAnswers.longestRequest else { return }
        let answer = RepeatedAnswers.Answer(
            request: ByteBuffer(bytes: request.readableBytesView), response: response, contentBytes: contentBytes,
            lease: lease)
        answers.keep(answer)
        last = answer
    }
}
