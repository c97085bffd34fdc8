import Foundation
import Testing

@Suite(
    "A remote over https", .enabled(if: Certificates.canBeMade, "certificates are made by openssl, which is not here"))
struct CertificateTests {
    private let folder: TemporaryFolder
    private let host: HostProcess
    private let certificates: Certificates

    init() throws {
        folder = try TemporaryFolder()
        host = try HostProcess(folder: folder.path)
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        try host.start()
        certificates = Certificates(folder: folder.path)
    }

    /// The host behind TLS.
    private func front(_ identity: Certificates.Identity) throws -> ScriptedServer {
        let port = host.port
        return try ScriptedServer(certificate: identity) { _ in .handOn(port: port) }
    }

    /// A device with a finished test, whose remote is the server's.
    private func device(of server: ScriptedServer) throws -> (Device, test: String) {
        let device = try Device(folder.path, of: host)
        let id = try device.take("keyed", answers: Questionnaire.rightAnswers)
        try device.done("remote", "set", "https://localhost:\(server.port)")
        return (device, id)
    }

    @Test(
        "with an untrusted certificate is refused before anything is sent, in a sentence that says what to do")
    func selfSigned() throws {
        let server = try front(try certificates.selfSigned("localhost"))
        let (device, id) = try device(of: server)
        for arguments in [["pull"], ["sync"]] {
            let outcome = try device.quire(arguments, environment: ["QUIRE_TOKEN": "s3cret-token-value"])
            #expect(outcome.exitCode == 69 && outcome.isOneSentence, "\(outcome)")
            #expect(outcome.errors.contains("certificate") && outcome.errors.contains("caFile"), "\(outcome)")
        }
        #expect(server.received.isEmpty)
        #expect(device.tests("done") == [id] && host.tests.isEmpty)
    }

    @Test("of one's own authority is trusted when $SSL_CERT_FILE or “caFile” names it")
    func authority() throws {
        let authority = try certificates.authority()
        let server = try front(try certificates.signed("localhost"))
        let (device, id) = try device(of: server)
        #expect(try device.quire("pull").exitCode == 69)
        let pulled = try device.quire(["pull"], environment: ["SSL_CERT_FILE": authority])
        #expect(pulled.exitCode == 0, "\(pulled)")
        let settings = device.store + "/store.json"
        try Files.write(
            try Files.text(settings).replacing(
                "\"cacheControl\"", with: "\"caFile\" : \"\(authority)\",\n  \"cacheControl\""),
            to: settings)
        let synced = try device.quire(["sync"], environment: ["QUIRE_TOKEN": "s3cret-token-value"])
        #expect(synced.exitCode == 0 && host.tests == [id], "\(synced)")
        #expect(server.received.contains { $0.field("Authorization") == "Bearer s3cret-token-value" })
        #expect(try device.json("doctor") == .array([]))
    }

    @Test("with a certificate for another name is refused")
    func wrongName() throws {
        let authority = try certificates.authority()
        let server = try front(try certificates.signed("other.example"))
        let (device, id) = try device(of: server)
        let outcome = try device.quire(["sync"], environment: ["SSL_CERT_FILE": authority])
        #expect(
            outcome.exitCode == 69 && outcome.isOneSentence && outcome.errors.contains("another name"), "\(outcome)")
        #expect(server.received.isEmpty && device.tests("done") == [id])
    }

    @Test("that does not speak TLS, or whose file of authorities is none, is named")
    func noTLS() throws {
        let server = try ScriptedServer { _ in .silence }
        let device = Device(folder.path, name: "plain")
        try device.done("init", "--remote", "https://localhost:\(server.port)")
        let plain = try device.quire("pull")
        #expect(plain.exitCode == 69 && plain.isOneSentence && plain.errors.contains("TLS"), "\(plain)")
        let wrong = try device.quire(["pull"], environment: ["SSL_CERT_FILE": folder.path + "/none.pem"])
        #expect(wrong.exitCode == 65 && wrong.isOneSentence && wrong.errors.contains("none.pem"), "\(wrong)")
        #expect(server.received.isEmpty)
    }
}
