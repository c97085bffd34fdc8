import Foundation
import Synchronization
import Testing

/// What a phone keeps of the app, of the library and of the answers, in a real Chromium.
@Suite(
    "What a phone keeps", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct PhoneStorageTests {
    @Test("one press keeps the whole library, with pictures and sounds that can be moved about in without the hub")
    func keepAll() throws {
        let heard = """
            {"id": "heard", "title": "Heard", "questions": [{"id": "q1", "text": "What is heard, and what is seen?", "media": [
            {"path": "media/tone.wav", "type": "audio/wav", "alt": "A tone"}, {"path": "media/seen.png", "alt": "Seen"},
            {"path": "media/missing.png", "alt": "Unavailable picture"}]}]}
            """
        let world = try PhoneWorld([PhoneWorld.short])
        let browser = world.browser
        try browser.see("Short one", in: "#list")
        try Files.makeFolder(world.host.questionnaires + "/media")
        try FileManager.default.copyItem(
            atPath: Command.samples + "/media/compass.png", toPath: world.host.questionnaires + "/media/seen.png")
        // Two seconds of silence: PCM, one channel, 8 bits, 8000 a second.
        func number(_ value: UInt32, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 255) } }
        let sound: [UInt8] =
            Array("RIFF".utf8) + number(36 + 16_000, 4) + Array("WAVEfmt ".utf8) + number(16, 4) + number(1, 2)
            + number(1, 2) + number(8000, 4) + number(8000, 4) + number(1, 2) + number(8, 2) + Array("data".utf8)
            + number(16_000, 4) + [UInt8](repeating: 128, count: 16_000)
        try Data(sound).write(to: URL(filePath: world.host.questionnaires + "/media/tone.wav"))
        try Files.write(heard, to: world.host.questionnaires + "/heard.json")
        // What is new is there with the next look, however fresh the hub calls what it has.
        world.hub.kill()
        try Files.remove(world.hub.store + "/cache")
        try world.hub.start()
        try browser.reload()
        try browser.see("Heard", in: "#list")
        try world.waitForWorker()
        try browser.click(".head .plain")
        try browser.see("is on this device now", in: "#told")
        world.hub.kill()
        try world.goTo("#/q/heard")
        try browser.click("#begin")
        try browser.see("What is heard")
        let seen = try browser.asyncScript(
            """
            const done = arguments[0], sound = document.querySelector('audio'), picture = document.querySelector('img');
            const moved = () => picture.decode().then(() => done([sound.duration, sound.currentTime, picture.naturalWidth > 0]));
            const ready = () => { sound.onseeked = moved; sound.currentTime = 1.5; };
            sound.onerror = () => done(['no sound']);
            if (sound.readyState >= 1) ready(); else sound.onloadedmetadata = ready;
            """)
        #expect(seen == .array([.number(2), .number(1.5), .bool(true)]))
        try browser.see("Not on this device: Unavailable picture")
        try world.close()
    }

    @Test("a server that wants a token: the app says what to do, and shows nothing in its place")
    func token() throws {
        let world = try PhoneWorld()
        let file = world.folder.path + "/token"
        try Files.write("s3cret-token-value\n", to: file)
        try Command.run("chmod", "600", file, in: world.folder.path)
        world.host.kill()
        try world.host.start("--token-file", file)
        world.hub.kill()
        try Files.remove(world.hub.store + "/cache")
        try world.hub.start()
        try world.forgetAll()
        try world.browser.see("The server wants a token", in: "#list")
        world.hub.kill()
        try world.hub.start("--token-file", file)
        try world.browser.reload()
        try world.browser.see("Short one", in: "#list")
        try world.close()
    }

    @Test("a new version is taken whole or not at all, and is there with the next start")
    func newVersion() throws {
        let published = Mutex<[String: String]>([:])
        var server: ScriptedServer?
        let world = try PhoneWorld(way: { port in
            let made = try ScriptedServer { request in
                let name = request.path.split(separator: "/").last.map(String.init) ?? ""
                guard let text = published.withLock({ $0[name] }) else { return .handOn(port: port) }
                return ScriptedServer.plain("200 OK", text, type: "text/javascript")
            }
            server = made
            return made.port
        })
        let browser = world.browser
        try world.waitForWorker()
        func versions() throws -> [String] {
            let names = try browser.asyncScript("const done = arguments[0]; caches.keys().then(done)")
            return names.texts.filter { $0.hasPrefix("quire-app-") }
        }
        /// What became of the version that is there now.
        func update() throws -> String? {
            try browser.asyncScript(
                """
                const done = arguments[0];
                navigator.serviceWorker.getRegistration().then(async registration => {
                  await registration.update().catch(() => {});
                  const worker = registration.installing ?? registration.waiting;
                  if (!worker) return done('none');
                  const look = () => { if (['redundant', 'activated'].includes(worker.state)) done(worker.state); };
                  worker.onstatechange = look;
                  look();
                });
                """
            ).text
        }
        let old = try versions()
        #expect(old.count == 1)
        #expect(try update() == "none")
        func file(_ name: String) throws -> String {
            try Command.run(
                "curl", "-sSf", "http://127.0.0.1:\(world.hub.port)/_hub/app/\(name)", in: world.folder.path)
        }
        func digest(_ text: String) throws -> String {
            String(try Command.run("sha256sum", in: world.folder.path, input: text).prefix(64))
        }
        let words = try file("words.js")
        let newWords = words.replacing("'Keep all on this device'", with: "'Keep the whole library here'")
        let worker = try file("sw.js").replacing(try digest(words), with: try digest(newWords))
            .replacing(old[0].dropFirst("quire-app-".count), with: "new")
        // Only half of it is there yet.
        published.withLock { $0["sw.js"] = worker }
        #expect(try update() == "redundant")
        #expect(try versions() == old)
        try browser.reload()
        try browser.see("Keep all on this device")
        published.withLock { $0["words.js"] = newWords }
        #expect(try update() == "activated")
        try wait(for: "the old version's end") { try versions() == ["quire-app-new"] ? true : nil }
        world.hub.kill()
        try browser.reload()
        try browser.see("Keep the whole library here")
        _ = server
        try world.close()
    }

    @Test("the browser finds nothing that keeps it from putting the app among the others")
    func installable() throws {
        let world = try PhoneWorld(in: .chromium)
        try world.waitForWorker()
        func faults(_ command: String, _ list: String) throws -> [JSON] {
            let found = try world.browser.command(
                "POST", "/goog/cdp/execute", ["cmd": command, "params": [String: String]()])
            guard case .array(let faults) = found[list] else { throw Unexpected("\(command) answered \(found)") }
            return faults
        }
        #expect(try faults("Page.getInstallabilityErrors", "installabilityErrors").isEmpty)
        #expect(try faults("Page.getAppManifest", "errors").isEmpty)
        // It would say so.
        try world.browser.open("http://127.0.0.1:\(world.hub.port)/_hub/status")
        #expect(try !faults("Page.getInstallabilityErrors", "installabilityErrors").isEmpty)
        try world.close()
    }

    @Test("two tabs on one question: what is answered in one shows in the other, and nothing is overwritten unasked")
    func tabs() throws {
        let world = try PhoneWorld()
        let browser = world.browser
        let id = try world.begin()
        try world.goTo("#/t/\(id)/3")
        try browser.see("Why?")
        let first = try browser.tab
        let second = try browser.newTab()
        try browser.open(world.address + "#/t/\(id)/3")
        try browser.type("From the second", into: "#a2")
        try browser.select(first)
        try wait(for: "the other tab's answer") { try browser.value("#a2") == "From the second" ? true : nil }
        // This tab is held up while the other one goes on.
        try browser.script(
            """
            window.put = IDBObjectStore.prototype.put;
            IDBObjectStore.prototype.put = () => { throw new DOMException('full', 'QuotaExceededError'); };
            document.querySelector('#a2').value = 'Mine';
            document.querySelector('#a2').dispatchEvent(new Event('input', {bubbles: true}));
            """)
        try browser.select(second)
        try browser.type(", more", into: "#a2")
        try world.waitForAnswer(id, "q3", "From the second, more")
        try browser.select(first)
        try browser.script(
            """
            IDBObjectStore.prototype.put = window.put;
            document.querySelector('#a2').dispatchEvent(new Event('input', {bubbles: true}));
            """)
        try browser.see("This answer was changed elsewhere:")
        try browser.see("From the second, more", in: ".elsewhere")
        #expect(try browser.value("#a2") == "Mine")
        try world.waitForAnswer(id, "q3", "From the second, more")
        try browser.click(".elsewhere button")
        try world.waitForAnswer(id, "q3", "Mine")
        try world.close()
    }

    @Test("a connection to the storage that the browser closes at any moment: there is another, and nothing is lost")
    func closedStorage() throws {
        let world = try PhoneWorld()
        let browser = world.browser
        let id = try world.begin()
        try world.goTo("#/t/\(id)/3")
        try browser.see("Why?")
        try world.waitForWorker()
        try browser.script(
            """
            const { transaction } = IDBDatabase.prototype, { put } = IDBObjectStore.prototype, given = CacheStorage.prototype.delete;
            IDBDatabase.prototype.transaction = function (...values) {
              if (!window.isClosed) this.close();
              window.isClosed = true;
              return transaction.apply(this, values);
            };
            window.cutNext = () => {
              let isCut = false;
              IDBObjectStore.prototype.put = function (...values) {
                const request = put.apply(this, values);
                if (!isCut) { this.transaction.db.close(); this.transaction.abort(); }
                isCut = true;
                return request;
              };
            };
            CacheStorage.prototype.delete = function (name) { window.hasGivenWay = name; return given.call(this, name); };
            """)
        try browser.type("Not lost", into: "#a2")
        try world.waitForAnswer(id, "q3", "Not lost")
        try browser.see("Saved locally", in: "#saved")
        try browser.script("window.cutNext()")
        try browser.type(" at all", into: "#a2")
        try world.waitForAnswer(id, "q3", "Not lost at all")
        try browser.see("Saved locally", in: "#saved")
        // The browser removes everything, as some do on a full disk: what was typed stays, and is said not to be saved.
        try browser.script(
            """
            const { transaction } = IDBDatabase.prototype;
            let isGone = false;
            IDBDatabase.prototype.transaction = function (...values) {
              if (!isGone) { this.close(); indexedDB.deleteDatabase('quire'); }
              isGone = true;
              return transaction.apply(this, values);
            };
            """)
        try browser.type(", even now", into: "#a2")
        try browser.see("Not saved", in: "#saved")
        try world.goTo("#/outbox")
        try browser.see("Not saved", in: "#told")
        #expect(try browser.value("#a2") == "Not lost at all, even now")
        // Space is not what was missing.
        #expect(
            try browser.script("return [window.isClosed, window.hasGivenWay ?? null]")
                == .array([.bool(true), .null]))
        try world.close()
    }

    @Test("another window holds the storage in a former version: it is said at once, and goes on when that is closed")
    func blockedStorage() throws {
        let world = try PhoneWorld()
        let browser = world.browser
        try browser.see("Short one", in: "#list")
        try browser.open("http://127.0.0.1:\(world.hub.port)/_hub/app/words.js")
        let made = try browser.asyncScript(
            """
            const done = arguments[0], gone = indexedDB.deleteDatabase('quire');
            gone.onerror = gone.onblocked = () => done('blocked');
            gone.onsuccess = () => {
              const request = indexedDB.open('quire', 1);
              request.onupgradeneeded = () => {
                request.result.createObjectStore('tests', { keyPath: 'id' });
                request.result.createObjectStore('pages', { keyPath: 'id' });
                request.result.createObjectStore('documents', { keyPath: 'digest' });
                request.result.createObjectStore('facts');
              };
              request.onsuccess = () => { window.base = request.result; done('made'); };
            };
            """)
        #expect(made == .string("made"))
        let former = try browser.tab
        let newer = try browser.newTab()
        try browser.open(world.address)
        try browser.see("Close the other windows of this app")
        try browser.select(former)
        try browser.script("window.base.close()")
        try browser.select(newer)
        try browser.see("Short one", in: "#list")
        try world.close()
    }

    @Test("storage that takes nothing: it is said at once, what was typed stays, and is saved when there is space")
    func fullStorage() throws {
        let world = try PhoneWorld()
        let browser = world.browser
        let id = try world.begin()
        try world.goTo("#/t/\(id)/3")
        try browser.see("Why?")
        try browser.script(
            """
            window.put = IDBObjectStore.prototype.put;
            IDBObjectStore.prototype.put = () => { throw new DOMException('full', 'QuotaExceededError'); };
            """)
        try browser.type("Not lost", into: "#a2")
        try browser.see("Not saved", in: "#saved")
        try world.goTo("#/outbox")
        try browser.see("Not saved", in: "#told")
        #expect(try browser.value("#a2") == "Not lost")
        try browser.script("IDBObjectStore.prototype.put = window.put")
        try world.waitForAnswer(id, "q3", "Not lost")
        try browser.see("Saved locally", in: "#saved")
        // If pictures take the space, they are evicted without a message.
        try world.waitForWorker()
        try browser.script(
            """
            IDBObjectStore.prototype.put = function (...values) {
              if (!window.hasGivenWay) throw new DOMException('full', 'QuotaExceededError');
              return window.put.apply(this, values);
            };
            const real = CacheStorage.prototype.delete;
            CacheStorage.prototype.delete = function (name) {
              window.hasGivenWay = name === 'quire-media';
              return real.call(this, name).then(() => true);
            };
            new MutationObserver(() => { if (document.querySelector('.kept')) window.wasTold = true; })
              .observe(document.querySelector('#saved'), { attributes: true });
            """)
        try browser.type(" at all", into: "#a2")
        try world.waitForAnswer(id, "q3", "Not lost at all")
        #expect(
            try browser.script("return [window.hasGivenWay, window.wasTold ?? false]")
                == .array([.bool(true), .bool(false)]))
        try world.close()
    }
}
