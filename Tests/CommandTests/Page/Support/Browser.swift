import Foundation

/// A real browser without a screen, of any engine.
final class Browser {
    private let driver: any BrowserDriver
    private let session: String
    private let process: pid_t?

    /// Keys as WebDriver names them.
    enum Key {
        static let tab = "\u{E004}"
        static let enter = "\u{E007}"
        static let escape = "\u{E00C}"
        static let space = " "
        static let left = "\u{E012}"
        static let down = "\u{E015}"
        static let shift = "\u{E008}"
    }

    init(_ driver: any BrowserDriver, _ traits: BrowserTraits) throws {
        self.driver = driver
        let started = try driver.start(traits)
        (session, process) = (started.session, started.process)
    }

    deinit { quit() }

    /// The battery is taken out.
    func kill() throws {
        guard let process, Foundation.kill(process, SIGKILL) == 0 else { throw Unexpected("no browser to be killed") }
        quit()
    }

    func quit() { _ = try? driver.command("DELETE", session, nil) }

    @discardableResult
    func command(_ method: String, _ path: String, _ body: Any? = nil) throws -> JSON {
        try driver.command(method, session + path, body)
    }

    // MARK: Pages

    func open(_ url: String) throws { try command("POST", "/url", ["url": url]) }
    func reload() throws { try command("POST", "/refresh") }
    func back() throws { try command("POST", "/back") }
    func forward() throws { try command("POST", "/forward") }
    var url: String { get throws { try command("GET", "/url").text ?? "" } }
    var source: String { get throws { try command("GET", "/source").text ?? "" } }

    /// Opens another tab and goes to it; its handle.
    func newTab() throws -> String {
        guard let handle = try command("POST", "/window/new", ["type": "tab"])["handle"].text else {
            throw Unexpected("no tab")
        }
        try select(handle)
        return handle
    }

    var tab: String { get throws { try command("GET", "/window").text ?? "" } }
    func select(_ tab: String) throws { try command("POST", "/window", ["handle": tab]) }

    /// The value of a function's body.
    @discardableResult
    func script(_ text: String, _ arguments: Any...) throws -> JSON {
        try command("POST", "/execute/sync", ["script": text, "args": arguments])
    }

    /// The same for a body that calls its last argument when it is done.
    func asyncScript(_ text: String) throws -> JSON {
        try command("POST", "/execute/async", ["script": text, "args": [String]()])
    }

    func screenshot() throws -> Data {
        guard let text = try command("GET", "/screenshot").text, let data = Data(base64Encoded: text) else {
            throw Unexpected("no picture")
        }
        return data
    }

    // MARK: Elements

    private static let elementKey = "element-6066-11e4-a52e-4f735466cecf"

    /// The first element that fits, waited for.
    func find(_ selector: String) throws -> String {
        do {
            return try wait(for: "an element \(selector)") { try look(selector) }
        } catch let error as Unexpected {
            throw Unexpected("\(error) at \(try url): \(try text().prefix(600))")
        }
    }

    private func look(_ selector: String) throws -> String? {
        do {
            let found = try command("POST", "/element", ["using": "css selector", "value": selector])
            return found[Self.elementKey].text
        } catch let error as DriverError where error.kind == "no such element" || error.isStale {
            return nil
        }
    }

    func has(_ selector: String) throws -> Bool { try look(selector) != nil }

    /// Clicks; an element that is replaced at this moment is looked up again.
    func click(_ selector: String) throws {
        var last = "never there"
        do {
            try wait(for: "a click on \(selector)") { () -> Bool? in
                let element = try find(selector)
                do {
                    // The page scrolls smoothly: the driver would click where the element is not yet, and begin again.
                    let scroll = "arguments[0].scrollIntoView({block: 'nearest', behavior: 'instant'})"
                    try script(scroll, [Self.elementKey: element])
                    try command("POST", "/element/\(element)/click")
                    return true
                } catch let error as DriverError where error.isStale || error.isNotReady {
                    last = "\(error)"
                    return nil
                }
            }
        } catch let error as Unexpected {
            throw Unexpected("\(error) at \(try url): \(last); there is: \(try text().prefix(600))")
        }
    }

    /// Does something with an element; one that is replaced or not to be used at this moment is looked up again.
    @discardableResult
    private func with<Value>(_ selector: String, _ act: (String) throws -> Value) throws -> Value {
        try wait(for: "an element \(selector) that stays") { () -> Value? in
            let element = try find(selector)
            do {
                return try act(element)
            } catch let error as DriverError where error.isStale || error.isNotReady {
                return nil
            }
        }
    }

    /// Types into an element.
    func type(_ text: String, into selector: String) throws {
        try with(selector) { try command("POST", "/element/\($0)/value", ["text": text]) }
    }

    /// Types where the focus is.
    func press(_ keys: String...) throws {
        var actions: [[String: String]] = []
        for key in keys.joined() {
            actions.append(["type": "keyDown", "value": String(key)])
            actions.append(["type": "keyUp", "value": String(key)])
        }
        try command("POST", "/actions", ["actions": [["type": "key", "id": "keys", "actions": actions]]])
    }

    /// Clicks twice, as fast as a hand that is used to it.
    func doubleClick(_ selector: String) throws {
        try with(selector) { element in
            try point([
                try move(to: element), ["type": "pointerDown", "button": 0], ["type": "pointerUp", "button": 0],
                ["type": "pointerDown", "button": 0], ["type": "pointerUp", "button": 0],
            ])
        }
    }

    private func point(_ moves: [[String: Any]]) throws {
        try command("POST", "/actions", ["actions": [["type": "pointer", "id": "mouse", "actions": moves]]])
    }

    /// The move of the mouse to the middle of an element, which is scrolled into sight.
    private func move(to element: String) throws -> [String: Any] {
        let origin = [Self.elementKey: element]
        try script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", origin)
        return ["type": "pointerMove", "duration": 0, "x": 0, "y": 0, "origin": origin]
    }

    /// Presses the mouse on an element, and releases it after something has happened. The page's clock stands still meanwhile:
    /// a page waits for the release for three seconds, in which a busy machine may not get as far.
    func hold(_ selector: String, while happening: () throws -> Void) throws {
        try script("performance.now = (at => () => at)(performance.now())")
        try with(selector) { try point([try move(to: $0), ["type": "pointerDown", "button": 0]]) }
        try happening()
        try point([["type": "pointerUp", "button": 0]])
        try script("delete performance.now")
    }

    /// Draws a line across an element, with the mouse or a finger.
    func draw(on selector: String, by pointer: String = "mouse") throws {
        try with(selector) { element in
            let origin = [Self.elementKey: element]
            func move(_ x: Int, _ y: Int) -> [String: Any] {
                ["type": "pointerMove", "duration": 50, "x": x, "y": y, "origin": origin]
            }
            let moves: [[String: Any]] = [
                move(-80, 20), ["type": "pointerDown", "button": 0], move(0, -30), move(40, 30), move(80, -20),
                ["type": "pointerUp", "button": 0],
            ]
            try script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", origin)
            let source: [String: Any] = [
                "type": "pointer", "id": pointer, "parameters": ["pointerType": pointer], "actions": moves,
            ]
            try command("POST", "/actions", ["actions": [source]])
        }
    }

    /// Tabs on until the focus is on what fits: first as often as there are places to stop before it, since a look takes as
    /// long as a key, then key by key. From the end of a page Tab goes on at its beginning.
    func reach(_ selector: String) throws {
        for look in 0..<150 {
            let steps = try script(Self.stopsBefore, selector).whole ?? 1
            guard steps > 0 else { return }
            try press(String(repeating: Key.tab, count: look < 3 ? steps : 1))
        }
        throw Unexpected("Tab does not reach \(selector) at \(try url)")
    }

    /// Waits until the page has put the focus where one types, which comes after its text.
    func waitForFocus() throws {
        try wait(for: "the focus in a field") { () -> Bool? in
            try script("return document.activeElement.matches('input, textarea')") == .bool(true) ? true : nil
        }
    }

    /// How often Tab is to be pressed; 0 when the focus is there.
    private static let stopsBefore = """
        const active = document.activeElement, all = [...document.querySelectorAll('*')];
        if (active.matches(arguments[0])) return 0;
        const from = all.indexOf(active), target = all.findIndex((element, place) =>
            place > from && element.matches(arguments[0]));
        // One of a group of radio buttons is a stop, and which one the browser knows.
        return 1 + all.slice(from + 1, Math.max(target, from + 1)).filter(element =>
            element.tabIndex >= 0 && element.type !== 'radio' && !element.matches(':disabled, [inert] *')
                && element.checkVisibility({ visibilityProperty: true })).length;
        """

    /// What axe-core finds wrong with what is shown, one line each.
    func violations(by axe: String) throws -> String {
        try script(axe)
        let found = try asyncScript(
            """
            const done = arguments[0];
            axe.run(document, {resultTypes: ['violations']}).then(
                result => done(result.violations.map(v => v.id + ': ' + v.nodes.map(n => n.html).join(' | '))),
                error => done([String(error)]))
            """)
        guard case .array(let lines) = found, found.texts.count == lines.count else {
            throw Unexpected("axe-core says \(found)")
        }
        return found.texts.joined(separator: "\n")
    }

    /// The text that a person sees.
    func text(_ selector: String = "body") throws -> String {
        try with(selector) { try command("GET", "/element/\($0)/text").text ?? "" }
    }

    func value(_ selector: String) throws -> String {
        try with(selector) { try command("GET", "/element/\($0)/property/value").text ?? "" }
    }

    /// Waits until a text is seen, also in a field of several lines. It is looked for in the page's own text: a driver works a
    /// text out by a script that takes Chromium ten times as long.
    func see(_ words: String, in selector: String = "main", seconds: Double = patienceSeconds) throws {
        let look = """
            const element = document.querySelector(arguments[0]);
            if (!element || !element.checkVisibility()) return '';
            const typed = [...element.querySelectorAll('textarea')].filter(field => field.checkVisibility());
            return [element.innerText, ...typed.map(field => field.value)].join('\\n').replace(/[\\t\\u00A0]/g, ' ');
            """
        var last = ""
        do {
            try wait(for: "“\(words)”", seconds: seconds) { () -> Bool? in
                do {
                    last = try script(look, selector).text ?? ""
                } catch let error as DriverError where error.isStale {
                    return nil
                }
                return last.contains(words) ? true : nil
            }
        } catch let error as Unexpected {
            throw Unexpected("\(error) at \(try url); there is: \(last.prefix(1200))")
        }
    }
}

/// What most tests of the page and the app run in.
typealias Chromium = Browser
