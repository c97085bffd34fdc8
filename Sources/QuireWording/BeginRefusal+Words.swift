import Localization
import Model
import Quire
import Wording

extension BeginRefusal: DescribedError {
    package var description: String {
        "“\(questionnaire)” cannot be taken now: " + (access.refusal(.english) ?? "")
    }
}
