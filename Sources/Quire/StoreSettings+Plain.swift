import Model

// Settings are read at the beginning of every command, and most have a few plain members: a coder takes a fifth of the
// time that a program needs to start only to set itself up.
extension StoreSettings {
    /// Reads settings that need no coder: texts without escapes, whole numbers, `true` and `false`, an empty `cacheControl`.
    ///
    /// - Returns: `nil` for all others, and for what is wrong: the coder says what.
    init?(plain bytes: [UInt8]) {
        guard let text = try? JSONText(checking: bytes), text.isObject else { return nil }
        var format: Int64?
        var deviceId: String?
        self.init(remote: nil, deviceId: "")
        for member in text.members {
            let value = bytes[member.value]
            switch member.name {
            case "format":
                guard let number = DocumentCoding.number(value) else { return nil }
                format = number
            case "deviceId":
                guard let text = Self.plainText(value) else { return nil }
                deviceId = text
            case "remote":
                guard let text = Self.plainText(value) else { return nil }
                remote = text
            case "quotaBytes":
                guard let number = DocumentCoding.number(value) else { return nil }
                quotaBytes = number
            case "cacheControl":
                guard value.first == UInt8(ascii: "["), value.dropFirst().dropLast().allSatisfy(Self.isSpace) else {
                    return nil
                }
            case "notifications":
                guard let isOn = Self.truth(value) else { return nil }
                notifications = isOn
            default: return nil
            }
        }
        guard let format, let deviceId else { return nil }
        self.format = Int(format)
        self.deviceId = deviceId
    }

    private static func plainText(_ value: ArraySlice<UInt8>) -> String? {
        guard value.first == UInt8(ascii: "\""), !value.contains(UInt8(ascii: "\\")) else { return nil }
        return String(decoding: value.dropFirst().dropLast(), as: UTF8.self)
    }

    private static func truth(_ value: ArraySlice<UInt8>) -> Bool? {
        if value.elementsEqual("true".utf8) { return true }
        return value.elementsEqual("false".utf8) ? false : nil
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
