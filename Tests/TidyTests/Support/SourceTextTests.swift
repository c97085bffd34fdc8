import Testing

@Suite("A source is taken apart into code, comments and literals")
struct SourceTextTests {
    @Test("a comment is not code, and a nested one ends where it ends")
    func comments() {
        let source = SourceText("let a = 1 // try!\n/* x /* y */ fatalError( */ let b = 2\n")
        #expect(source.code[0].hasSuffix("let a = 1        "))
        #expect(source.code[1].trimmingSpaces == "let b = 2")
        #expect(source.comments[0].trimmingSpaces == "// try!")
        #expect(source.code.map(\.utf8.count) == source.comments.map(\.utf8.count))
    }

    @Test(
        "the inside of a string is not code",
        arguments: [
            #"let a = "try! // \" x!" + b"#,
            ##"let a = #"try! " \n x!"# + b"##,
            "let a = \"\"\"\n try! \" x!\n \"\"\" + b",
        ])
    func strings(_ text: String) {
        let code = SourceText(text).code.joined()
        #expect(!code.contains("!"))
        #expect(code.contains("+ b"))
    }

    @Test(
        "what is interpolated into a string is code",
        arguments: [
            #"let a = "x \(f("y", z!)) w!""#,
            ###"let a = ##"x \(no!) \##(f("y", z!)) w!"##"###,
        ])
    func interpolation(_ text: String) {
        let source = SourceText(text)
        #expect(source.code[0].filter { $0 == "!" }.count == 1)
        #expect(source.code[0].contains("z!"))
    }

    @Test("literals keep their text and their line")
    func literals() {
        let source = SourceText("let a = \"one\"\nlet b = #\"tw\"o\"# + \"x\\(y)z\"\n")
        #expect(
            source.literals == [
                Literal(line: 1, text: "one"), Literal(line: 2, text: "tw\"o"), Literal(line: 2, text: "x\\()z"),
            ])
    }

    @Test("a quote in a regular expression opens no string, and a division is no regular expression")
    func regularExpressions() {
        #expect(SourceText("let a = /x\"y!/\nlet b = c!\n").code[1] == "let b = c!")
        #expect(SourceText("let a = #/x/\"y!/#\nlet b = c!\n").code[1] == "let b = c!")
        #expect(SourceText("let a = b / c! / d").code[0] == "let a = b / c! / d")
    }

    @Test("a line that ends within a string does not swallow the file")
    func unterminated() {
        #expect(SourceText("let a = \"x\nlet b = c!\n").code[1] == "let b = c!")
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
