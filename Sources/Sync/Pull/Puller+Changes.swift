import CacheStore
import Disk
import Model
import WireFormat

/// Asks for what has changed since the stored list.
extension Puller {
    /// The whole list, made of the stored one and what has changed since; `nil` where the whole list is to be asked for.
    ///
    /// The stored list stays as it is, so each later question is for what has changed since that. What is put together counts
    /// only where it says what the server's list says as a whole; a removal never does, so only a whole list removes anything.
    func listByChanges() async throws -> [QuestionnaireList.Item]? {
        guard let stored = try await offload({ try storedList() }) else { return nil }
        let url = fetcher.remote.listURL + "?since=\(stored.last)&register=" + PercentEncoding.encode(stored.register)
        let reply: RemoteReply
        do throws(RemoteFailure) {
            reply = try await fetcher.remote.get(
                url, fields: Fetcher.requestFields, maximumBytes: Questionnaire.maximumBytes)
        } catch {
            if [.unreachable, .cancelled].contains(error.kind) { throw error }
            return nil
        }
        fetcher.heardList(reply)
        // Whatever else came, the question for the whole list says why.
        guard reply.status == 200, !reply.isFromStranger,
            let bytes = try? ContentReading.content(of: reply, maximumBytes: Questionnaire.maximumBytes),
            let changes = try? DocumentCoding.decode(QuestionnaireList.self, from: bytes),
            changes.since == stored.last, changes.register == stored.register, let state = changes.state
        else { return nil }
        return Self.merged(stored.items, changes.questionnaires, state: state)
    }

    /// A list with these changes; `nil` where it does not say what the server's says.
    static func merged(
        _ items: [QuestionnaireList.Item], _ changes: [QuestionnaireList.Item], state: Digest
    ) -> [QuestionnaireList.Item]? {
        // By bytes: é composed and é decomposed are two ids.
        var byID: [[UInt8]: QuestionnaireList.Item] = [:]
        for item in items + changes { byID[Array(item.id.utf8)] = item }
        let sorted = byID.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
        var own = ListState()
        for item in sorted { own.add(id: item.id, digest: item.digest, mediaDigests: item.mediaDigests) }
        return own.digest() == state ? sorted : nil
    }

    private struct StoredList: Sendable {
        var items: [QuestionnaireList.Item]
        var register: String
        var last: Int
    }

    /// The list as it was last transferred whole; `nil` where a page of it is missing, or where its server numbers no changes.
    private func storedList() throws -> StoredList? {
        let url = fetcher.remote.listURL
        guard let first = try storedPage(url), let register = first.register, let last = first.last else { return nil }
        var items = first.questionnaires
        var next = first.next
        var seen: Set<String> = [url]
        while let reference = next {
            guard let nextURL = Self.nextURL(reference, listURL: fetcher.remote.listURL),
                seen.insert(nextURL).inserted, items.count <= Self.maximumItems, let page = try storedPage(nextURL)
            else { return nil }
            items += page.questionnaires
            next = page.next
        }
        return StoredList(items: items, register: register, last: last)
    }
}
