import Foundation

/// A host, a hub before it, and the browser of a phone in the room.
final class PhoneWorld {
    let folder: TemporaryFolder
    let host: HostProcess
    let hub: HubProcess
    private let driver: any BrowserDriver
    private(set) var browser: Browser
    /// Where the browser opens the app; by default the hub's own address.
    let address: String
    private let start: () throws -> Browser

    /// A short questionnaire with every kind of question, each with a right answer.
    static let short = """
        {"id": "short", "title": "Short one", "description": "Of every kind.", "questions": [
        {"id": "q1", "text": "Is it so?", "options": ["yes", "no"], "required": true},
        {"id": "q2", "text": "Which of them?", "kind": "choices", "options": ["a", "b", "c"]},
        {"id": "q3", "text": "Why?", "kind": "text"},
        {"id": "q4", "text": "How many?", "kind": "number"}],
        "answerKey": {"q1": "yes", "q2": ["a", "c"], "q3": "Because of this", "q4": "2.5"}}
        """

    /// - Parameters:
    ///   - questionnaires: their texts; the samples where `nil`.
    ///   - engine: of the browser.
    ///   - name: a name of the hub that is not this machine's own, as on a network of a school.
    ///   - way: makes the port that the browser goes to out of the hub's.
    init(
        _ questionnaires: [String]? = [PhoneWorld.short], in engine: Engine = .usual, language: String = "en",
        isDark: Bool = false,
        width: Int = 1100, height: Int = 900, name: String? = nil, more: [String] = [], scheme: String = "http",
        hubArguments: [String] = [], way: (Int) throws -> Int = { $0 }
    ) throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        host = try HostProcess(
            folder: folder.path, questionnaires: questionnaires == nil ? Command.samples : nil, isRestarted: true)
        for (number, text) in (questionnaires ?? []).enumerated() {
            try Files.write(text, to: "\(host.questionnaires)/\(number).json")
        }
        try host.start()
        hub = HubProcess(
            folder: folder.path, upstream: host.address, port: try SteadyPort.next(),
            arguments: hubArguments + (name.map { ["--name", $0] } ?? []))
        try hub.start()
        address = "\(scheme)://\(name ?? "127.0.0.1"):\(try way(hub.port))/_hub/app/"
        let driver = try engine.driver(folder: folder.path)
        self.driver = driver
        let arguments = more + (name.map { ["--host-resolver-rules=MAP \($0) 127.0.0.1"] } ?? [])
        start = {
            try Browser(
                driver,
                BrowserTraits(
                    profile: folder.path + "/profile", language: language, isDark: isDark, width: width,
                    height: height, more: arguments))
        }
        browser = try start()
        try browser.open(address)
    }

    /// The browser is ended, or killed, and started again with what it kept.
    func restartBrowser(isKilled: Bool = false) throws {
        if isKilled { try browser.kill() } else { browser.quit() }
        browser = try start()
    }

    func close() throws {
        browser.quit()
        if hub.process != nil { try hub.stop() }
        if host.isRunning { try host.stop() }
    }

    /// Another phone comes: a browser that has never been here.
    func forgetAll() throws {
        browser.quit()
        try Files.remove(folder.path + "/profile")
        browser = try start()
        try browser.open(address)
    }

    /// This phone is laid aside, with what it keeps, and another one taken: the one of this name, or a new one.
    func changePhone(from name: String, to other: String) throws {
        browser.quit()
        try FileManager.default.moveItem(atPath: folder.path + "/profile", toPath: folder.path + "/" + name)
        if FileManager.default.fileExists(atPath: folder.path + "/" + other) {
            try FileManager.default.moveItem(atPath: folder.path + "/" + other, toPath: folder.path + "/profile")
        }
        browser = try start()
        try browser.open(address)
    }

    /// The one who looks after the host.
    var teacher: Device { Device(folder.path, name: "teacher") }

    /// Imports people: lines of `id,name,group,code`.
    func importClass(_ lines: [String]) throws {
        let file = folder.path + "/class.csv"
        try Files.write("id,name,group,code\n" + lines.joined(separator: "\n") + "\n", to: file)
        try teacher.done("host", "people", "import", file, "--data", host.data, "--yes")
    }

    /// A new key of the host.
    func key(_ role: String) throws -> String {
        guard let key = try teacher.json("host", "keys", "add", "--data", host.data, "--role", role)["key"].text else {
            throw Unexpected("no key")
        }
        return key
    }

    /// Starts the hub again with a taker's key of its own; the arguments for the next start.
    @discardableResult
    func giveHubKey(_ more: String...) throws -> [String] {
        let file = folder.path + "/hub-key"
        try Files.write(try key("taker") + "\n", to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        try hub.stop()
        try hub.start(["--token-file", file] + more)
        return ["--token-file", file] + more
    }

    // MARK: What a person does

    static func option(_ question: Int, _ place: Int) -> String { "#a\(question)-\(place)" }

    /// Waits until the browser has the app and would open it without the hub.
    func waitForWorker() throws {
        let isReady = try browser.asyncScript(
            "const done = arguments[0]; navigator.serviceWorker.ready.then(() => done(true))")
        guard isReady == .bool(true) else { throw Unexpected("the browser does not keep the app") }
    }

    /// Opens a questionnaire from the library and begins a test of it; its id.
    func begin(_ title: String = "Short one", first: String = "Is it so?") throws -> String {
        try browser.see(title, in: "#list")
        try browser.click(".item h2 a")
        try browser.click("#begin")
        try browser.see(first)
        guard let id = try browser.script("return location.hash.split('/')[2]").text else { throw Unexpected("no id") }
        return id
    }

    func goTo(_ hash: String) throws { try browser.script("location.hash = arguments[0]", hash) }

    /// A test as the browser's storage has it.
    func stored(_ id: String) throws -> JSON {
        let text = try browser.asyncScript(
            """
            const done = arguments[0];
            indexedDB.open('quire').onsuccess = event => {
              const base = event.target.result;
              base.transaction('tests').objectStore('tests').get('\(id)').onsuccess = event => {
                base.close();
                const test = event.target.result;
                if (test?.frozen) test.frozen.text = new TextDecoder().decode(test.frozen.bytes);
                done(JSON.stringify(test ?? null));
              };
            };
            """)
        return try JSON(parsing: text.text ?? "null")
    }

    func waitForAnswer(_ id: String, _ question: String, _ expected: String) throws {
        try wait(for: "“\(expected)” in the browser's storage") { () -> Bool? in
            try stored(id)["record"]["answers"].elements.contains {
                $0["questionId"].text == question && $0["answer"].text == expected
            }
                ? true : nil
        }
    }

    /// From now on this tab notes the digests of what it puts.
    func notePuts() throws {
        try browser.script(
            """
            const real = window.fetch;
            window.puts = [];
            window.fetch = (address, options) => {
              if (options?.method === 'PUT') window.puts.push(options.headers['Content-Digest'] + ' ' + address);
              return real(address, options);
            };
            """)
    }

    func puts() throws -> [String] { try browser.script("return window.puts").texts }
}
