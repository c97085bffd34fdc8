import Model

extension SettingsFields {
    /// Fits a form to the state that its author saw: what the form did not have is as it was.
    func fitted(from base: SettingsFields) -> SettingsFields {
        var fields = self
        if !hasTopics {
            (fields.subject, fields.level, fields.tags) = (base.subject, base.level, base.tags)
            fields.endsByItself = base.endsByItself
        }
        if !hasMoments {
            // A form without the script has neither seconds nor a zone.
            if Self.shown(opensAt) == Self.shown(base.opensAt) { fields.opensAt = base.opensAt }
            if Self.shown(closesAt) == Self.shown(base.closesAt) { fields.closesAt = base.closesAt }
        }
        fields.hasTopics = true
        return fields
    }

    static var parts: [FieldPart<SettingsFields>] {
        [
            .typed("title", \.title), .typed("description", \.description),
            FieldPart("locale", \.locale) { .choice($0) },
            .typed("subject", \.subject), .typed("level", \.level), .typed("tags", \.tags),
            .flag("markdown", \.isMarkdown), FieldPart("opens", \.opensAt) { .moment($0) },
            FieldPart("closes", \.closesAt) { .moment($0) }, FieldPart("late", \.late) { .choice($0) },
            .typed("attempts", \.attempts), .typed("minutes", \.minutes), .flag("ends", \.endsByItself),
            .flag("shufflequestions", \.shufflesQuestions), .flag("shuffleoptions", \.shufflesOptions),
            .typed("pass", \.passScore),
        ]
            + releases.map { name, standard in
                FieldPart("release.\(name)") {
                    .choice($0.release[name] ?? standard)
                } isSame: {
                    $0.release[name] ?? standard == $1.release[name] ?? standard
                } copy: {
                    $1.release[name] = $0.release[name]
                }
            }
    }
}

extension SectionFields {
    /// Fits a form to the state that its author saw.
    func fitted(from base: SectionFields, in document: DraftDocument) -> SectionFields {
        var fields = self
        fields.condition =
            base.condition.isShown ? condition.withChosenValues(after: base.condition, in: document) : base.condition
        return fields
    }

    static var parts: [FieldPart<SectionFields>] {
        [
            .typed("title", \.title), .typed("passage", \.text), .typed("pick", \.pick), .flag("repeats", \.repeats),
            .typed("repeatleast", \.least), .typed("repeatmost", \.most), .typed("repeatlabel", \.label),
            FieldPart("sectioncondition", \.condition) { .condition($0) },
        ]
    }
}
