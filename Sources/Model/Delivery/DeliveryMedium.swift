/// A place that holds submissions between a device and the server, such as a hub or a folder: its texts, and its
/// capabilities. Each kind of remote has one (`RemoteKind` in Remotes).
package struct DeliveryMedium: Hashable, Sendable {
    /// The state of a held submission, as in `Kept at the hub`.
    package var kept: LocalizedText
    /// The same with a number in the place `{count}`, as in `3 kept at the hub`.
    package var keptCount: LocalizedText
    /// Since when it is held; `{time}` is the placeholder for the time.
    package var keptSince: LocalizedText
    /// The next step for a held submission.
    package var next: LocalizedText
    /// Why a held submission may still be delivered after the person discards it.
    package var exposure: LocalizedText
    /// Whether it holds a change together with the one that follows it.
    package var keepsSuccessors: Bool

    package init(
        kept: LocalizedText, keptCount: LocalizedText, keptSince: LocalizedText, next: LocalizedText,
        exposure: LocalizedText, keepsSuccessors: Bool
    ) {
        self.kept = kept
        self.keptCount = keptCount
        self.keptSince = keptSince
        self.next = next
        self.exposure = exposure
        self.keepsSuccessors = keepsSuccessors
    }
}

extension DeliveryMedium {
    /// How many submissions it holds.
    package func kept(_ count: Int, _ language: Language) -> String {
        keptCount(language).replacing("{count}", with: "\(count)")
    }

    /// For a server, and for a store whose remote has no medium of its own.
    package static let hub = DeliveryMedium(
        kept: LocalizedText("Kept at the hub"),
        keptCount: LocalizedText("{count} kept at the hub"),
        keptSince: LocalizedText("The hub has had it since {time} and will deliver it to the server."),
        next: LocalizedText("“quire sync” asks the hub whether the server has it."),
        exposure: LocalizedText("the hub already has it and will deliver it"),
        keepsSuccessors: false)
}
