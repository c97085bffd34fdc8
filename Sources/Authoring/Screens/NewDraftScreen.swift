import Model

/// The form for a new questionnaire.
struct NewDraftScreen {
    let context: AuthoringContext
    var fault: String?

    func content() -> AuthoringScreens.Content {
        let language = context.language
        var model: [String: any Sendable] = [
            "languages": SettingsScreen.languages(context.request.form["locale"] ?? language.rawValue, language)
        ]
        model["fault"] = fault
        var content = AuthoringScreens.Content(
            template: .draftnew, title: language.text("New questionnaire"), model: model)
        if fault != nil { content.status = .unprocessableContent }
        return content
    }
}
