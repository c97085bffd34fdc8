extension QuestionRules {
    /// An option for each row, the same options for all; with `multiple` any number of them.
    static let matrix = parts(.rows(isMultiple: false))
}
