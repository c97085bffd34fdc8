import Foundation
import NIOSSL
import Testing

@testable import Hub

/// A server of `openssl s_server` that gives the files of a folder.
private final class SecureOrigin {
    let port: Int
    let certificate: String
    private let process = Process()

    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl") }

    init(folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        certificate = folder + "/certificate.pem"
        try Self.run(
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", folder + "/key.pem", "-out", certificate,
            "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost")
        try Data(String(repeating: "secure ", count: 100_000).utf8).write(to: URL(filePath: folder + "/file.txt"))
        let free = try RawOrigin { _, _ in }
        free.stop()
        port = free.port
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = [
            "s_server", "-accept", "\(port)", "-cert", certificate, "-key", folder + "/key.pem", "-WWW", "-quiet",
        ]
        process.currentDirectoryURL = URL(filePath: folder)
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        let listening = port
        try wait(for: "openssl") { (try? RawSocket(port: listening)) != nil ? true : nil }
    }

    deinit { process.terminate() }

    private static func run(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Unexpected("openssl cannot make a certificate") }
    }
}

@Suite("An upstream over TLS", .enabled(if: SecureOrigin.isInstalled))
struct SecureTests {
    @Test("it is spoken to when its certificate is from an authority that is trusted, and for its name")
    func trusted() async throws {
        let folder = "/tmp/quire-hub-tls-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let origin = try await onThread { UncheckedBox(try SecureOrigin(folder: folder)) }.value
        let url = "https://localhost:\(origin.port)"
        try await HubFixture.run(url, trustRoots: .file(origin.certificate)) { hub in
            let whole = try hub.get("/file.txt")
            #expect(whole.status == 200 && whole.body.count == 700_000)
        }
        // No authority signed it.
        try await HubFixture.run(url) { hub in
            let refused = try hub.get("/file.txt")
            #expect(refused.status == 504 && refused.text.contains("could not prove who it is"))
        }
        // The name is another one's.
        try await HubFixture.run("https://127.0.0.1:\(origin.port)", trustRoots: .file(origin.certificate)) { hub in
            let refused = try hub.get("/file.txt")
            #expect(refused.status == 504)
        }
    }
}

/// Hands a value over from the thread that made it.
// Proof: the thread that made it does not touch it any more.
private struct UncheckedBox<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
