import Model
import Testing

@testable import Quire

/// Settings that are read without a coder say the same as the coder does.
struct PlainSettingsTests {
    private func coded(_ text: String) -> StoreSettings? {
        try? DocumentCoding.decode(StoreSettings.self, from: Array(text.utf8))
    }

    @Test("what init and config write is read without a coder, to the same")
    func plain() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            var settings = StoreSettings(
                remote: [nil, "http://127.0.0.1:8484", "https://школа.example/путь"].randomElement(using: &generator)
                    ?? nil,
                deviceId: ["bench", "планшет 7", ""].randomElement(using: &generator) ?? "",
                quotaBytes: [nil, 0, 200_000_000, 999_999_999_999_999_999].randomElement(using: &generator) ?? nil)
            settings.notifications = [nil, true, false].randomElement(using: &generator) ?? nil
            for bytes in [try DocumentCoding.encode(settings), try DocumentCoding.encodeLine(settings)] {
                #expect(StoreSettings(plain: bytes) == settings)
                #expect(try DocumentCoding.decode(StoreSettings.self, from: bytes) == settings)
            }
        }
    }

    @Test(
        "anything else is the coder's",
        arguments: [
            #"{"format":1}"#, #"{"deviceId":"a"}"#, #"{}"#, #"[]"#, "", "{", #"{"format":1,"deviceId":"a"} x"#,
            #"{"format":1,"deviceId":"a","deviceId":"b"}"#, #"{"format":1.5,"deviceId":"a"}"#,
            #"{"format":1.0,"deviceId":"a"}"#, #"{"format":1e0,"deviceId":"a"}"#, #"{"format":"1","deviceId":"a"}"#,
            #"{"format":1,"deviceId":"a\"b"}"#, #"{"format":1,"deviceId":"\u0061"}"#, #"{"format":1,"deviceId":null}"#,
            #"{"format":1,"deviceId":"a","remote":null}"#, #"{"format":1,"deviceId":"a","remote":7}"#,
            #"{"format":1,"deviceId":"a","quotaBytes":-1}"#, #"{"format":1,"deviceId":"a","quotaBytes":"200MB"}"#,
            #"{"format":1,"deviceId":"a","quotaBytes":99999999999999999999}"#,
            #"{"format":99999999999999999999,"deviceId":"a"}"#, #"{"format":1,"deviceId":"a","ttlSeconds":"7d"}"#,
            #"{"format":1,"deviceId":"a","cacheControl":{}}"#, #"{"format":1,"deviceId":"a","cacheControl":[1]}"#,
            #"{"format":1,"deviceId":"a","cacheControl":[[]]}"#, #"{"format":1,"deviceId":"a","cacheControl":null}"#,
            #"{"format":1,"deviceId":"a","notifications":1}"#, #"{"format":1,"deviceId":"a","notifications":null}"#,
            #"{"format":1,"deviceId":"a","own":"mine"}"#, #"{"format":1,"deviceId":"a","quietHours":"22:00-07:00"}"#,
            "{\"format\":1,\"deviceId\":\"a\u{7F}\"}",
            " {\"deviceId\" :\t\"a\",\r\n\"cacheControl\":[ \n ],"
                + "\"format\": 7 } ",
        ])
    func others(_ text: String) {
        let plain = StoreSettings(plain: Array(text.utf8))
        #expect(plain == nil || plain == coded(text))
    }
}
