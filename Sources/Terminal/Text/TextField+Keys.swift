// What keys do in a field.

extension TextField {
    /// Moves the cursor.
    ///
    /// - Returns: whether it moved; `nil` when the key is none that moves it.
    mutating func move(by key: Key) -> Bool? {
        switch key {
        case .left, .control("b"): moveLeft()
        case .right, .control("f"): moveRight()
        case .wordLeft: moveWordLeft()
        case .wordRight: moveWordRight()
        case .home, .control("a"):
            // At the edge already: nothing to complain of.
            moveToLineStart() || true
        case .end, .control("e"): moveToLineEnd() || true
        default: nil
        }
    }

    /// Deletes a part of the text.
    ///
    /// - Returns: whether there was any; `nil` when the key deletes nothing.
    mutating func delete(by key: Key) -> Bool? {
        switch key {
        case .backspace: backspace()
        case .delete, .control("d"): delete()
        case .deleteWord, .control("w"): deleteWord()
        case .control("u"): deleteToLineStart()
        case .control("k"): deleteToLineEnd()
        default: nil
        }
    }
}
