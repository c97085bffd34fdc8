import Model
import RichText

// Sections: the passage above their questions, and their titles in the review.

extension TakeScreen {
    /// The section of the question on the screen, if there is anything to read in it.
    var passage: Section? {
        guard let question, let section = questionnaire.section(of: question.id), section.hasPassage else { return nil }
        return section
    }

    /// Whether a question is the first of its section that is shown: there the passage is read.
    func isFirstOfSection(_ place: Int) -> Bool {
        let section = questionnaire.section(of: questionnaire.questions[place].id)
        let first = visible.first { questionnaire.section(of: questionnaire.questions[$0].id)?.id == section?.id }
        return section != nil && first == place
    }

    /// Shows the passage above the question, or puts it away.
    mutating func turnPassage() -> [Effect] {
        guard passage != nil else { return [.bell] }
        showsPassage.toggle()
        passageTurns += 1
        layOut()
        scroll = 0
        if !showsPassage { reveal() }
        return []
    }

    /// A heading of the review above a row; empty where questions of no section follow those of one.
    struct ReviewTitle: Hashable, Sendable {
        var row: Int
        var text: String
    }

    var reviewTitles: [ReviewTitle] {
        if questionnaire.sections.isEmpty { return [] }
        var titles: [ReviewTitle] = []
        var row = 0
        for group in questionnaire.groups(visible) {
            let title = group.section?.title ?? ""
            if !title.isEmpty || !titles.isEmpty {
                titles.append(
                    ReviewTitle(row: row, text: title.isEmpty ? "" : questionnaire.textFormat.line(of: title)))
            }
            row += group.places.count
        }
        return titles
    }

    /// The row of the content in which a question of the review, or the button below, is.
    func reviewRow(_ row: Int, _ titles: [ReviewTitle]) -> Int {
        reviewStart + row + titles.count { $0.row <= row && row < visible.count }
            + (row == visible.count ? titles.count + 1 : 0)
    }
}

extension Section {
    /// The rows of what is read above the questions, and one of space.
    func rows(_ format: TextFormat, pictures: [String], size: ScreenSize, isPlain: Bool) -> [Line] {
        let formatted = FormattedRows(size: size, isPlain: isPlain)
        var rows: [Line] = []
        if let title, !title.isEmpty {
            rows += wrap(format.line(of: title), width: size.textWidth).map { Line($0, .strong) }
        }
        if let text, !text.isEmpty {
            rows +=
                format.tree(of: text).map { formatted.rows(of: $0) }
                ?? QuestionContent.prose(text, size: size, style: .plain)
        }
        for picture in pictures { rows += wrap(picture, width: size.textWidth).map { Line($0) } }
        let rule = String(repeating: isPlain ? "-" : "─", count: min(size.textWidth, 24))
        return rows.isEmpty ? [] : rows + [Line(rule, .faint)]
    }
}
