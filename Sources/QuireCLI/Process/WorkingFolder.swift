import Glibc
import SystemPackage

/// The folder that relative paths of the command line are meant from.
enum WorkingFolder {
    static var current: FilePath {
        guard let path = getcwd(nil, 0) else { return "." }
        defer { free(path) }
        return FilePath(String(cString: path))
    }
}
