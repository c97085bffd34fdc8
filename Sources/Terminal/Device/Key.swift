/// A key press, or pasted text.
enum Key: Hashable, Sendable {
    case character(Character)
    /// A letter with Alt.
    case alt(Character)
    /// A letter with Ctrl, in lowercase.
    case control(Character)
    case paste(String)
    case enter
    /// Alt-Enter, Shift-Enter where the terminal reports it, or Ctrl-J.
    case lineBreak
    case tab
    case backTab
    case escape
    case backspace
    case delete
    case deleteWord
    case up
    case down
    case left
    case right
    case wordLeft
    case wordRight
    case home
    case end
    case pageUp
    case pageDown
    /// A key that means nothing here, or bytes that are no key.
    case unknown
}
