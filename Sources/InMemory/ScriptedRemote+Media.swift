import Model
import Sync
import WireFormat

/// Attachments: an upload in pieces, each of them a request.
extension ScriptedRemote {
    /// As much as one request takes: small, so that an upload has several.
    package static let pieceBytes = 1024

    public func upload(_ upload: MediaUpload) async throws(RemoteFailure) -> RemoteReply {
        let change = upload.change
        let begun = try await answer(.init(kind: .upload(change.id, offset: nil))) { state in
            self.begin(change, &state)
        }
        guard begun.status == 201, var offset = begun.fields[.contentLength].flatMap({ Int64($0) }) else {
            return begun
        }
        do {
            try await upload.begun(Self.origin + APIPath(upload: change.id).text)
        } catch {
            throw RemoteFailure(.cancelled, "\(error)")
        }
        while true {
            let piece: [UInt8]
            do {
                piece = try await upload.read(offset, Self.pieceBytes)
            } catch {
                throw RemoteFailure(.cancelled, "\(error)")
            }
            let reply = try await answer(.init(kind: .upload(change.id, offset: offset))) { state in
                self.append(piece, at: offset, to: change, &state)
            }
            guard reply.status == 204 else { return reply }
            offset += Int64(piece.count)
            if piece.isEmpty { return reply }
        }
    }

    private func begin(_ change: MediaChange, _ state: inout State) -> RemoteReply {
        if let known = state.receipts[change.id] { return json(200, known) }
        switch change.owner {
        case .test(let test):
            guard state.tests[test] != nil else { return problem(404, "the test is not here") }
        case .questionnaire(let path):
            guard state.names(path) else { return problem(404, "no questionnaire names it") }
        }
        if state.media[change.digest] != nil { return json(200, receipt(of: change, &state)) }
        var reply = problem(201, "go on")
        reply.fields[.contentLength] = String(state.uploads[change.id]?.count ?? 0)
        return reply
    }

    private func append(_ piece: [UInt8], at offset: Int64, to change: MediaChange, _ state: inout State) -> RemoteReply
    {
        var bytes = state.uploads[change.id] ?? []
        guard Int64(bytes.count) == offset else { return problem(409, "the upload stands elsewhere") }
        bytes += piece
        state.uploadedBytes += piece.count
        state.uploads[change.id] = bytes
        guard Int64(bytes.count) == change.sizeBytes else { return problem(204, "go on") }
        state.uploads[change.id] = nil
        guard Digest(sha256Of: bytes) == change.digest else {
            return problem(400, "the bytes are not those of the digest")
        }
        state.media[change.digest] = bytes
        return json(201, receipt(of: change, &state))
    }

    private func receipt(of change: MediaChange, _ state: inout State) -> Receipt {
        let receipt = Receipt(
            test: change.id, digest: change.digest, status: .sent, receivedAt: clock.now, action: .attach)
        state.receipts[change.id] = receipt
        return receipt
    }

    /// How many bytes of attachments were received.
    package var uploadedBytes: Int { state.withLock { $0.uploadedBytes } }
}
