import Model
import Sync

/// Controls and queries for Quire's own tests.
extension ScriptedRemote {
    /// Another host that holds the same, well and reachable: what a crash of the device does not touch.
    package func copy() -> ScriptedRemote {
        let copy = ScriptedRemote(clock: clock, pageSize: pageSize)
        var content = state.withLock { $0 }
        content.fault = { _ in nil }
        content.presence = .likely
        let copied = content
        copy.state.withLock { $0 = copied }
        return copy
    }

    package func setPresence(_ presence: Presence) { state.withLock { $0.presence = presence } }

    /// Puts a questionnaire on the list, or a new version in its place.
    package func publish(
        _ id: String, _ json: String, cacheControl: String = "max-age=60", title: String? = nil, media: [String] = []
    ) {
        let resource = Resource(
            body: Array(json.utf8), mediaType: "application/json", cacheControl: cacheControl, title: title,
            media: media)
        state.withLock { state in
            state.resources[documentURL(id: id)] = resource
            state.sequence += 1
            state.numbers[id] = state.sequence
            if !state.listed.contains(id) { state.listed.append(id) }
        }
    }

    /// Puts something else there: a picture, or what a list says it has.
    package func publish(
        url: String, bytes: [UInt8], mediaType: String = "image/png", cacheControl: String = "max-age=60"
    ) {
        let resource = Resource(body: bytes, mediaType: mediaType, cacheControl: cacheControl)
        state.withLock { $0.resources[url] = resource }
    }

    /// Numbers its changes in a register of this name, as hosts do since they answer what has changed; `nil` for one that does not.
    package func numberChanges(_ register: String?) { state.withLock { $0.register = register } }

    /// Sets what the list states about documents and their media.
    package func setList(digests: Bool = true, mediaDigests: Bool = false) {
        state.withLock { ($0.listsDigests, $0.listsMediaDigests) = (digests, mediaDigests) }
    }

    /// Goes back to a state without some tests, as a host does that is restored from an older backup.
    package func loseTests(_ lost: Set<TestID>) {
        state.withLock { state in
            for id in lost {
                state.tests[id] = nil
                state.receipts[id] = nil
            }
            state.arrivals.removeAll { lost.contains($0) }
            state.media = [:]
        }
    }

    /// The longest list of receipts that the device takes.
    package func setLongestReceiptList(bytes: Int) { state.withLock { $0.longestReceiptListBytes = bytes } }

    /// The status of an arriving test.
    package func setStatusOnArrival(_ status: TestStatus) { state.withLock { $0.statusOnArrival = status } }

    /// The changes that were carried out, in their order: each id once.
    package var carriedOut: [TestID] { state.withLock { $0.carriedOut } }
    /// The ids of the questionnaires on the list.
    package var listed: [String] { state.withLock { $0.listed } }

    package func document(_ id: String) -> [UInt8]? {
        state.withLock { state in state.resources[documentURL(id: state.localIDs[id] ?? id)]?.body }
    }
}
