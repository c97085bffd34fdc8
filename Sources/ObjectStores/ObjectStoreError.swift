import Model

/// A call of an object store that failed: why, in one sentence, and what that means for the caller.
package struct ObjectStoreError: DescribedError, Hashable {
    package enum Kind: Hashable, Sendable {
        /// Nothing was sent: no connection, no such folder.
        case unreachable
        /// The reply did not come, or not all of it.
        case interrupted
        /// The store cannot now: it is overloaded, or has a fault of its own.
        case unavailable
        /// The store refuses the credentials, or what was asked for.
        case refused
        /// There is no room.
        case full
        /// An object, or a reply, is longer than it may be.
        case tooLong
        /// The content is not what its digest says.
        case otherContent
        /// The store does not keep its contract, or is none.
        case unusable
        /// This side gave up.
        case cancelled
    }

    package let kind: Kind
    package let reason: String

    package init(_ kind: Kind, _ reason: String) {
        self.kind = kind
        self.reason = reason
    }

    package var description: String { reason }

    /// Whether the call may have been carried out all the same.
    package var mayHaveTakenEffect: Bool {
        switch kind {
        case .interrupted, .unavailable, .unusable, .cancelled: true
        case .unreachable, .refused, .full, .tooLong, .otherContent: false
        }
    }

    /// Whether the same call may succeed later, without anybody's doing.
    package var isTransient: Bool {
        switch kind {
        case .unreachable, .interrupted, .unavailable: true
        case .refused, .full, .tooLong, .otherContent, .unusable, .cancelled: false
        }
    }
}
