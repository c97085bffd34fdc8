import Localization
import Model
import Quire
import Wording

extension DeliveryExposure {
    package func words(_ language: Language) -> String {
        switch self {
        case .kept(let medium): medium.exposure(language)
        case .mayHaveArrived: language.text("the server may have it already")
        }
    }
}
