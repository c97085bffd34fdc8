import HTTPTypes
import Model

/// Why a request of the desk fails, shown as a page.
struct DeskError: Error {
    var status: HTTPResponse.Status
    var heading: String
    var detail: String

    static func notFound(_ language: Language) -> DeskError {
        DeskError(
            status: .notFound, heading: language.text("Page not found"),
            detail: language.text("There is nothing at this address."))
    }

    static func notAllowed(_ language: Language, _ detail: String) -> DeskError {
        DeskError(status: .forbidden, heading: language.text("Not allowed"), detail: detail)
    }

    static func notOurs(_ language: Language) -> DeskError {
        notAllowed(
            language,
            language.text(
                "This request did not come from this page, so nothing was changed. Go back, reload, and try again."))
    }
}
