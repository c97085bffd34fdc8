/// Scripts as browsers get them.
package enum CompactScript {
    /// A script without indentation, empty lines and comments that have a line of their own. It may have no text of several
    /// lines.
    package static func bytes(of script: [UInt8]) -> [UInt8] {
        let lines = script.split(separator: UInt8(ascii: "\n")).map { $0.drop { $0 == UInt8(ascii: " ") } }
        return Array(
            lines.filter { !$0.isEmpty && !$0.starts(with: Array("//".utf8)) }.joined(separator: [UInt8(ascii: "\n")]))
    }
}
