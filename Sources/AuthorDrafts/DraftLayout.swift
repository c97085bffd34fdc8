import Model
import SystemPackage

/// Names of the drafts' files, built and parsed here and nowhere else.
///
///     FOLDER/<uuid>/<n>.json    the states of a questionnaire that an author is writing; the greatest n counts
///     FOLDER/<uuid>/media/      pictures and sounds of a draft, named by their SHA-256
package struct DraftLayout: Hashable, Sendable {
    /// The folder of all drafts.
    package let folder: FilePath
    /// Held while a draft is saved, published or removed.
    package let lock: FilePath
    /// A folder that there is, on the same file system.
    package let temporary: FilePath

    package init(folder: FilePath, lock: FilePath, temporary: FilePath) {
        (self.folder, self.lock, self.temporary) = (folder, lock, temporary)
    }

    private static let suffix = ".json"

    package func folder(of id: TestID) -> FilePath { folder.appending(name: id.description) }

    package func state(_ version: Int, of id: TestID) -> FilePath {
        folder(of: id).appending(name: "\(version)" + Self.suffix)
    }

    package func media(of id: TestID) -> FilePath { folder(of: id).appending(name: ContentPath.folder) }

    func media(_ path: ContentPath, of id: TestID) -> FilePath { media(of: id).appending(name: path.fileName) }

    /// The draft that a folder holds; `nil` for a name that no draft has.
    package static func id(ofFolder name: String) -> TestID? {
        TestID(name).flatMap { $0.description == name ? $0 : nil }
    }

    /// The number of a draft's state; `nil` for a name that no state has.
    package static func version(ofFile name: String) -> Int? {
        guard name.hasSuffix(suffix), let number = Int(place: name.dropLast(suffix.count)), number > 0 else {
            return nil
        }
        return "\(number)" + suffix == name ? number : nil
    }
}
