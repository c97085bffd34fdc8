import Model

/// The form for a new questionnaire.
struct NewDraftScreen {
    let context: DeskContext
    var fault: String?

    func content() -> DeskScreens.Content {
        let language = context.language
        var model: [String: any Sendable] = [
            "languages": SettingsScreen.languages(context.request.form["locale"] ?? language.rawValue, language)
        ]
        model["fault"] = fault
        var content = DeskScreens.Content(
            template: .draftnew, title: language.text("New questionnaire"), model: model)
        if fault != nil { content.status = .unprocessableContent }
        return content
    }
}
