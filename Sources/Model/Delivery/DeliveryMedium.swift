/// A place that holds submissions between a device and the server, such as a hub or a folder: its texts, and its
/// capabilities. Each kind of remote has one (`RemoteKind` in Remotes).
public struct DeliveryMedium: Hashable, Sendable {
    /// A text in each language.
    public struct Text: Hashable, Sendable {
        package var english: String
        package var russian: String

        package init(_ english: String, _ russian: String) {
            self.english = english
            self.russian = russian
        }

        package func callAsFunction(_ language: Language) -> String { language.pick(english, russian) }
    }

    /// The state of a held submission, as in `Kept at the hub`.
    package var kept: Text
    /// The same inside a sentence, as in `kept at the hub`.
    package var keptInSentence: Text
    /// Since when it is held; `{time}` is the placeholder for the time.
    package var keptSince: Text
    /// The next step for a held submission.
    package var next: Text
    /// Why a held submission may still be delivered after the person discards it.
    package var exposure: Text
    /// Whether it holds a change together with the one that follows it.
    package var keepsSuccessors: Bool

    package init(
        kept: Text, keptInSentence: Text, keptSince: Text, next: Text, exposure: Text, keepsSuccessors: Bool
    ) {
        self.kept = kept
        self.keptInSentence = keptInSentence
        self.keptSince = keptSince
        self.next = next
        self.exposure = exposure
        self.keepsSuccessors = keepsSuccessors
    }
}

extension DeliveryMedium {
    /// For a server, and for a store whose remote has no medium of its own.
    public static let hub = DeliveryMedium(
        kept: Text("Kept at the hub", "Сохранено на узле"),
        keptInSentence: Text("kept at the hub", "сохранено на узле"),
        keptSince: Text(
            "The hub has had it since {time} and will deliver it to the server.",
            "Узел хранит его с {time} и передаст серверу."),
        next: Text(
            "“quire sync” asks the hub whether the server has it.",
            "«quire sync» спросит у узла, получил ли его сервер."),
        exposure: Text("the hub already has it and will deliver it", "он уже на узле, и узел передаст его дальше"),
        keepsSuccessors: false)
}
