/// A phone that a class of three shares.
extension PhoneWorld {
    static let why = """
        {"id": "why", "title": "Why", "questions": [{"id": "q1", "text": "Why?", "kind": "text"}]}
        """
    static let code = "ABCD2345EFGH6789"

    /// A class of three, of whom Ada has a code; the phone, whose hub shows the list.
    static func ofClass(name: String? = nil) throws -> PhoneWorld {
        let world = try PhoneWorld([why], width: 390, height: 800, name: name)
        try world.importClass(["s-1,Ada Lovelace,7b,\(code)", "s-2,Boris B.,7b,", "s-3,Clara,7b,"])
        try world.giveHubKey("--show-people")
        try world.browser.reload()
        try world.browser.see("Why", in: "#list")
        return world
    }

    /// Chooses someone of the class list, who has no PIN.
    func enter(_ id: String, _ name: String) throws {
        try goTo("#/person")
        try choose("#is-\(id)")
        try browser.see(name, in: "#who")
        try browser.see("Why", in: "#list")
    }

    /// Clicks what the head of the screen may cover.
    func choose(_ selector: String) throws {
        _ = try browser.find(selector)
        try browser.script(
            "document.querySelector(arguments[0])?.scrollIntoView({block: 'center', behavior: 'instant'})", selector)
        try browser.click(selector)
    }

    func setPIN(_ pin: String, former: String? = nil, again: String? = nil) throws {
        try goTo("#/person")
        _ = try browser.find("#own-pin")
        if try browser.script("return document.querySelector('#own-pin').open") == .bool(false) {
            try browser.click("#own-pin summary")
        }
        try browser.script("for (const field of document.querySelectorAll('#own-pin input')) field.value = ''")
        if let former { try browser.type(former, into: "#pin-former") }
        try browser.type(pin, into: "#pin-new")
        try browser.type(again ?? pin, into: "#pin-again")
        try browser.click("#own-pin .main")
    }

    func beginWhy(_ text: String) throws -> String {
        try goTo("#/q/why")
        try browser.click("#begin")
        try browser.see("Why?")
        guard let id = try browser.script("return location.hash.split('/')[2]").text else {
            throw Unexpected("no id")
        }
        try browser.type(text, into: "#a0")
        try waitForAnswer(id, "q1", text)
        return id
    }

    func typePIN(_ pin: String) throws {
        try browser.see("PIN, or the code on your card", in: "#ask-pin")
        try browser.type(pin, into: "#pin")
        try browser.click("#ask-pin .main")
    }

    /// Sets the time of Ada's last wrong try.
    func setTries(_ at: String) throws {
        let isSet = try browser.asyncScript(
            """
            const done = arguments[0];
            import('./store.js').then(store => store.changeFacts(['pins'], ({ pins }) => {
              pins['s-1'].tries.at = \(at);
              return { pins };
            })).then(() => done(true), error => done(String(error)));
            """)
        guard isSet == .bool(true) else { throw Unexpected("the tries are not set: \(isSet)") }
    }

    /// Ada with the PIN 1111 and a draft of hers.
    func withPIN() throws -> String {
        try enter("s-1", "Ada")
        try setPIN("1111")
        try browser.see("The PIN is set.", in: "#told")
        return try beginWhy("by Ada")
    }

    /// The PIN is not hashed before `release`, as on a slow phone.
    func holdHashes() throws {
        try browser.script(
            """
            const real = crypto.subtle.deriveBits.bind(crypto.subtle);
            window.held = [];
            crypto.subtle.deriveBits = (...given) => new Promise(done => window.held.push(() => done(real(...given))));
            """)
    }

    func waitForHash() throws {
        try wait(for: "a PIN to be hashed") { () -> Bool? in
            try browser.script("return window.held.length") == .number(1) ? true : nil
        }
    }

    func release() throws { try browser.script("window.held.shift()()") }

    /// A fact of the browser's storage.
    func fact(_ name: String) throws -> JSON {
        let text = try browser.asyncScript(
            """
            const done = arguments[0];
            import('./store.js').then(store => store.fact('\(name)')).then(value => done(JSON.stringify(value ?? null)));
            """)
        return try JSON(parsing: text.text ?? "null")
    }
}
