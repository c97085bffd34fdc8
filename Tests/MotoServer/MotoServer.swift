import Foundation

/// moto, a server of S3 on this machine: it honours create-only writes and checks no signatures.
///
/// It is the program of `$QUIRE_MOTO`, or the one that `.ci/deps tests` installed; without one, tests that need it are skipped.
/// It ends with this process, however that ends.
package final class MotoServer: Sendable {
    package let port: Int

    package var endpoint: String { "http://127.0.0.1:\(port)" }

    package static let program: String? = {
        let environment = ProcessInfo.processInfo.environment
        let caches = environment["XDG_CACHE_HOME"] ?? (environment["HOME"] ?? "/root") + "/.cache"
        let places = [environment["QUIRE_MOTO"], caches + "/quire/moto/bin/moto_server"]
        return places.compactMap(\.self).first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    package static var isInstalled: Bool { program != nil }

    /// The one of this process, started with its first use.
    package static let shared = Result { try MotoServer() }

    private struct NotStarted: Error, CustomStringConvertible {
        var description: String
    }

    /// One that does as some stores do: it knows nothing of `If-None-Match`, and the last writer of an object wins.
    package static let ignoringConditions = Result { try MotoServer(ignoresConditions: true) }

    /// moto looks whether an object is there and writes it in two steps: with several threads, two of eight writers of a new
    /// object have won. So it has one.
    private static func start(_ ignoresConditions: Bool) -> String {
        """
        import werkzeug.serving as serving
        run = serving.run_simple
        def without(app):
            def answer(request, *more):
                request.pop("HTTP_IF_NONE_MATCH", None)
                return app(request, *more)
            return answer
        def serve(host, port, app, **named):
            app = without(app) if \(ignoresConditions ? "True" : "False") else app
            run(host, port, app, **{**named, "threaded": False})
        serving.run_simple = serve
        from moto.server import main
        main()
        """
    }

    private init(ignoresConditions: Bool = false) throws {
        guard let program = Self.program else { throw NotStarted(description: "moto is not installed") }
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        // It looks whether this process is still there: a pipe's end may be inherited by other children.
        process.arguments = [
            "-c",
            #""$0" -c "$2" -H 127.0.0.1 -p 0 & while kill -0 "$1" 2>/dev/null; do sleep 1; done; kill -9 $!"#,
            URL(filePath: program).resolvingSymlinksInPath().deletingLastPathComponent().path + "/python",
            String(ProcessInfo.processInfo.processIdentifier), Self.start(ignoresConditions),
        ]
        let output = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
        var text = ""
        while !text.contains("Press CTRL") {
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw NotStarted(description: "moto did not start: \(text)") }
            text += String(decoding: more, as: UTF8.self)
        }
        guard let start = text.firstRange(of: "http://127.0.0.1:")?.upperBound,
            let port = Int(text[start...].prefix { $0.isNumber })
        else { throw NotStarted(description: "moto names no port: \(text)") }
        self.port = port
        // Its log is read away, or it would stop at a full pipe.
        output.fileHandleForReading.readabilityHandler = { if $0.availableData.isEmpty { $0.readabilityHandler = nil } }
    }

    /// Makes a bucket of a new name.
    package func makeBucket() throws -> String {
        let name = "quire-" + UUID().uuidString.lowercased()
        let curl = Process()
        curl.executableURL = URL(filePath: "/usr/bin/env")
        curl.arguments = [
            "curl", "--silent", "--fail", "--request", "PUT", "\(endpoint)/\(name)", "--output", "/dev/null",
        ]
        try curl.run()
        curl.waitUntilExit()
        guard curl.terminationStatus == 0 else { throw NotStarted(description: "moto made no bucket") }
        return name
    }

    /// The reply to the request for a bucket's list of objects.
    package func list(of bucket: String) throws -> String {
        let curl = Process()
        curl.executableURL = URL(filePath: "/usr/bin/env")
        curl.arguments = ["curl", "--silent", "--fail", "\(endpoint)/\(bucket)?list-type=2"]
        let output = Pipe()
        curl.standardOutput = output
        try curl.run()
        let reply = output.fileHandleForReading.readDataToEndOfFile()
        curl.waitUntilExit()
        guard curl.terminationStatus == 0 else { throw NotStarted(description: "moto lists no bucket") }
        return String(decoding: reply, as: UTF8.self)
    }

    /// What names it to programs, with credentials of no worth.
    package var environment: [String: String] {
        [
            "AWS_ENDPOINT_URL": endpoint, "AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "testing",
            "AWS_SECRET_ACCESS_KEY": "testing",
        ]
    }
}
