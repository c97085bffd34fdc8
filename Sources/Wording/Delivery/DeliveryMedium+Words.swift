import Localization
import Model

extension DeliveryMedium {
    /// The words for a medium.
    private struct Words: Sendable {
        /// The state of a held submission.
        var kept: LocalizedText
        /// The same with a number in the place `{count}`.
        var keptCount: LocalizedText
        /// Since when it is held; `{time}` is the placeholder for the time.
        var keptSince: LocalizedText
        /// The next step for a held submission.
        var next: LocalizedText
        /// Why a held submission may still be delivered after the person discards it.
        var exposure: LocalizedText
    }

    /// The words by the names of the media. A medium without words of its own has the hub's.
    private static let words: [String: Words] = [
        "folder": Words(
            kept: LocalizedText("Kept in the folder"),
            keptCount: LocalizedText("{count} kept in the folder"),
            keptSince: LocalizedText("It has been in the folder since {time}, until the host collects it."),
            next: LocalizedText(
                "After “quire host --collect” on the host, “quire sync” fetches the receipt from the folder."),
            exposure: LocalizedText("it is already in the folder, and the host will collect it from there")),
        "bucket": Words(
            kept: LocalizedText("Kept in the bucket"),
            keptCount: LocalizedText("{count} kept in the bucket"),
            keptSince: LocalizedText("It has been in the bucket since {time}, until the host collects it."),
            next: LocalizedText(
                "After “quire host --collect” on the host, “quire sync” fetches the receipt from the bucket."),
            exposure: LocalizedText("it is already in the bucket, and the host will collect it from there")),
    ]

    private static let hubWords = Words(
        kept: LocalizedText("Kept at the hub"),
        keptCount: LocalizedText("{count} kept at the hub"),
        keptSince: LocalizedText("The hub has had it since {time} and will deliver it to the server."),
        next: LocalizedText("“quire sync” asks the hub whether the server has it."),
        exposure: LocalizedText("the hub already has it and will deliver it"))

    private var words: Words { Self.words[name] ?? Self.hubWords }

    /// The state of a held submission, as in `Kept at the hub`.
    package func kept(_ language: Language) -> String { words.kept(language) }

    /// How many submissions it holds, as in `3 kept at the hub`.
    package func kept(_ count: Int, _ language: Language) -> String {
        words.keptCount(language).replacing("{count}", with: "\(count)")
    }

    /// Since when it is held; `{time}` is the placeholder for the time.
    package func keptSince(_ language: Language) -> String { words.keptSince(language) }

    /// The next step for a held submission.
    package func next(_ language: Language) -> String { words.next(language) }

    /// Why a held submission may still be delivered after the person discards it.
    package func exposure(_ language: Language) -> String { words.exposure(language) }
}
