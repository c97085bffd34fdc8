import Model
import Quire

/// The question for the PIN of a person, and what is said of one.
struct PINScreen: Sendable {
    let context: ScreenContext

    /// The person whose PIN an error is about; `nil` for another error.
    static func person(_ error: PersonError) -> Person? {
        switch error {
        case .pinNeeded(let person), .wrongPIN(let person, _), .pinWait(let person, _), .unreadablePIN(let person):
            person
        default: nil
        }
    }

    /// Why a PIN was refused; `nil` where none was given yet.
    func fault(_ error: PersonError) -> String? {
        let words = context.words
        return switch error {
        case .wrongPIN(_, 0): words.text("This PIN is wrong.")
        case .wrongPIN(_, let seconds): words.text("This PIN is wrong.") + " " + wait(seconds)
        case .pinWait(_, let seconds): words.text("Too many wrong PINs.") + " " + wait(seconds)
        case .unreadablePIN:
            words.text("The PIN on this device is damaged. Ask the person who looks after the device to reset it.")
        case .invalidPIN: words.text("A PIN has 4 to 12 digits.")
        default: nil
        }
    }

    private func wait(_ seconds: Int) -> String {
        let words = context.words
        return seconds < 120
            ? words.text("The next try is in \(seconds) s.")
            : words.text("The next try is in \((seconds + 59) / 60) min.")
    }

    /// The page that asks for the PIN of a person who was chosen.
    func content(_ person: Person, _ error: PersonError) -> Screens.Content {
        let (words, form) = (context.words, context.request.form)
        let heading = person.fullName
        var model: [String: any Sendable] = [
            "heading": heading, "about": words.text("A PIN protects what this person wrote on this device."),
            "label": words.text("PIN, or the code on your card"), "button": words.text("Continue"),
            "others": words.text("Another person"),
            "fields": [("id", person.id), ("back", form["back"] ?? "/"), ("begin", form["begin"] ?? "")].map {
                ["name": $0.0, "value": $0.1]
            },
        ]
        let fault = fault(error)
        model["fault"] = fault
        return Screens.Content(
            template: .pin, title: heading, model: model, status: fault == nil ? .ok : .unprocessableContent)
    }

    /// The form with which the current person sets, changes or removes their PIN.
    func setting(_ current: Person, fault: String?) throws -> [String: any Sendable] {
        let words = context.words
        let isSet = try context.store.people.pins.isSet(for: current.id)
        var model: [String: any Sendable] = [
            "heading": isSet ? words.text("Change or remove the PIN") : words.text("Set a PIN"),
            "about": words.text(
                "With a PIN no one else on this device sees your tests and results. What waits is sent all the same."),
            "newLabel": words.text("New PIN, 4 to 12 digits"), "againLabel": words.text("The new PIN once more"),
            "button": words.text("Save the PIN"), "isOpen": fault != nil,
        ]
        if isSet {
            model["former"] = [
                "label": words.text("Your PIN now, or the code on your card"), "remove": words.text("Remove the PIN"),
            ]
        }
        model["pinFault"] = fault
        return model
    }
}
