import Foundation

/// A host that knows Ada's code, a hub with a key of its own, and a phone.
struct HubDraftWorld {
    static let code = "ABCD2345EFGH6789"
    private static let two = """
        {"id": "two", "title": "Two", "questions": [{"id": "q1", "text": "Why?", "kind": "text"},
        {"id": "q2", "text": "Since when?", "kind": "text"}]}
        """

    let phone: PhoneWorld
    private let arguments: [String]

    init(name: String? = nil) throws {
        phone = try PhoneWorld([Self.two], width: 390, height: 800, name: name)
        try phone.importClass(["s-1,Ada Lovelace,7b,\(Self.code)"])
        arguments = try phone.giveHubKey()
        try phone.browser.reload()
    }

    func startHub() throws { try phone.hub.start(arguments) }

    func logIn(_ code: String = Self.code) throws {
        try phone.goTo("#/person")
        try wait(for: "the login of Ada Lovelace") { () -> Bool? in
            // A list that comes makes the form again: a person whose press met that presses once more.
            if try phone.browser.has("#login") {
                try phone.browser.script("for (const field of document.querySelectorAll('#code')) field.value = ''")
                try phone.browser.type(code, into: "#code")
                try phone.browser.click("#login .plain")
            }
            return (try? phone.browser.see("Ada Lovelace", in: "#who", seconds: 20)) == nil ? nil : true
        }
    }

    func begin() throws -> String {
        try phone.goTo("#/q/two")
        try phone.browser.click("#begin")
        try phone.browser.see("Why?")
        guard let id = try phone.browser.script("return location.hash.split('/')[2]").text else {
            throw Unexpected("no id")
        }
        return id
    }

    /// Waits until the hub has this very state of a draft.
    func waitForCopy(_ id: String) throws {
        try wait(for: "the draft at the hub") { () -> Bool? in
            let isThere = try phone.browser.asyncScript(
                """
                const done = arguments[0];
                Promise.all([import('./drafts.js'), import('./store.js')]).then(async ([drafts, store]) => {
                  await drafts.exchange().catch(() => 0);
                  const test = await store.test('\(id)');
                  done(drafts.stateOf(test) === 'kept' && !await drafts.isChanged(test));
                }, error => done(String(error)));
                """)
            return isThere == .bool(true) ? true : nil
        }
    }

    /// Another device changes a text of the draft at the hub.
    func changeElsewhere(_ id: String, _ text: String, to other: String) throws {
        let isChanged = try phone.browser.asyncScript(
            """
            const done = arguments[0], path = '../drafts/\(id)', code = '\(Self.code)', fetch = window.realFetch ?? window.fetch;
            import('./drafts.js').then(async drafts => {
              const headers = { Authorization: 'Bearer ' + code }, reply = await fetch(path, { headers });
              const place = { person: 's-1', test: '\(id)', revision: Number(reply.headers.get('Quire-Revision')) };
              const { salt, bytes } = await drafts.open(code, place, new Uint8Array(await reply.arrayBuffer()));
              const changed = new TextEncoder().encode(new TextDecoder().decode(bytes).replaceAll('\(text)', '\(other)'));
              const revision = place.revision + 1, body = await drafts.seal(code, salt, { ...place, revision }, changed);
              done((await fetch(path, { method: 'PUT', body,
                headers: { ...headers, 'Content-Type': 'application/octet-stream', 'Quire-Revision': String(revision) } })).ok);
            }).catch(error => done(String(error)));
            """)
        guard isChanged == .bool(true) else { throw Unexpected("nothing is changed elsewhere: \(isChanged)") }
    }

    /// The app does not reach the drafts of the hub, until `reach`.
    func keepAway() throws {
        try phone.browser.script(
            """
            window.realFetch = window.fetch;
            window.fetch = (address, options) => String(address).includes('/drafts')
              ? Promise.reject(new TypeError('away')) : window.realFetch.call(window, address, options);
            """)
    }

    func reach() throws {
        try phone.browser.script("window.fetch = window.realFetch; dispatchEvent(new Event('online'))")
    }

    /// The files of drafts in the hub's store.
    func files() throws -> [String] {
        let folder = phone.hub.store + "/hub/drafts"
        return try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".draft") }
            .map { folder + "/" + $0 }
    }

    func tests() throws -> [JSON] {
        try Device(phone.folder.path, name: "teacher").json("host", "tests", "--data", phone.host.data).elements
    }
}
