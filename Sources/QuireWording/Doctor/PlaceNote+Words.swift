import Localization
import Quire

extension PlaceNote {
    package func words(_ language: Language) -> String {
        switch self {
        case .containerLayer:
            language.text(
                "The store lies in a container's own layer: it is gone with the container, unless you mount a volume.")
        case .temporaryFolder:
            language.text("The store lies below /tmp, which many machines empty when they start.")
        }
    }
}
