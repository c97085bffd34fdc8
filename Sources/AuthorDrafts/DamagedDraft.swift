import SystemPackage

/// A draft's file that cannot be read.
package struct DamagedDraft: Error, Hashable, CustomStringConvertible {
    package let file: FilePath
    package let reason: String

    package var description: String {
        "\(file) is damaged (\(reason)): restore it from a backup, or move it away"
    }
}
