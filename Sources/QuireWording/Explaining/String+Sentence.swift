extension String {
    /// With a full stop, where it does not end as a sentence already: a server's sentence has one of its own.
    var asSentence: String {
        guard let last, !".!?…".contains(last) else { return self }
        return self + "."
    }
}
