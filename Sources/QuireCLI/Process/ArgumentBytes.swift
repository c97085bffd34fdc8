/// The arguments as the system gives them. `CommandLine.arguments` replaces bytes that are not UTF-8: an answer, a file or a
/// store would silently get another name than the typed one.
enum ArgumentBytes {
    /// More bytes of an argument are not shown.
    private static let longestShown = 200

    /// - Throws: `Failure` that names the first argument that is not UTF-8.
    static func check() throws {
        for place in 1..<max(1, Int(CommandLine.argc)) {
            guard let argument = CommandLine.unsafeArgv[place] else { return }
            if String(validatingCString: argument) != nil { continue }
            let bytes = UnsafeBufferPointer(start: argument, count: longestShown).prefix { $0 != 0 }
            throw Failure(
                Exit.usage,
                "argument \(place), “\(shown(bytes.map { UInt8(bitPattern: $0) }))”, is not UTF-8: type it with a UTF-8 locale, "
                    + "or rename the file that it names")
        }
    }

    /// The text of these bytes, with those that are not UTF-8 like `\xE9`.
    private static func shown(_ bytes: [UInt8]) -> String {
        var text = ""
        var rest = bytes[...]
        var parser = UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid(let scalar):
                text.unicodeScalars.append(UTF8.decode(scalar))
                rest = rest.dropFirst(scalar.count)
            case .error(let length):
                for byte in rest.prefix(length) { text += "\\x" + String(byte, radix: 16, uppercase: true) }
                rest = rest.dropFirst(length)
            case .emptyInput: return text
            }
        }
    }
}
