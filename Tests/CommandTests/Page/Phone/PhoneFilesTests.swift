import Foundation
import Testing

/// Photos and other files in the app of the hub, in a real Chromium, over a real hub and host.
@Suite(
    "Files of answers on a phone", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct PhoneFilesTests {
    private static let png = Data(
        base64Encoded:
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")

    private let world: PhoneWorld
    private let photo: String
    private let film: String

    init() throws {
        world = try PhoneWorld()
        photo = world.folder.path + "/Фото <b>1'.png"
        try #require(Self.png).write(to: URL(filePath: photo))
        film = try Files.film(world.folder.path + "/film.mp4", bytes: 3_000_000)
    }

    private func sum(_ path: String) throws -> String {
        String(try Command.run("sha256sum", path, in: world.folder.path).prefix(64))
    }

    /// What the host has got of a test: names of its files, and whether they arrived.
    private func media(_ test: String) throws -> [String: String] {
        let text = try Command.run(
            "curl", "-sS", "\(world.host.address)/v1/tests/\(test)/media", in: world.folder.path)
        var states: [String: String] = [:]
        for file in try JSON(parsing: text)["media"].elements {
            states[file["name"].text ?? "?"] = file["state"].text
        }
        return states
    }

    private func chooseBoth() throws {
        try world.browser.click("#d0 summary")
        try world.browser.type(photo, into: "#c0")
        try world.browser.see("Фото <b>1'.png", in: "#d0")
        try world.browser.type(film, into: "#c0")
        try world.browser.see("film.mp4", in: "#d0")
    }

    /// A test with its first answer and both files.
    private func beginWithBoth() throws -> String {
        let id = try world.begin()
        try world.browser.click(PhoneWorld.option(0, 0))
        try chooseBoth()
        return id
    }

    private func waitForBoth(_ test: String, seconds: Double = patienceSeconds) throws {
        try wait(for: "the files", seconds: seconds) {
            try media(test) == ["Фото <b>1'.png": "arrived", "film.mp4": "arrived"] ? true : nil
        }
    }

    @Test("taken without the hub, kept over a killed browser, handed over after the test, once, and then given free")
    func whole() throws {
        let id = try world.begin()
        try world.browser.click(PhoneWorld.option(0, 0))
        try world.waitForAnswer(id, "q1", "yes")
        try world.waitForWorker()
        world.hub.kill()
        try world.browser.see("Offline", in: "#connection")
        try chooseBoth()
        #expect(try world.browser.text("#d0").contains("3 MB · goes with the test"))
        let width = try world.browser.asyncScript(
            "const done = arguments[0]; document.querySelector('.thumb img').decode()"
                + ".then(() => done(document.querySelector('.thumb img').naturalWidth), e => done(String(e)))")
        #expect(width == .number(1))
        try world.browser.see("Saved locally", in: "#saved")
        // The same once more is the same; what was taken away is gone.
        try world.browser.type(film, into: "#c0")
        try world.browser.click("#d0 li:last-child button")
        try wait(for: "it to go") { try world.browser.text("#d0").contains("film.mp4") ? nil : true }
        #expect(try world.stored(id)["record"]["attachments"].elements.count == 1)
        try world.browser.type(film, into: "#c0")
        try world.browser.see("film.mp4", in: "#d0")
        try world.browser.see("Saved locally", in: "#saved")

        try world.restartBrowser(isKilled: true)
        try world.browser.open(world.address + "#/t/\(id)/review")
        try world.browser.see("film.mp4", in: ".lines")
        try world.browser.click("#send")
        try world.browser.see("waiting to be sent")
        try world.browser.see("2 files are still to be sent")
        let attachments = try world.stored(id)["record"]["attachments"].elements
        #expect(attachments.map { $0["questionId"].text } == ["q1", "q1"])
        #expect(attachments.map { $0["mediaType"].text } == ["image/png", "video/mp4"])
        #expect(try attachments.map { $0["digest"].text } == ["sha256:\(sum(photo))", "sha256:\(sum(film))"])

        try world.hub.start()
        try world.browser.see("Rated", in: ".state-words")
        try waitForBoth(id)
        try wait(for: "the receipts") {
            try world.browser.text("#report").contains("still to be sent") ? nil : true
        }
        try world.browser.see("3 MB · Sent", in: ".answers")
        #expect(try Set(Files.names(in: world.host.data + "/media", suffix: "")) == [sum(photo), sum(film)])
        #expect(world.host.tests == [id])
        #expect(try blobs() == 0)
        try world.goTo("#/outbox")
        try world.browser.see("Nothing is waiting")
        try world.close()
    }

    /// How many files the browser still has the bytes of.
    private func blobs() throws -> Int {
        let number = try world.browser.asyncScript(
            """
            const done = arguments[0];
            indexedDB.open('quire').onsuccess = event => {
              const base = event.target.result;
              base.transaction('bytes').objectStore('bytes').getAll().onsuccess = event => {
                base.close();
                done(event.target.result.length);
              };
            };
            """)
        return number.whole ?? -1
    }

    @Test("the hub killed in the middle of a file: it goes on where it was, by whatever tab, and arrives once")
    func cut() throws {
        let id = try beginWithBoth()
        // In the middle of the film the hub is away.
        try world.browser.script(
            """
            const real = window.fetch;
            window.pieces = [];
            window.fetch = async (address, options) => {
              if (options?.method === 'PATCH') {
                window.pieces.push(Number(options.headers['Upload-Offset']));
                if (window.pieces.length === 4) return new Promise(() => {});
              }
              return real(address, options);
            };
            """)
        try world.goTo("#/t/\(id)/review")
        try world.browser.click("#send")
        try world.browser.see("Rated", in: ".state-words")
        try wait(for: "the pieces") {
            try world.browser.script("return window.pieces.length").whole == 4 ? true : nil
        }
        world.hub.kill()
        try world.browser.reload()
        try world.browser.script(
            """
            const real = window.fetch;
            window.pieces = [];
            window.fetch = (address, options) => {
              if (options?.method === 'PATCH') window.pieces.push(Number(options.headers['Upload-Offset']));
              return real(address, options);
            };
            """)
        try world.hub.start()
        try wait(for: "the film") {
            try media(id) == ["Фото <b>1'.png": "arrived", "film.mp4": "arrived"] ? true : nil
        }
        let pieces = try world.browser.script("return window.pieces").elements.compactMap(\.number)
        #expect(pieces.first ?? 0 > 0, "\(pieces)")
        #expect(try Set(Files.names(in: world.host.data + "/media", suffix: "")) == [sum(photo), sum(film)])
        try world.close()
    }

    @Test("storage that takes nothing any more: test and files go all the same, once, and make room for their receipts")
    func fullStorage() throws {
        let id = try beginWithBoth()
        try world.browser.see("Saved locally", in: "#saved")
        world.hub.kill()
        try world.browser.see("Offline", in: "#connection")
        try world.goTo("#/t/\(id)/review")
        try world.browser.click("#send")
        try world.browser.see("2 files are still to be sent")
        try world.browser.script(
            "IDBObjectStore.prototype.put = () => { throw new DOMException('full', 'QuotaExceededError'); }")
        try world.hub.start()
        try waitForBoth(id)
        #expect(world.host.tests == [id])
        try wait(for: "the bytes to go") { try blobs() == 0 ? true : nil }
        #expect(try world.stored(id)["status"].text == "done")
        // Only the hub remembers the receipts.
        try world.browser.reload()
        try world.browser.see("Rated", in: ".state-words")
        try world.browser.see("3 MB · Sent", in: ".answers")
        #expect(world.host.tests == [id])
        try world.close()
    }

    @Test("another tab that wants to send at every moment does not keep this one from it")
    func twoTabs() throws {
        let id = try beginWithBoth()
        try world.browser.see("Saved locally", in: "#saved")
        let own = try world.browser.tab
        _ = try world.browser.newTab()
        try world.browser.open("http://127.0.0.1:\(world.hub.port)/_hub/app/words.js")
        // One holds the lock, or waits for it, while the other one waits.
        try world.browser.script(
            """
            const wish = () => navigator.locks.request('quire-send', () => new Promise(done => setTimeout(done, 50))).then(wish);
            wish();
            wish();
            """)
        try world.browser.select(own)
        try world.goTo("#/t/\(id)/review")
        try world.browser.click("#send")
        try waitForBoth(id)
        try world.close()
    }

    @Test("a file with progress is resumed soon after each break, however long ago the first one was")
    func breaks() throws {
        let id = try beginWithBoth()
        try world.browser.see("Saved locally", in: "#saved")
        let seeded = try world.browser.asyncScript(
            """
            const done = arguments[0], real = window.fetch, then = Date.now() - 3 * 3600e3;
            let pieces = 0;
            window.fetch = (address, options) => {
              if (options?.method === 'PATCH' && ++pieces % 4 === 0) return Promise.reject(new TypeError('cut'));
              return real(address, options);
            };
            indexedDB.open('quire').onsuccess = event => {
              const base = event.target.result, transaction = base.transaction('files', 'readwrite');
              const files = transaction.objectStore('files');
              files.getAll().onsuccess = event => {
                for (const file of event.target.result) {
                  file.delivery = { attempts: 9, firstAttempt: then, lastAttempt: then, reason: 'noWay' };
                  files.put(file);
                }
              };
              transaction.oncomplete = () => { base.close(); done('seeded'); };
            };
            """)
        #expect(seeded == .string("seeded"))
        try world.goTo("#/t/\(id)/review")
        try world.browser.click("#send")
        try waitForBoth(id)
        try world.close()
    }

    @Test("with the server away they are kept at the hub, and said to be; a discarded draft takes its files along")
    func kept() throws {
        let id = try beginWithBoth()
        world.host.kill()
        try world.browser.see("Hub only", in: "#connection")
        try world.goTo("#/t/\(id)/review")
        try world.browser.click("#send")
        try world.browser.see("Kept at the hub", in: ".state-words")
        try world.browser.see("3 MB · Kept at the hub", in: ".answers")
        try world.host.start()
        try world.browser.see("3 MB · Sent", in: ".answers")
        #expect(try media(id).values.sorted() == ["arrived", "arrived"])

        try world.goTo("#/q/short")
        try world.browser.click("#begin")
        try world.browser.see("Is it so?")
        try chooseBoth()
        #expect(try blobs() == 2)
        try world.browser.script("window.confirm = () => true")
        try world.browser.click("#map summary")
        try world.browser.click("#discard")
        try wait(for: "the files to go") { try blobs() == 0 ? true : nil }
        try world.close()
    }

    @Test("files that the server rejects are shown with the reason, holds up no other, and can be taken away")
    func refused() throws {
        world.host.kill()
        try world.host.start("--media-limit", "1MB")
        let id = try beginWithBoth()
        try world.goTo("#/t/\(id)/review")
        try world.browser.click("#send")
        try world.browser.see("Rated", in: ".state-words")
        try world.browser.see("3 MB · Not accepted:", in: ".answers")
        try world.browser.see("1 file was not accepted")
        try wait(for: "the photo") { try media(id)["Фото <b>1'.png"] == "arrived" ? true : nil }
        try world.goTo("#/outbox")
        try world.browser.see("1 file was not accepted", in: "#list")
        try world.goTo("#/t/\(id)")
        try world.browser.script("window.confirm = () => true")
        try world.browser.click(".files button")
        try wait(for: "the bytes to go") { try blobs() == 0 ? true : nil }
        try world.goTo("#/outbox")
        try world.browser.see("Nothing is waiting")
        try world.close()
    }

    @Test("what the app does not take is said with the file's name; the others go on, and so does the person")
    func tooLong() throws {
        let id = try world.begin()
        let long = try Files.film(world.folder.path + "/long.mp4", bytes: 64_000_001)
        try world.browser.click("#d0 summary")
        try world.browser.type(long, into: "#c0")
        try world.browser.see("“long.mp4” is longer than 64 MB")
        try world.browser.type(photo, into: "#c0")
        try world.browser.see("Фото <b>1'.png", in: "#d0")
        #expect(try !world.browser.text("#d0").contains("long.mp4"))
        #expect(try world.stored(id)["record"]["attachments"].elements.count == 1)
        try world.browser.click("#forward")
        try world.browser.see("Which of them?")
        try world.close()
    }

    @Test("what the former version of the app has stored is there in this one")
    func formerStorage() throws {
        try world.browser.see("Short one", in: "#list")
        // A page of the same hub that does not use the storage.
        try world.browser.open("http://127.0.0.1:\(world.hub.port)/_hub/status")
        let made = try world.browser.asyncScript(
            """
            const done = arguments[0], id = '11111111-1111-4111-8111-111111111111';
            const gone = indexedDB.deleteDatabase('quire');
            gone.onerror = gone.onblocked = () => done('blocked');
            gone.onsuccess = () => {
              const request = indexedDB.open('quire', 1);
              request.onupgradeneeded = () => {
                const base = request.result;
                base.createObjectStore('tests', { keyPath: 'id' });
                base.createObjectStore('pages', { keyPath: 'id' });
                base.createObjectStore('documents', { keyPath: 'digest' });
                base.createObjectStore('facts');
                request.transaction.objectStore('tests').put({ id, status: 'in-progress', record: {
                  id, questionnaire: { id: 'short', title: 'Started before', digest: 'sha256:00' },
                  dateStarted: '2026-11-22T10:00:00Z', answers: [], sequence: 1 } });
              };
              request.onsuccess = () => { request.result.close(); done('made'); };
            };
            """)
        #expect(made == .string("made"))
        try world.browser.open(world.address + "#/outbox")
        try world.browser.see("Started before", in: "#list")
        try world.close()
    }
}
