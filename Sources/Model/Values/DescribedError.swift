import FoundationEssentials

/// An error that says in one sentence what is wrong and, where possible, what to do. `localizedDescription` is that
/// sentence, too.
public protocol DescribedError: LocalizedError, CustomStringConvertible {}

extension DescribedError {
    public var errorDescription: String? { description }
}
