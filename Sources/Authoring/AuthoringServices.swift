import AuthorDrafts
import HTTPTypes
import HummingbirdCore
import Model

/// The screens' access to the server that shows them. Every call blocks on the disk.
package protocol AuthoringServices: Sendable {
    /// The address of the screens: `/desk/write`.
    var root: String { get }
    /// The address of the list that they lead back to.
    var home: String { get }
    /// The address of the stylesheet with which people see a questionnaire.
    var stylesheet: String { get }
    /// Whether pictures and sounds can be added here.
    var takesMedia: Bool { get }
    var drafts: DraftStore { get }
    var now: Timestamp { get }

    /// Fixed texts of this server, by their names in the templates.
    func words(_ language: Language) -> [String: String]

    /// A questionnaire as it is now, with its key where that is here; `nil` when there is none of the id.
    func original(_ id: String) throws -> OriginalDocument?

    /// The questionnaires that questions are copied from.
    func originals() throws -> [OriginalDocument]

    /// Whether a file that a draft names by its content is here, or where devices fetch it.
    func hasMedia(_ path: ContentPath, of draft: TestID) throws -> Bool

    /// A picture or sound that a draft shows; `nil` when it is not here.
    func media(_ path: String, of draft: TestID, _ fields: HTTPFields, isHead: Bool) throws -> Response?

    /// Publishes a draft, and removes it then.
    ///
    /// - Parameter replaces: whether a version is replaced that the draft was not made from.
    /// - Throws: `DocumentFault` for a document that is not right.
    func publish(_ draft: AuthorDraft, replaces: Bool) throws -> DraftPublishing

    /// The address after a questionnaire was published.
    func addressAfterPublishing(_ id: String) -> String

    /// The address of the earlier versions of a questionnaire; `nil` where there are none to be seen.
    func versions(of id: String) -> String?

    /// The versions that these screens show, the latest first; none where the server has screens of its own for them.
    func writtenVersions(of id: String) throws -> [WrittenVersion]

    /// Whom publishing affects, in sentences.
    ///
    /// - Parameters:
    ///   - id: of the questionnaire that it changes; `nil` for a new one.
    ///   - difference: from the version that it replaces; `nil` where there is none.
    func affected(_ id: String?, _ document: DraftDocument, _ difference: VersionDifference?) throws -> [String]
}

extension AuthoringServices {
    package func writtenVersions(of id: String) throws -> [WrittenVersion] { [] }
}
