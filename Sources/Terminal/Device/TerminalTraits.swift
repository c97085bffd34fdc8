import Glibc
import Model

/// The capabilities of a terminal, and its owner's preferences.
package struct TerminalTraits: Hashable, Sendable {
    /// People look at it: neither a pipe nor a file.
    package var isTerminal: Bool
    /// It has no cursor that could be moved: `TERM=dumb`, or none stated.
    package var isDumb: Bool
    /// Colours are wanted: a terminal, not a dumb one, and no `NO_COLOR` (https://no-color.org).
    package var usesColour: Bool
    /// No symbols beyond ASCII: the locale is not one of UTF-8, or it is the Linux console.
    package var isPlain: Bool
    package var columns: Int
    package var rows = 24

    /// Decides by the environment.
    package init(isTerminal: Bool, columns: Int, variable: (String) -> String?) {
        func value(_ name: String) -> String? { variable(name).flatMap { $0.isEmpty ? nil : $0 } }
        let term = value("TERM")
        let locale = value("LC_ALL") ?? value("LC_CTYPE") ?? value("LANG") ?? ""
        // `C.UTF-8`, `ru_RU.utf8`: letters and digits alone, the letters small. By bytes: the tables of Unicode take a
        // quarter of a millisecond of each start.
        let encoding = locale.utf8.filter { isalnum(Int32($0)) != 0 || $0 >= 0x80 }.map { $0 | 0x20 }
        let isUnicode = encoding.indices.contains { encoding[$0...].starts(with: "utf8".utf8) }
        self.isTerminal = isTerminal
        isDumb = term == nil || term == "dumb"
        usesColour = isTerminal && !isDumb && value("NO_COLOR") == nil
        isPlain = !isUnicode || term == "linux" || isDumb
        self.columns = columns
    }

    /// Looks at an open descriptor and the process's environment.
    package static func of(descriptor: Int32) -> TerminalTraits {
        let size = screenSize(of: descriptor)
        var traits = TerminalTraits(isTerminal: isatty(descriptor) == 1, columns: size.columns) { name in
            getenv(name).map { String(cString: $0) }
        }
        traits.rows = size.rows
        return traits
    }

    static func screenSize(of descriptor: Int32) -> ScreenSize {
        var window = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else {
            // The size since the VT100; serial lines do not report theirs.
            return ScreenSize(columns: 80, rows: 24)
        }
        return ScreenSize(columns: Int(window.ws_col), rows: Int(window.ws_row))
    }
}
