import Model

/// A file as it is attached to a question.
package struct QuestionnaireMedium: Sendable {
    package var path: ContentPath
    /// The questionnaire's permanent id.
    package var questionnaire: String
    package var title: String
    package var questionId: String
    /// The owner's name for it.
    package var name: String
    package var mediaType: String

    package init(
        path: ContentPath, questionnaire: String, title: String, questionId: String, name: String,
        mediaType: String
    ) {
        self.path = path
        self.questionnaire = questionnaire
        self.title = title
        self.questionId = questionId
        self.name = name
        self.mediaType = mediaType
    }
}

extension QuestionnaireChange {
    /// The attachment at this path, as far as the questionnaire describes it.
    package func medium(at path: ContentPath) -> QuestionnaireMedium {
        let known = document.flatMap { try? Questionnaire(json: $0) }
        let question = known?.questions.first { $0.media.contains { $0.path == path.description } }
        let medium = known?.media.first { $0.path == path.description }
        return .init(
            path: path, questionnaire: questionnaire, title: title, questionId: question?.id ?? "",
            name: Self.name(of: path, describedAs: medium?.alt ?? ""),
            mediaType: MediaType.of(fileName: path.fileName, stated: medium?.type))
    }

    /// People read its description sooner than a digest.
    private static func name(of path: ContentPath, describedAs description: String) -> String {
        guard let ending = path.fileName.split(separator: ".").last, !description.isEmpty else { return path.fileName }
        return Attachment.name(cleaning: String(description.prefix(60)) + "." + ending)
    }
}

extension MediaChange {
    /// The delivery of a file of a questionnaire.
    package init(
        _ medium: QuestionnaireMedium, id: TestID, sizeBytes: Int64, dateChanged: Timestamp, deviceId: String,
        sequence: Int
    ) {
        self.init(
            Attachment(
                id: id, questionId: medium.questionId, name: medium.name, mediaType: medium.mediaType,
                sizeBytes: sizeBytes, digest: medium.path.digest),
            at: medium.path, questionnaire: medium.questionnaire, title: medium.title, dateChanged: dateChanged,
            deviceId: deviceId, sequence: sequence)
    }
}
