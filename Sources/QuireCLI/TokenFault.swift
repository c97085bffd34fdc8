import Disk
import Model

/// Why there is no usable token where one is named.
enum TokenFault: DescribedError {
    /// The value of `$QUIRE_TOKEN`.
    case variable
    /// A path that can only be a folder's.
    case noFile(String)
    case unreadable(FileError)
    case openToOthers(String)
    case noToken(String)

    var description: String {
        switch self {
        case .variable: "$QUIRE_TOKEN holds no token: set it, or unset it"
        case .noFile(let file): "tokenFile: “\(file)” names no file"
        case .unreadable(let error): "tokenFile: \(error)"
        case .openToOthers(let file): "others can read the token in \(file): close it with “chmod 600 \(file)”"
        case .noToken(let file): "\(file) has no token in its first line"
        }
    }

    /// Whether the examination of a store does not find it: that looks at the file's name, kind and permissions.
    var isUnexamined: Bool {
        switch self {
        case .variable, .noToken: true
        case .unreadable(let error): !error.isMissing
        case .noFile, .openToOthers: false
        }
    }
}
