import ObjectStores
import Testing

@Suite("Names of objects")
struct ObjectNameTests {
    @Test(
        "a name that could leave a folder, or that some store cannot keep, is none",
        arguments: [
            "", "/", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "a/..", "a/./b", ".hidden", "a/.hidden", "a\0b",
            "a\nb",
            "a\u{7F}", "a\\b", String(repeating: "a", count: 256), String(repeating: "a/", count: 350) + "a",
        ])
    func refused(_ text: String) { #expect(ObjectName(text) == nil) }

    @Test("names that look alike and have other bytes are two", arguments: [("é", "e\u{301}")])
    func distinct(_ one: String, _ other: String) throws {
        #expect(try name(one) != name(other))
        #expect(try Set([name(one), name(other)]).count == 2)
        #expect(try name("a-b") < name("a/b"))
        #expect(try name("a/b") < name("a0"))
    }
}
