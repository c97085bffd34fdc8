import HTTPCaching
import HTTPTypes
import Model
import Sync
import WireFormat

/// The host's processing of a request.
extension ScriptedRemote {
    func find(_ url: String, _ fields: HTTPFields, _ state: inout State) throws(RemoteFailure) -> RemoteReply {
        var resource = state.resources[url]
        if resource == nil, url == listURL || url.hasPrefix(listURL + "?cursor=") {
            resource = page(Int(url.dropFirst(listURL.count + 8)) ?? 0, state)
        }
        if resource == nil, url.hasPrefix(listURL + "?since=") {
            // A host that knows no such question answers as if it was not there.
            resource = changes(String(url.dropFirst(listURL.count + 7)), state) ?? page(0, state)
        }
        guard let resource else { return problem(404, "there is nothing at \(url)") }
        // The first page's tag stands for the complete list.
        let pages = stride(from: 0, to: state.listed.count, by: pageSize)
        let complete = url == listURL ? pages.flatMap { page($0, state).body } : []
        let etag = url == listURL ? "\"\(Digest(sha256Of: complete).hex)\"" : resource.etag
        var reply = self.reply(200, resource.body, resource.mediaType)
        reply.fields[.eTag] = etag
        reply.fields[.cacheControl] = resource.cacheControl
        if let condition = fields[.ifNoneMatch], Validators.ifNoneMatch(condition, matches: etag) {
            reply.status = 304
            reply.body = []
        }
        return reply
    }

    private struct Page: Encodable {
        struct Item: Encodable {
            var id: String
            var title: String
            var url: String
            var digest: Digest?
            var media: [String]?
            var mediaDigests: [String: Digest]?
        }
        var questionnaires: [Item]
        var next: String?
        var register: String?
        var last: Int?
        var since: Int?
        var state: Digest?
    }

    private func page(_ start: Int, _ state: State) -> Resource {
        let items = items(Array(state.listed.dropFirst(start).prefix(pageSize)), state)
        let end = start + items.count
        var page = Page(questionnaires: items, next: end < state.listed.count ? String(end) : nil)
        if start == 0, let register = state.register { (page.register, page.last) = (register, state.sequence) }
        return Resource(body: encoded(page), mediaType: "application/json", cacheControl: "no-cache")
    }

    /// What has changed since a number; `nil` where it is not one of this register.
    private func changes(_ question: String, _ state: State) -> Resource? {
        let parts = question.components(separatedBy: "&register=")
        guard parts.count == 2, let since = Int(parts[0]), parts[1] == state.register, since <= state.sequence else {
            return nil
        }
        var whole = ListState()
        let sorted = state.listed.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        for item in items(sorted, state) {
            whole.add(id: item.id, digest: item.digest, mediaDigests: item.mediaDigests)
        }
        let page = Page(
            questionnaires: items(sorted.filter { state.numbers[$0, default: 0] > since }, state),
            register: state.register, last: state.sequence, since: since, state: whole.digest())
        return Resource(body: encoded(page), mediaType: "application/json", cacheControl: "no-store")
    }

    private func items(_ ids: [String], _ state: State) -> [Page.Item] {
        ids.map { id in
            let resource = state.resources[documentURL(id: id)]
            let media = resource?.media ?? []
            let digests = media.compactMap { url in
                state.resources[url].map { (url, Digest(sha256Of: $0.body)) }
            }
            return Page.Item(
                id: id, title: resource?.title ?? id, url: documentURL(id: id),
                digest: state.listsDigests ? Digest(sha256Of: resource?.body ?? []) : nil,
                media: media.isEmpty ? nil : media,
                mediaDigests: state.listsMediaDigests ? Dictionary(digests) { first, _ in first } : nil)
        }
    }

    func store(_ test: TestID, _ bytes: [UInt8], _ digest: Digest, _ state: inout State) -> RemoteReply {
        guard Digest(sha256Of: bytes) == digest else { return problem(400, "the bytes are not those of the digest") }
        if let stored = state.tests[test] {
            guard stored == bytes else { return problem(409, "another version of this test is here") }
            return json(200, state.receipts[test])
        }
        state.tests[test] = bytes
        state.arrivals.append(test)
        state.receipts[test] = Receipt(test: test, digest: digest, status: state.statusOnArrival, receivedAt: clock.now)
        return json(201, state.receipts[test])
    }

    func carryOut(_ delivery: ChangeDelivery, _ state: inout State) -> RemoteReply {
        let change = delivery.change
        if let known = state.receipts[change.id] {
            return known.digest == change.contentDigest ? json(200, known) : problem(409, "another change is here")
        }
        var published = Publication(id: state.localIDs[change.questionnaire] ?? change.questionnaire)
        switch change {
        case .media: return problem(400, "attachments are uploaded")
        case .favorite(let favorite):
            if favorite.favorite {
                state.favorites.insert(published.id)
            } else {
                state.favorites.remove(published.id)
            }
        case .questionnaire(let questionnaire):
            let url = documentURL(id: published.id)
            let current = state.resources[url]
            // A deleted questionnaire need not be deleted again.
            let isGone = questionnaire.action == .delete && current == nil
            guard current?.etag == delivery.etag || questionnaire.policy == .client || isGone else {
                var reply = problem(412, "another version is here")
                reply.fields[.eTag] = current?.etag
                return reply
            }
            if let document = questionnaire.document {
                if questionnaire.action == .create {
                    published.id = "made-\(state.localIDs.count + 1)"
                    state.localIDs[questionnaire.questionnaire] = published.id
                    state.listed.append(published.id)
                }
                var resource = Resource(body: document, mediaType: "application/json", cacheControl: "max-age=60")
                if let named = try? QuestionnaireChange.document(document, named: published.id) {
                    resource.body = named
                }
                state.resources[documentURL(id: published.id)] = resource
                published.etag = resource.etag
                published.digest = Digest(sha256Of: resource.body)
            } else {
                let id = published.id
                state.resources[url] = nil
                state.listed.removeAll { $0 == id }
                published.deleted = true
            }
        }
        let receipt = Receipt(
            test: change.id, digest: change.contentDigest, status: .sent, receivedAt: clock.now, action: change.action,
            published: published)
        state.receipts[change.id] = receipt
        state.carriedOut.append(change.id)
        return json(201, receipt)
    }

    // MARK: - Replies

    func reply(_ status: Int, _ body: [UInt8], _ mediaType: String) -> RemoteReply {
        let now = clock.now
        var fields = HTTPFields()
        fields[.contentType] = mediaType
        fields[.date] = HTTPDate.format(now)
        return RemoteReply(status: status, fields: fields, body: body, requestTime: now, responseTime: now)
    }

    func json(_ status: Int, _ value: some Encodable) -> RemoteReply {
        reply(status, encoded(value), "application/json")
    }

    func problem(_ status: Int, _ detail: String) -> RemoteReply {
        let document = ProblemDocument(
            status: status, name: "Problem", kind: "simulated", title: "Problem", detail: detail)
        return reply(status, document.bytes, ProblemDocument.mediaType)
    }

    private func encoded(_ value: some Encodable) -> [UInt8] {
        do { return try DocumentCoding.encode(value) } catch {
            preconditionFailure("a fake that cannot encode: \(error)")
        }
    }
}
