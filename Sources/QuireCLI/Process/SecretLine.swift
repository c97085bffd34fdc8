import Glibc

/// A line that is typed and not shown, such as a PIN; from standard input as it is where that is no terminal.
enum SecretLine {
    /// - Returns: `nil` at the end of the input.
    static func read(_ prompt: String) -> String? {
        var former = termios()
        guard Output.isInteractive, tcgetattr(STDIN_FILENO, &former) == 0 else { return readLine() }
        Output.write(prompt, to: STDERR_FILENO)
        var hidden = former
        hidden.c_lflag &= ~tcflag_t(ECHO)
        hidden.c_lflag |= tcflag_t(ECHONL)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
        defer { tcsetattr(STDIN_FILENO, TCSAFLUSH, &former) }
        return readLine()
    }
}
