import Model

/// An attachment on its way: its bytes are read piece by piece, from the offset at which the remote resumes.
public struct MediaUpload: Sendable {
    package var change: MediaChange
    /// The URL of an earlier start; `nil` if unknown.
    package var known: String?
    /// Returns at most this many bytes from an offset on; empty at the end.
    package var read: @Sendable (_ offset: Int64, _ maximumBytes: Int) async throws -> [UInt8]
    /// Records durably where the upload resumes; called before the first byte is sent there.
    package var begun: @Sendable (_ url: String) async throws -> Void
    /// Called with the number of bytes that the remote has, or was sent.
    package var progress: @Sendable (_ sentBytes: Int64) -> Void

    package init(
        change: MediaChange, known: String?,
        read: @escaping @Sendable (_ offset: Int64, _ maximumBytes: Int) async throws -> [UInt8],
        begun: @escaping @Sendable (_ url: String) async throws -> Void = { _ in },
        progress: @escaping @Sendable (_ sentBytes: Int64) -> Void = { _ in }
    ) {
        self.change = change
        self.known = known
        self.read = read
        self.begun = begun
        self.progress = progress
    }
}

/// How far the upload of an attachment is.
public struct MediaProgress: Sendable, Hashable {
    package var id: TestID
    public var name: String
    public var sentBytes: Int64
    public var sizeBytes: Int64
}

extension Remote {
    /// A remote that takes no attachments: they wait for another one.
    public func upload(_ upload: MediaUpload) async throws(RemoteFailure) -> RemoteReply {
        throw RemoteFailure(.invalidReply, "this remote takes no attachments")
    }
}
