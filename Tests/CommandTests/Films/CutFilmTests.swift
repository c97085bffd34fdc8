import Foundation
import Testing

@Suite("A film whose connection breaks while it is pulled")
struct CutFilmTests {
    private let folder: TemporaryFolder
    private let film: [UInt8]
    private let sum: String

    init() throws {
        folder = try TemporaryFolder()
        (film, sum) = try Files.filmBytes(3_000_000, in: folder)
    }

    /// A server that ends each connection after 700 000 bytes of the film.
    ///
    /// - Parameter tag: the film's version, by the number of the request for it.
    private func server(_ tag: @escaping @Sendable (Int) -> String) throws -> FilmServer {
        let film = film
        return try FilmServer { _ in
            .cut(after: 700_000)
        } version: {
            .init(bytes: film, fields: ["ETag: \(tag($0))"])
        }
    }

    @Test("resumes where it broke: only the rest is asked for, and it is whole")
    func resumed() throws {
        let server = try server { _ in "\"v1\"" }
        let device = Device(folder.path)
        try device.done("init", "--remote", server.address)
        let pull = try device.quire("pull", "--json")
        #expect(pull.exitCode == 0, "\(pull)")
        #expect(device.hasBlob(sum))
        let starts = server.starts
        #expect(starts.count >= 5 && starts[0] == 0)
        // Bytes in flight may be lost with a break, and no more: each attempt gets further than the one before.
        for (last, next) in zip(starts, starts.dropFirst()) { #expect(next > last && next <= last + 700_000) }
        #expect(try device.done("cache", "verify").exitCode == 0)
        #expect(Files.names(in: device.store + "/cache/tmp", suffix: "").isEmpty)
    }

    @Test("and that is another one by then is not joined to what came, and nothing of it is kept")
    func changed() throws {
        let server = try server { "\"v\($0)\"" }
        let device = Device(folder.path)
        try device.done("init", "--remote", server.address)
        let pull = try device.quire("pull")
        #expect(pull.exitCode != 0 && pull.errors.contains("broke"), "\(pull)")
        #expect(Files.regularFiles(below: device.store + "/cache/blobs").allSatisfy { $0.hasSuffix(".json.gz") })
        #expect(server.starts.count == 2)
        #expect(Files.names(in: device.store + "/cache/tmp", suffix: "").isEmpty)
    }
}
