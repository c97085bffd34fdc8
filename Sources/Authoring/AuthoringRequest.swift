import HTTPServing
import HTTPTypes
import Model

/// A request of someone who may write questionnaires.
package struct AuthoringRequest: Sendable {
    package var method: HTTPRequest.Method
    package var query: FormFields
    package var form: FormFields
    /// The file of a form that has one.
    package var file: UploadedFile?
    package var fields: HTTPFields
    package var language: Language
    /// The name that is saved with a state; may be empty.
    package var author: String
    /// In each form, so that no foreign form passes for one.
    package var formToken: String

    package init(
        method: HTTPRequest.Method, query: FormFields, form: FormFields, file: UploadedFile? = nil, fields: HTTPFields,
        language: Language, author: String, formToken: String
    ) {
        self.method = method
        self.query = query
        self.form = form
        self.file = file
        self.fields = fields
        self.language = language
        self.author = author
        self.formToken = formToken
    }
}
