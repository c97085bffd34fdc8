extension Receipt.Delivery {
    /// Why the last attempt failed, in the person's language: the problems of our own servers, and the meaning of the
    /// status code. A sentence in which another server says more is shown unchanged.
    public func reason(in language: Language) -> String {
        // A server may send Russian.
        guard language == .russian, !reason.unicodeScalars.contains(where: { (0x400...0x4FF).contains($0.value) })
        else {
            return reason
        }
        var (type, field): (String?, String?)
        if case .object(let members)? = problem {
            if case .string(let text)? = members["type"] { type = text }
            if case .string(let text)? = members["field"] { field = " (" + text.prefix(100) + ")" }
        }
        let sentence =
            type.flatMap(Self.russianProblem)
            ?? httpStatus.flatMap { Self.russianStatus($0, problem != nil, isFromStranger: notTheServer == true) }
        return sentence.map { $0 + (field ?? "") } ?? reason
    }

    /// The problems of docs/protocol.md.
    private static func russianProblem(_ type: String) -> String? {
        guard let colon = type.lastIndex(of: ":"), type[..<colon] == "urn:quire:problem" else { return nil }
        switch type[colon...].dropFirst() {
        case "digest-mismatch": return "данные дошли повреждёнными"
        case "different-content": return "на сервере под этим номером лежит другое"
        case "invalid-test": return "сервер не может прочитать этот тест"
        case "invalid-questionnaire": return "сервер не может прочитать эту анкету"
        case "test-unknown": return "сервер ещё не получил сам тест"
        case "not-attached": return "в тесте такой файл не назван"
        case "not-named": return "ни одна анкета не показывает этот файл"
        case "version-mismatch": return "на сервере другая версия"
        case "deleted": return "на сервере это удалено"
        default: return nil
        }
    }

    /// - Parameter hasSentence: the server sent a sentence of its own, which may say more than this one.
    private static func russianStatus(_ status: Int, _ hasSentence: Bool, isFromStranger: Bool) -> String? {
        switch status {
        case 511: return "эта сеть сначала требует входа: откройте страницу в браузере"
        case 407: return "прокси-сервер на пути требует входа (407)"
        case _ where isFromStranger && !(300..<400).contains(status) && status >= 300:
            return "ответил не сервер Quire (\(status)), а страница входа в сеть, прокси или другой сайт"
        case 401: return "сервер требует действительный токен: см. «quire remote»"
        case _ where hasSentence: return nil
        case 202: return "сохранено на полпути и будет передано дальше"
        case 200, 201: return "это не подтверждение сервера: не страница ли это входа в сеть?"
        case 409, 412: return "на сервере другая версия"
        case 413: return "это больше, чем принимает сервер"
        case 415: return "сервер не принимает данные такого вида"
        case 429, 503: return "сервер занят (\(status))"
        case 507: return "там, куда это отправлено, на диске нет места"
        case 408, 425, 500...: return "сервер сейчас не может это принять (\(status))"
        case 400..<500: return "сервер не принял это (\(status))"
        // The sentence names the redirect target and what to do.
        case 300..<400: return nil
        default: return "сервер ответил \(status), это не подтверждение"
        }
    }
}
