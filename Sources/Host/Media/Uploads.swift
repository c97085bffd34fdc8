import Disk
import Model

/// Uploads under way: in a host's folder, or in a bucket that any number of hosts share.
///
/// What an upload's offset counts is durable. Where two connections send the same upload, at the same host or at two, the bytes
/// of each offset come from one of them.
///
/// All calls but `receive` block: run them with `offload`.
package protocol Uploads: Sendable {
    /// The most bytes of one upload.
    var maximumBytes: Int64 { get }

    /// The upload of an attachment: the existing one, or a new one.
    ///
    /// - Throws: `UploadFault.tooLong`, `FileError`.
    func begin(_ attachment: Attachment, of owner: MediaOwner) throws -> UploadRecord

    /// The upload with this id, with all received bytes counted; `nil` where there is none.
    func pause(_ id: TestID) throws -> UploadRecord?

    /// Stores the content of an upload as it arrives. If the connection breaks, the received bytes are kept.
    ///
    /// - Parameter next: returns the next piece; `nil` at the end.
    /// - Returns: the offset reached, which is durable.
    /// - Throws: `UploadFault`, `FileError`, and the errors of `next`.
    func receive(
        _ id: TestID, _ part: UploadStore.Part, _ next: () async throws -> [UInt8]?
    ) async throws -> UploadRecord

    /// Cancels an upload.
    ///
    /// - Returns: whether it existed.
    func cancel(_ id: TestID) throws -> Bool
}

extension UploadStore: Uploads {}
