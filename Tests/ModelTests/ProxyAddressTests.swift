import Testing
import Wording

@testable import Model

@Suite("Which proxy leads to a server")
struct ProxyAddressTests {
    @Test(
        "the variables are read as curl does",
        arguments: [
            (["https_proxy": "http://p:3128"], true, "school.example", "p:3128"),
            (["HTTPS_PROXY": "p"], true, "school.example", "p:1080"),
            (["https_proxy": "http://lower:1", "HTTPS_PROXY": "http://upper:2"], true, "school.example", "lower:1"),
            (["https_proxy": "", "ALL_PROXY": "all:3"], true, "school.example", "all:3"),
            (["http_proxy": "http://p:3128/"], false, "school.example", "p:3128"),
            // A client of a CGI program sets it with a field named Proxy.
            (["HTTP_PROXY": "http://p:3128"], false, "school.example", nil),
            (["http_proxy": "p:1"], true, "school.example", nil),
            ([:], true, "school.example", nil),
        ] as [([String: String], Bool, String, String?)])
    func variables(_ variables: [String: String], _ isSecure: Bool, _ host: String, _ proxy: String?) throws {
        let rule = ProxyRule(setting: nil, variables: variables)
        #expect(try rule.proxy(to: host, isSecure: isSecure)?.description == proxy)
    }

    @Test(
        "no_proxy has hosts with all below them, addresses and networks",
        arguments: [
            ("*", "school.example", true), ("school.example", "school.example", true),
            ("school.example", "www.SCHOOL.example.", true), (".school.example", "www.school.example", true),
            ("school.example", "oldschool.example", false), ("a.example, b.example c.example", "c.example", true),
            ("127.0.0.1", "127.0.0.1", true), ("10.0.0.0/8", "10.20.30.40", true), ("10.0.0.0/8", "11.0.0.1", false),
            ("0.0.1", "127.0.0.1", false), ("[::1]", "::1", true), ("", "school.example", false),
        ])
    func exceptions(_ list: String, _ host: String, _ isDirect: Bool) throws {
        for name in ["no_proxy", "NO_PROXY"] {
            let rule = ProxyRule(setting: nil, variables: ["https_proxy": "p:1", name: list])
            #expect(try (rule.proxy(to: host, isSecure: true) == nil) == isDirect)
        }
    }

    @Test("a setting comes before the variables, and “none” is no proxy")
    func setting() throws {
        let variables = ["https_proxy": "p:1", "no_proxy": "*"]
        #expect(try ProxyRule(setting: "none", variables: ["https_proxy": "p:1"]).proxy(to: "a", isSecure: true) == nil)
        let proxy = try ProxyRule(setting: "http://us%40er:p%3Aw@q:8", variables: variables).proxy(
            to: "a", isSecure: true)
        #expect(proxy?.user == "us@er" && proxy?.password == "p:w" && proxy?.description == "q:8")
    }

    @Test(
        "what is no HTTP proxy is named with its place, without its password",
        arguments: [
            "socks5://u:secret@p:1", "https://p", "http://", "http://p:0", "http://u%0d%0aX:secret@p:1", "http://p:x",
        ])
    func faults(_ text: String) {
        let error = #expect(throws: ProxyAddressError.self) {
            try ProxyRule(setting: nil, variables: ["https_proxy": text]).proxy(to: "a", isSecure: true)
        }
        #expect(error?.description.contains("$https_proxy") == true && error?.description.contains("secret") == false)
    }
}
