import Foundation
import Testing

/// `quire hub --certificate … --key …`: what a phone's browser wants before it keeps an app.
@Suite(
    "A hub over TLS", .serialized,
    .enabled(if: Certificates.canBeMade && Command.isInstalled("curl"), "openssl or curl is not installed"))
struct HubSecurityTests {
    private static let name = "hub.quire.test"

    @Test("devices trust its certificate, get all through it, and hand over what they finished")
    func devices() throws {
        let folder = try TemporaryFolder()
        let certificates = Certificates(folder: folder.path)
        let authority = try certificates.authority()
        let identity = try certificates.signed(Self.name)
        let host = try HostProcess(folder: folder.path)
        try host.publish(Questionnaire(id: "long", title: "Long", remark: String(repeating: "long ", count: 300_000)))
        try host.start()
        let hub = HubProcess(
            folder: folder.path, upstream: host.address,
            arguments: ["--certificate", identity.certificate, "--key", identity.key])
        try hub.start()
        func curl(_ arguments: String...) throws -> String {
            let child = try ChildProcess(
                [
                    "curl", "-sS", "--fail-with-body", "--cacert", authority, "--resolve",
                    "\(Self.name):\(hub.port):127.0.0.1",
                ] + arguments, environment: Command.environment(home: folder.path), folder: folder.path)
            return try child.end().output
        }
        let base = "https://\(Self.name):\(hub.port)"
        #expect(try curl("\(base)/_hub/app/").contains("<title>Quire</title>"))
        // More than fits any buffer on the way, on a connection that goes on afterwards.
        let url = "\(base)/v1/questionnaires/long"
        #expect(try curl(url, url).utf8.count > 3_000_000)
        let id = "11111111-2222-4333-8444-555555555555"
        let test = """
            {"id": "\(id)", "questionnaire": {"id": "long", "title": "Long", "digest": \
            "sha256:\(String(repeating: "0", count: 64))"}, "dateStarted": "2026-11-21T04:51:00.000Z", "answers": []}
            """
        let receipt = try curl(
            "-X", "PUT", "-H", "Content-Type: application/json", "--data-binary", test, "\(base)/v1/tests/\(id)")
        #expect(try JSON(parsing: receipt)["test"].text == id)
        #expect(String(decoding: try host.test(id), as: UTF8.self) == test)
        // Who speaks without TLS gets nothing.
        let plain = try RawClient(port: hub.port)
        plain.send("GET /_hub/status HTTP/1.1\r\nHost: hub\r\nConnection: close\r\n\r\n")
        #expect(!String(decoding: plain.received(), as: UTF8.self).contains("upstream"))
        let outcome = try hub.stop()
        #expect(outcome.exitCode == 0 && outcome.errors == "")
    }

    @Test("files that are missing, no PEM, or do not belong together are named in a sentence")
    func faults() throws {
        let folder = try TemporaryFolder()
        let certificates = Certificates(folder: folder.path)
        let (one, two) = (try certificates.selfSigned("one"), try certificates.selfSigned("two"))
        try Files.write("nothing", to: folder.path + "/no.pem")
        func start(_ arguments: String...) throws -> Outcome {
            let child = try ChildProcess(
                [Command.binary, "hub", "--upstream", "http://127.0.0.1:1", "--listen", "127.0.0.1:0"] + arguments,
                environment: Command.environment(home: folder.path), folder: folder.path)
            return try child.end()
        }
        for (certificate, key, named) in [
            ("missing.pem", one.key, "missing.pem"), (one.certificate, "missing.key", "missing.key"),
            (folder.path + "/no.pem", one.key, "no.pem"), (one.certificate, folder.path + "/no.pem", "no.pem"),
            (one.certificate, two.key, one.certificate),
        ] {
            let outcome = try start("--certificate", certificate, "--key", key)
            #expect(outcome.exitCode == 65 && outcome.isOneSentence && outcome.errors.contains(named), "\(outcome)")
        }
        #expect(try start("--certificate", one.certificate).exitCode == 64)
    }

    @Test(
        "a phone on the network keeps the app, opens it without the hub, and sends once when it is back",
        .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed"))
    func phone() throws {
        let folder = try TemporaryFolder()
        let certificates = Certificates(folder: folder.path)
        let identity = try certificates.selfSigned(Self.name)
        // As if the certificate's authority were among those that the phone trusts.
        let trusted = try Command.run(
            "sh", "-c",
            "openssl x509 -in '\(identity.certificate)' -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64",
            in: folder.path
        ).trimmingCharacters(in: .whitespacesAndNewlines)
        let world = try PhoneWorld(
            name: Self.name, more: ["--ignore-certificate-errors-spki-list=\(trusted)"], scheme: "https",
            hubArguments: ["--certificate", identity.certificate, "--key", identity.key])
        #expect(try world.browser.script("return isSecureContext") == .bool(true))
        let id = try world.begin()
        try world.browser.click(PhoneWorld.option(0, 0))
        try world.waitForAnswer(id, "q1", "yes")
        try world.waitForWorker()
        world.hub.kill()
        try world.restartBrowser()
        try world.browser.open(world.address + "#/t/\(id)/review")
        try world.browser.see("Review your answers")
        try world.browser.see("Offline", in: "#connection")
        try world.browser.click("#send")
        try world.browser.see("waiting to be sent")
        try world.hub.start()
        try world.browser.see("Rated", in: ".state-words")
        #expect(world.host.tests == [id])
        try world.close()
    }
}
