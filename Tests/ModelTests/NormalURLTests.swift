import Model
import Testing

@Suite("The normal form of a URL")
struct NormalURLTests {
    @Test(
        "has one spelling of each octet (RFC 3986 section 6.2.2)",
        arguments: [
            ("HTTP://Example.ORG:80", "http://example.org/"), ("https://h:443/", "https://h/"),
            ("s3+https://h:443/b", "s3+https://h/b"), ("s3+https://h:80/b", "s3+https://h:80/b"),
            ("http://h:/a", "http://h/a"),
            ("http://h:8484/a", "http://h:8484/a"), ("http://h/%7Ea%2db", "http://h/~a-b"),
            ("http://h/%c3%A9", "http://h/%C3%A9"), ("http://h/é", "http://h/%C3%A9"),
            ("http://h/photo (1).jpg", "http://h/photo%20%281%29.jpg"),
            ("http://h/photo%20(1).jpg", "http://h/photo%20%281%29.jpg"),
            ("http://h/a+b", "http://h/a%2Bb"), ("http://h/a%2bb", "http://h/a%2Bb"),
            ("http://h/a,b;c=d!", "http://h/a%2Cb%3Bc%3Dd%21"),
            ("http://h/схема.png", "http://h/%D1%81%D1%85%D0%B5%D0%BC%D0%B0.png"), ("http://h/100%", "http://h/100%25"),
            ("http://h/100%.png", "http://h/100%25.png"), ("http://h/a%2Fb", "http://h/a%2Fb"),
            ("http://h/a/./b/../c", "http://h/a/c"), ("http://h/a/%2e%2E/c", "http://h/c"),
            ("http://h/.hidden", "http://h/.hidden"),
            ("http://h/a?cursor=a%2db&x=(1)+%c3#top", "http://h/a?cursor=a-b&x=(1)+%C3"), ("http://h?a", "http://h/?a"),
            ("http://[::1]:8484/a", "http://[::1]:8484/a"), ("file:///media/my stick/a", "file:///media/my%20stick/a"),
            ("file://localhost/a", "file:///a"),
            ("http://школа.рф/тест", "http://xn--80atdl2c.xn--p1ai/%D1%82%D0%B5%D1%81%D1%82"),
            ("http://%D1%88%D0%BA%D0%BE%D0%BB%D0%B0.%D1%80%D1%84/", "http://xn--80atdl2c.xn--p1ai/"),
        ])
    func spelling(_ text: String, _ normal: String) {
        #expect(NormalURL(text)?.text == normal)
        #expect(NormalURL.normalised(text) == normal)
        #expect(NormalURL.normalised(normal) == normal)
    }

    @Test(
        "leaves the reserved characters of any server's path as they were written (RFC 3986 section 2.2)",
        arguments: [
            ("http://h/a:b", "http://h/a:b"), ("http://h/a%3ab", "http://h/a%3Ab"),
            ("http://h/%7Ea%2db", "http://h/~a-b"), ("http://h/a+b,c;d=(e)!*'@$&", "http://h/a+b,c;d=(e)!*'@$&"),
            ("http://h/a%2Bb%28", "http://h/a%2Bb%28"),
            ("http://h/é [1]", "http://h/%C3%A9%20%5B1%5D"), ("http://h/a:b/./c/../d", "http://h/a:b/d"),
        ])
    func anyServer(_ text: String, _ normal: String) throws {
        let url = try #require(NormalURL(text, form: .anyServer))
        #expect(url.text == normal && NormalURL.normalised(normal, form: .anyServer) == normal)
        #expect(url.resolving(String(text.dropFirst("http://h".count)))?.text == normal)
    }

    @Test(
        "there is none of what is no URL of a server or a folder",
        arguments: [
            "", "a", "mailto:a", "ftp://h/a", "http:", "http:/a", "http://", "http:///a", "http://u@h/", "http://a b/",
            "file://h/a",
        ])
    func none(_ text: String) {
        #expect(NormalURL(text) == nil)
        #expect(NormalURL.normalised(text) == text)
    }

    @Test(
        "references are resolved (RFC 3986 section 5.4)",
        arguments: [
            ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
            ("?y", "http://a/b/c/d?y"),
            ("g?y", "http://a/b/c/g?y"), ("", "http://a/b/c/d?q"), ("..", "http://a/b/"), ("../g", "http://a/b/g"),
            ("../../../g", "http://a/g"), ("g#s", "http://a/b/c/g"), ("//g", "http://g/"), ("http://x/y", "http://x/y"),
            ("photo (1).jpg", "http://a/b/c/photo%20%281%29.jpg"),
        ])
    func resolution(_ reference: String, _ resolved: String) {
        #expect(NormalURL("http://a/b/c/d?q")?.resolving(reference)?.text == resolved)
    }
}

@Suite("Names of hosts")
struct DomainNameTests {
    @Test(
        "national names have the form that resolvers and certificates know (RFC 3492, RFC 5891)",
        arguments: [
            ("школа.рф", "xn--80atdl2c.xn--p1ai"), ("Школа。РФ", "xn--80atdl2c.xn--p1ai"),
            ("bücher.example", "xn--bcher-kva.example"),
            ("例え.テスト", "xn--r8jz45g.xn--zckzah"), ("школа.localhost", "xn--80atdl2c.localhost"),
            ("hello-мир.org", "xn--hello--upf5a1b.org"), ("лицеи\u{306}.рф", "xn--e1afef0d.xn--p1ai"),
            ("Example.ORG", "example.org"), ("127.0.0.1", "127.0.0.1"), ("[::1]", "[::1]"), ("xn--p1ai", "xn--p1ai"),
        ])
    func ascii(_ host: String, _ name: String) { #expect(DomainName.ascii(host) == name) }

    @Test(
        "what can be no name has none",
        arguments: ["", "a b", "a/b", "a@b", "школа рф", "школа\u{A0}рф", "a\u{0}b", "a:b", "a%zz"])
    func refused(_ host: String) { #expect(DomainName.ascii(host) == nil) }
}
