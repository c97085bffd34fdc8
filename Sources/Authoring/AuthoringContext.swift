import Model
import Results

/// The request, and what the server gives to each screen.
package struct AuthoringContext: Sendable {
    package let request: AuthoringRequest
    package let services: any AuthoringServices

    package init(request: AuthoringRequest, services: any AuthoringServices) {
        self.request = request
        self.services = services
    }

    var language: Language { request.language }

    /// A number with the decimal sign of the language.
    func number(_ number: Double) -> String { StatisticsWords(language: language).number(number) }

    /// `2.5 of 3`
    func points(_ points: Double, _ maximum: Double) -> String {
        StatisticsWords(language: language).points(points, maximum)
    }

    /// The address of a draft's screen.
    func path(_ draft: TestID, _ screen: String = "") -> String {
        "\(services.root)/\(draft)" + (screen.isEmpty ? "" : "/" + screen)
    }

    func waiting(_ count: Int) -> String { language.text("\(count) to be marked") }
}
