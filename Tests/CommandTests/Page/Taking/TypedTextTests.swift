import Foundation
import Testing

/// In each interface, a typed or pasted text is stored scalar by scalar: nothing is composed, trimmed or folded.
@Suite(
    "Texts are stored as they were typed", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct TypedTextTests {
    /// Characters that programs often change: forms of composition, spaces, tabs, line breaks, emoji, directions, syntax.
    private static let parts = [
        "a", "Z", "é", "e\u{301}", "й", "и\u{306}", "ё", "ß", "İ", "ﬁ", "한", "\u{1112}\u{1161}\u{11AB}", "Å",
        "\u{212B}", " ", "  ",
        "\u{A0}", "\u{3000}", "\u{200B}", "\t", "\n", "\n\n", "😀", "👨‍👩‍👧", "🏽", "🇷🇺", "❤\u{FE0F}", "𝄞", "שלום", "\u{5B0}",
        "لا", "\u{200F}",
        "\u{202E}", "\u{2068}", "\u{2069}", "٣", "١", "−", "<b>", "&amp;", "\"", "'", "\\", "{{w}}", "%20", "+", "=",
        "$x$", "`", "…",
        "\u{FEFF}", "\u{AD}",
    ]

    /// Texts of a seed. Each has a letter, as white space alone is no answer.
    private static func texts(_ seed: UInt64, count: Int, of parts: [String] = TypedTextTests.parts) -> [String] {
        var state = seed &* 0x9E37_79B9_7F4A_7C15
        func next(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(limit))
        }
        return (0..<count).map { _ in
            let before = (0..<next(12)).map { _ in parts[next(parts.count)] }.joined()
            let after = (0..<next(12)).map { _ in parts[next(parts.count)] }.joined()
            return before + "x" + after
        }
    }

    private static let count = 32

    /// Where a text is typed.
    private enum Field: Int, CaseIterable {
        case lines, line, ownAnswer, gap

        init(question number: Int) { self = Self.allCases[number % Self.allCases.count] }

        func question(_ number: Int) -> String {
            switch self {
            case .lines: #"{"id": "q\#(number)", "text": "Text \#(number)?", "kind": "text"}"#
            case .line: #"{"id": "q\#(number)", "text": "Text \#(number)?", "kind": "text", "multiline": false}"#
            case .ownAnswer:
                #"{"id": "q\#(number)", "text": "Text \#(number)?", "kind": "choice", "options": ["A", "B"], "other": true}"#
            case .gap: #"{"id": "q\#(number)", "text": "Text \#(number)? {{w}}.", "kind": "gaps", "gaps": {"w": {}}}"#
            }
        }
    }

    /// A text for each question. A field of one line has no line breaks.
    private static func texts(_ seed: UInt64) -> [String] {
        let (any, line) = (
            texts(seed, count: count), texts(seed, count: count, of: parts.filter { !$0.contains("\n") })
        )
        return (0..<count).map { Field(question: $0) == .lines ? any[$0] : line[$0] }
    }

    private static func form() -> String {
        let questions = (0..<count).map { Field(question: $0).question($0) }
        return #"{"id": "typed", "title": "Typed", "questions": [\#(questions.joined(separator: ","))]}"#
    }

    private func scalars(_ text: String?) -> [UInt32] { text?.unicodeScalars.map(\.value) ?? [] }

    private func expect(_ record: JSON, _ texts: [String], _ place: String) {
        var stored: [String: String] = [:]
        for answer in record["answers"].elements {
            stored[answer["questionId"].text ?? ""] = answer["answer"].text ?? answer["answer"]["w"].text
        }
        for (number, text) in texts.enumerated() {
            #expect(
                scalars(stored["q\(number)"]) == scalars(text),
                "question \(number), \(Field(question: number)), by \(place)")
        }
    }

    private func fill(_ browser: Browser, _ texts: [String]) throws {
        for (number, text) in texts.enumerated() {
            try browser.script(
                """
                const box = document.getElementById('q' + arguments[0]);
                const mark = box.querySelector('[data-other]'), field = box.querySelector('.other, input.gap, textarea, .line');
                if (mark && !mark.checked) mark.click();
                field.value = arguments[1];
                field.dispatchEvent(new Event('input', { bubbles: true }));
                """, "\(number)", text)
        }
    }

    /// As a file of answers, and as the values of a command have them.
    private static func answers(_ texts: [String]) -> String {
        let members = texts.enumerated().map { number, text in
            let field = Field(question: number)
            return "\"q\(number)\": " + (field == .gap ? "{\"w\": \(quoted(text))}" : quoted(text))
        }
        return "{" + members.joined(separator: ",") + "}"
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.unicodeScalars.map { "\\u" + hex($0) }.joined() + "\""
    }

    private static func hex(_ scalar: Unicode.Scalar) -> String {
        String(scalar).utf16.map { unit in
            let digits = String(unit, radix: 16)
            return String(repeating: "0", count: 4 - digits.count) + digits
        }.joined(separator: "\\u")
    }

    @Test("on the page with the script and without, by command, and from a file", arguments: [true, false])
    func page(_ hasScript: Bool) throws {
        let texts = Self.texts(hasScript ? 1 : 2)
        let world = try PageWorld(hasScript: hasScript, questionnaires: [Self.form()])
        let browser = world.browser
        try browser.open(world.page.address + "/q/typed")
        try browser.click("form[action$='/begin'] button")
        try browser.see("Text 0?")
        let test = try browser.url.components(separatedBy: "?")[0]
        let id = try #require(test.split(separator: "/").last.map(String.init))
        try browser.open(test + "?view=all")
        _ = try browser.find("#q\(Self.count - 1)")
        try fill(browser, texts)
        try browser.click(".steps .main")
        _ = try browser.find("#review")
        expect(try JSON(file: world.device.testPath(id, "in-progress")), texts, hasScript ? "the page" : "the form")
        // What is stored is what the fields have again, and saving them once more changes nothing.
        try browser.open(test + "?view=all")
        try browser.click(".steps .main")
        _ = try browser.find("#review")
        expect(try JSON(file: world.device.testPath(id, "in-progress")), texts, "the page, once more")

        let taken = try world.device.take("typed", answers: Self.answers(texts))
        expect(try JSON(file: world.device.testPath(taken, "done")), texts, "--answers")
        let draft = try world.device.take("typed", answers: "{}", isFinished: false)
        for (number, text) in texts.enumerated() {
            let value = Field(question: number) == .gap ? "{\"w\": \(Self.quoted(text))}" : text
            try world.device.done("answer", draft, "q\(number)", "--", value)
        }
        expect(try JSON(file: world.device.testPath(draft, "in-progress")), texts, "the command")
        try world.close()
    }

    @Test("in the app, and in what it sends")
    func app() throws {
        let texts = Self.texts(3)
        let world = try PhoneWorld([Self.form()])
        let id = try world.begin("Typed", first: "Text 0?")
        try world.browser.script("document.getElementById('view').click()")
        _ = try world.browser.find("#q\(Self.count - 1)")
        try fill(world.browser, texts)
        try world.browser.see("\(Self.count) of \(Self.count)", in: "#answered")
        expect(try world.stored(id)["record"], texts, "the app")
        try world.goTo("#/t/\(id)/review")
        try world.browser.click("#send")
        let path = "\(world.host.data)/tests/\(id).test.json"
        try wait(for: "the test at the host") { Files.exists(path) ? true : nil }
        expect(try JSON(file: path), texts, "the host")
        try world.close()
    }

    @Test("at the terminal", .enabled(if: Command.isInstalled("tmux"), "tmux is not installed"))
    func terminal() throws {
        let texts = Self.texts(4)
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        try Files.write(Self.form(), to: host.questionnaires + "/typed.json")
        try host.start()
        let device = try Device(folder.path, of: host)
        let terminal = TmuxTerminal(folder.path, "typed")
        try terminal.start(device, "take typed")
        for (number, text) in texts.enumerated() {
            try terminal.see("Text \(number)?")
            let field = Field(question: number)
            if field == .ownAnswer { try terminal.type("o") }
            // A semicolon at the end would end tmux's command.
            try terminal.tmux("set-buffer", "--", text.hasSuffix(";") ? text.dropLast() + "\\;" : text)
            // As a terminal pastes: between its marks, line breaks as they are.
            try terminal.tmux("paste-buffer", "-p", "-r")
            try terminal.type(field == .ownAnswer || field == .gap ? "Enter" : "Tab")
        }
        let id = try wait(for: "the draft") { device.tests("in-progress").first }
        try wait(for: "the last answer") {
            try JSON(file: device.testPath(id, "in-progress"))["answers"].elements.count == Self.count ? true : nil
        }
        expect(try JSON(file: device.testPath(id, "in-progress")), texts, "the terminal")
        try host.stop()
    }
}
