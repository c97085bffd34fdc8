import Model
import Testing
import WireFormat

@testable import Host

@Suite("Class lists")
struct ClassListTests {
    private static let cyrillic = "\u{0418}\u{0432}\u{0430}\u{043D}"

    private func bytes(utf16 text: String, isLittleEndian: Bool, hasMark: Bool) -> [UInt8] {
        ((hasMark ? [0xFEFF] : []) + Array(text.utf16)).flatMap { unit in
            let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
            return isLittleEndian ? [low, high] : [high, low]
        }
    }

    @Test("names in any script arrive through every encoding and separator", arguments: [",", ";", "\t"])
    func encodings(_ separator: String) throws {
        let rows = [
            ["id", "name", "group"], ["1", Self.cyrillic, "7b"], ["2", "\u{0644}\u{064A}\u{0644}\u{0649}", "7b"],
            ["3", "\u{738B}\u{82B3}", "7b"],
        ]
        let text = rows.map { $0.joined(separator: separator) }.joined(separator: "\r\n")
        let names = rows.dropFirst().map { $0[1] }
        var files = [Array(text.utf8), [0xEF, 0xBB, 0xBF] + Array(text.utf8)]
        for (isLittle, hasMark) in [(true, true), (false, true), (true, false), (false, false)] {
            files.append(bytes(utf16: text, isLittleEndian: isLittle, hasMark: hasMark))
        }
        for file in files {
            let list = try ClassListFile(file, named: "class.csv")
            #expect(list.rows.map(\.person.name) == names)
            #expect(list.rows.allSatisfy { $0.person.group == "7b" })
        }
        let windows = Array("id;name\n1;".utf8) + [0xC8, 0xE2, 0xE0, 0xED, 0x20, 0xB9]
        let list = try ClassListFile(windows, named: "class.csv")
        #expect(list.encoding == "Windows-1251" && list.rows[0].person.name == Self.cyrillic + " \u{2116}")
    }

    @Test("the columns are named in English or Russian, in any order; others are named and not read")
    func columns() throws {
        // No, full name, class, note in Russian.
        let header =
            "\u{0424}\u{0418}\u{041E};\u{043A}\u{043B}\u{0430}\u{0441}\u{0441};\u{2116};\u{043A}\u{043E}\u{0434};note"
        let list = try ClassListFile(Array((header + "\nAda;7b;17;abcd-2345;x").utf8), named: "class.csv")
        #expect(list.rows.map(\.person) == [Person(id: "17", name: "Ada", group: "7b")])
        #expect(list.rows[0].code?.text == "ABCD2345" && list.ignoredColumns == ["note"])
    }

    @Test("quotes, doubled quotes, separators in quotes and empty lines are read as RFC 4180 says")
    func quotes() throws {
        let text = "\n\"id\",\"name\",group\n1,\"Hopper, \"\"Grace\"\"\",\n\n,,\n\" 2 \" ,  Ada  ,\"7b\""
        let list = try ClassListFile(Array(text.utf8), named: "class.csv")
        #expect(list.rows.map(\.person.name) == ["Hopper, \"Grace\"", "Ada"])
        #expect(list.rows.map(\.person.group) == [nil, "7b"] && list.rows.map(\.line) == [3, 6])
    }

    @Test(
        "a file with a faulty line is refused with the line",
        arguments: [
            ("id,name\n1,Ada\n,Bob", "line 3: the id is empty"),
            ("id,name\n1,", "line 2: the name is empty"),
            ("id,name\n1,Ada\n1,Bob", "line 3: the id “1” is in line 2"),
            ("id,name\n1,\"Ada", "line 2: a quote is opened"),
            ("id,name\n1,\"A\nB\"", "line 2: the name has a line break"),
            ("id,name,code\n1,Ada,1234", "line 2: the code is not 8"),
            ("id,name,code\n1,Ada,12345678\n2,Bob,1234 5678", "line 3: the code is the one of line 2"),
            ("number;surname\n1;Ada", "line 1: the first line must name the columns"),
            ("id,name,id\n1,Ada,2", "two columns"),
            ("id,name", "it names no person"),
            ("", "it is empty"),
        ])
    func faults(_ text: String, _ words: String) throws {
        let error = #expect(throws: HostError.self) { try ClassListFile(Array(text.utf8), named: "class.csv") }
        #expect(error?.description.contains(words) == true, "\(String(describing: error))")
    }

    @Test(
        "a file is the complete list of its groups: it adds, changes and removes there, and leaves other groups alone")
    func plan() throws {
        let fixture = try HostFixture()
        let store = try PeopleStore(making: fixture.data, clock: fixture.clock)
        func plan(_ text: String, keeps: Bool = false) throws -> ClassListPlan {
            try store.plan(ClassListFile(Array(text.utf8), named: "f"), keepsMissing: keeps)
        }
        let first = try plan("id,name,group,code\n1,Ada,7b,AAAA2222\n2,Bob,7b,\n3,Cid,8a,")
        #expect(first.added.count == 3 && !first.needsConsent && first.newCodes.count == 1)
        try store.apply(first)
        #expect(try plan("id,name,group,code\n1,Ada,7b,aaaa-2222\n2,Bob,7b,").isEmpty)
        let second = try plan("id,name,group,code\n1,Ada L,7b,BBBB2222\n4,Dan,7b,\n4,Dan,7b,")
        #expect(second.changed.map(\.after.name) == ["Ada L"] && second.removed.map(\.id) == ["2"])
        #expect(second.added.map(\.id) == ["4"] && second.needsConsent && second.replacedCodes.map(\.id) == ["1"])
        #expect(try plan("id,name,group\n1,Ada,7b", keeps: true).removed.isEmpty)
        try store.apply(second)
        #expect(try store.list().people.map(\.id) == ["1", "4", "3"])
        #expect(throws: HostError.peopleChanged) { try store.apply(first) }
        try store.remove("1")
        #expect(throws: HostError.unknownPerson("1")) { try store.remove("1") }
        #expect(try store.keys.all().entries.filter { $0.isValid(at: fixture.clock.now) }.isEmpty)
    }

    @Test("a code of a person whom the file does not name is given to no one else; within a file codes change hands")
    func foreignCode() throws {
        let fixture = try HostFixture()
        let store = try PeopleStore(making: fixture.data, clock: fixture.clock)
        func plan(_ text: String) throws -> ClassListPlan {
            try store.plan(ClassListFile(Array(text.utf8), named: "f"), keepsMissing: false)
        }
        func owners() throws -> [Digest: String] {
            let valid = try store.keys.all().entries.filter { $0.isValid(at: fixture.clock.now) }
            return Dictionary(valid.map { ($0.key.digest, $0.key.person ?? "") }) { "\($0) \($1)" }
        }
        try store.apply(plan("id,name,group,code\n1,Ada,7b,AAAA2222\n2,Bob,7b,BBBB2222"))
        let error = #expect(throws: HostError.self) { try plan("id,name,group,code\n3,Cid,8a,aaaa-2222") }
        #expect(error?.description.contains("line 2: the code is the one of the person “1”") == true)
        try store.apply(plan("id,name,group,code\n1,Ada,7b,BBBB2222\n2,Bob,7b,AAAA2222"))
        let codes = try ["AAAA2222", "BBBB2222"].map { try #require(PersonalCode($0)).digest }
        #expect(try owners() == [codes[0]: "2", codes[1]: "1"])
        // Who is removed leaves their code.
        try store.apply(plan("id,name,group,code\n2,Bob,7b,BBBB2222"))
        #expect(try owners() == [codes[1]: "2"])
    }

    @Test("a code is read as people type it, and has no characters that look alike")
    func codes() {
        let code = PersonalCode.make()
        #expect(code.text.count == 16 && code.grouped.count == 19)
        #expect(PersonalCode(" " + code.grouped.lowercased()) == code)
        #expect(!code.text.contains { "01IOLUSZB".contains($0) && $0 != "B" })
        #expect(PersonalCode("\u{0430}\u{0432}\u{0435}\u{043A}2345") == PersonalCode("ABEK2345"))
        #expect(PersonalCode("1234567") == nil && PersonalCode("\u{044F}bcd2345") == nil)
    }

    @Test("a person's code opens the host as a key that belongs to them, however it is typed, until it is revoked")
    func access() async throws {
        let fixture = try HostFixture()
        let store = try PeopleStore(making: fixture.data, clock: fixture.clock)
        try store.apply(
            store.plan(ClassListFile(Array("id,name\nada,Ada".utf8), named: "f"), keepsMissing: false))
        let code = PersonalCode.make()
        try store.setCodes([(try #require(try store.list()[id: "ada"]), code)])
        try await fixture.serve(.socket) { client in
            for text in [code.text, code.grouped, code.grouped.lowercased()] {
                let reply = try await client.get("/v1/access/self", [.authorization: "Bearer \(text)"])
                #expect(reply.status == .ok)
                #expect(
                    try DocumentCoding.decode(AccessSelf.self, from: Array(reply.body.readableBytesView)).person
                        == "ada")
            }
            #expect(
                try await client.get("/v1/questionnaires", [.authorization: "Bearer 2222-2222-2222-2222"]).status
                    == .unauthorized)
            try store.remove("ada")
            #expect(
                try await client.get("/v1/access/self", [.authorization: "Bearer \(code.text)"]).status == .unauthorized
            )
        }
    }
}
