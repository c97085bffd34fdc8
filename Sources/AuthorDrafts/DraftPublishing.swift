/// The outcome of publishing a draft.
package enum DraftPublishing: Hashable, Sendable {
    /// It is the published version, under this id.
    case published(String)
    /// The published questionnaire is another one than the draft was made from, or gone.
    case changedMeanwhile
    /// Someone saved another state of the draft, or removed it.
    case savedMeanwhile
}
