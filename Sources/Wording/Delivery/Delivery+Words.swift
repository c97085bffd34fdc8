import Localization
import Model

extension Receipt.Delivery {
    /// Why the last attempt failed, in the person's language: the problems of our own servers, and the meaning of the
    /// status code. A sentence in which another server says more is shown unchanged.
    package func reason(in language: Language) -> String {
        // A server may send another language.
        guard language != .english, reason.unicodeScalars.allSatisfy({ $0.isASCII || !$0.properties.isAlphabetic })
        else {
            return reason
        }
        var (type, field): (String?, String?)
        if case .object(let members)? = problem {
            if case .string(let text)? = members["type"] { type = text }
            if case .string(let text)? = members["field"] { field = " (" + text.prefix(100) + ")" }
        }
        let sentence =
            type.flatMap { Self.problem($0, language) }
            ?? httpStatus.flatMap { Self.status($0, language, problem != nil, isFromStranger: notTheServer == true) }
        return sentence.map { $0 + (field ?? "") } ?? reason
    }

    /// The problems of docs/protocol.md.
    private static func problem(_ type: String, _ language: Language) -> String? {
        guard let colon = type.lastIndex(of: ":"), type[..<colon] == "urn:quire:problem" else { return nil }
        switch type[colon...].dropFirst() {
        case "digest-mismatch": return language.text("the data arrived damaged")
        case "different-content": return language.text("the server has something else under this number")
        case "invalid-test": return language.text("the server cannot read this test")
        case "invalid-questionnaire": return language.text("the server cannot read this questionnaire")
        case "test-unknown": return language.text("the server does not have the test itself yet")
        case "not-attached": return language.text("the test does not name this file")
        case "not-named": return language.text("no questionnaire shows this file")
        case "version-mismatch": return language.text("the server has another version")
        case "deleted": return language.text("it was deleted on the server")
        default: return nil
        }
    }

    /// - Parameter hasSentence: the server sent a sentence of its own, which may say more than this one.
    private static func status(
        _ status: Int, _ language: Language, _ hasSentence: Bool, isFromStranger: Bool
    ) -> String? {
        switch status {
        case 511: return language.text("this network requires a login first: open a page in the browser")
        case 407: return language.text("a proxy on the way requires a login (407)")
        case _ where isFromStranger && !(300..<400).contains(status) && status >= 300:
            return language.text(
                "what answered (\(status)) was not the Quire server, but a login page, a proxy or another site")
        case 401: return language.text("the server requires a valid token: see “quire remote”")
        case _ where hasSentence: return nil
        case 202: return language.text("it is kept on the way and will be forwarded")
        case 200, 201: return language.text("this is no acknowledgement of the server: is it a login page?")
        case 409, 412: return language.text("the server has another version")
        case 413: return language.text("it is larger than the server accepts")
        case 415: return language.text("the server does not accept data of this kind")
        case 429, 503: return language.text("the server is busy (\(status))")
        case 507: return language.text("the disk is full where it was sent")
        case 408, 425, 500...: return language.text("the server cannot accept it now (\(status))")
        case 400..<500: return language.text("the server did not accept it (\(status))")
        // The sentence names the redirect target and what to do.
        case 300..<400: return nil
        default: return language.text("the server answered \(status), which is no acknowledgement")
        }
    }
}
