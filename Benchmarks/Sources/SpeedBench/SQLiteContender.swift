import CZlibForPeers
import Dispatch
import Foundation
import GRDB
import Quire

/// The same work through SQLite, as a Swift program would do it: GRDB, write-ahead log, prepared statements.
struct SQLiteContender {
    let corpus: URL
    let state: URL

    private var path: String { state.appending(path: "peer.sqlite").path }

    private func open(durable: Bool = false, readonly: Bool = false) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.readonly = readonly
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA synchronous = \(durable ? "FULL" : "NORMAL")")
            if !readonly { try database.execute(sql: "PRAGMA journal_mode = WAL") }
        }
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    private func makeTables(_ queue: DatabaseQueue) throws {
        try queue.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE documents (id TEXT PRIMARY KEY, title TEXT, folded TEXT, size INTEGER,
                        expires INTEGER, lastUsed INTEGER, state TEXT, digest TEXT) WITHOUT ROWID;
                    CREATE TABLE contents (digest TEXT PRIMARY KEY, content BLOB);
                    CREATE INDEX byUse ON documents (lastUsed);
                    CREATE INDEX byExpiry ON documents (expires);
                    """)
        }
    }

    /// - Parameter batch: documents in a transaction.
    func fill(batch: Int) throws {
        let documents = try Corpus(corpus).documents
        try FileManager.default.createDirectory(at: state, withIntermediateDirectories: true)
        let queue = try open()
        try makeTables(queue)
        let deflater = try PeerDeflater()
        try Meter.measure(operations: documents.count) {
            for start in stride(from: 0, to: documents.count, by: batch) {
                try queue.write { database in
                    let row = try database.cachedStatement(
                        sql: "INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, 'fresh', ?)")
                    let content = try database.cachedStatement(sql: "INSERT OR IGNORE INTO contents VALUES (?, ?)")
                    for document in documents[start..<min(start + batch, documents.count)] {
                        let digest = Digest(sha256Of: document.bytes).hex
                        try content.execute(arguments: [digest, try deflater.compress(document.bytes)])
                        try row.execute(arguments: [
                            document.id, document.title, document.folded, document.bytes.count, document.expires,
                            document.lastUsed, digest,
                        ])
                    }
                }
            }
        }
    }

    func readAll() throws {
        let documents = try Corpus(corpus).shuffled()
        let queue = try open(readonly: true)
        let inflater = try PeerInflater()
        try Meter.measure(operations: documents.count) {
            try queue.read { database in
                let statement = try database.cachedStatement(
                    sql: "SELECT digest, content FROM documents JOIN contents USING (digest) WHERE id = ?")
                for document in documents {
                    guard let row = try Row.fetchOne(statement, arguments: [document.id]) else {
                        throw BenchError("\(document.id) is not there")
                    }
                    let bytes = try row.withUnsafeData(atIndex: 1) { try inflater.decompress($0 ?? Data()) }
                    guard Digest(sha256Of: bytes).hex == row[0] as String else { throw BenchError("wrong digest") }
                }
            }
        }
    }

    func list() throws {
        var text = ""
        try open(readonly: true).read { database in
            let rows = try Row.fetchCursor(database, sql: "SELECT id, title, size, expires, state FROM documents")
            while let row = try rows.next() {
                text +=
                    "\(row[0] as String)\t\(row[1] as String)\t\(row[2] as Int)\t\(row[3] as Int)\t\(row[4] as String)\n"
            }
        }
        FileHandle.standardOutput.write(Data(text.utf8))
    }

    func get(_ id: String) throws {
        let bytes = try open(readonly: true).read { database in
            let row = try Row.fetchOne(
                database, sql: "SELECT digest, content FROM documents JOIN contents USING (digest) WHERE id = ?",
                arguments: [id])
            return try row?.withUnsafeData(atIndex: 1) { try PeerInflater().decompress($0 ?? Data()) } ?? []
        }
        FileHandle.standardOutput.write(Data(bytes))
    }

    func find(_ word: String) throws {
        let titles = try open(readonly: true).read { database in
            try String.fetchAll(
                database, sql: "SELECT title FROM documents WHERE instr(folded, ?) > 0",
                arguments: [TextFolding.fold(word)])
        }
        print(titles.joined(separator: "\n"))
    }

    /// A word in all texts, by unpacking and folding every one.
    func scan(_ word: String) throws {
        let wanted = Array(TextFolding.fold(word).utf8)
        var found = 0
        let inflater = try PeerInflater()
        try open(readonly: true).read { database in
            let rows = try Row.fetchCursor(database, sql: "SELECT content FROM contents")
            while let row = try rows.next() {
                let bytes = try row.withUnsafeData(atIndex: 0) { try inflater.decompress($0 ?? Data()) }
                let folded = TextFolding.fold(String(decoding: bytes, as: UTF8.self))
                if folded.utf8.contains(wanted) { found += 1 }
            }
        }
        print(found)
    }

    /// The same by SQLite's own index of texts.
    func makeTextIndex() throws {
        let documents = try Corpus(corpus).documents
        try Meter.measure(operations: documents.count) {
            try open().write { database in
                try database.execute(sql: "CREATE VIRTUAL TABLE texts USING fts5(folded, content='')")
                let statement = try database.cachedStatement(sql: "INSERT INTO texts (rowid, folded) VALUES (?, ?)")
                for (index, document) in documents.enumerated() {
                    let text = TextFolding.fold(String(decoding: document.bytes, as: UTF8.self))
                    try statement.execute(arguments: [index, text])
                }
            }
        }
    }

    func findText(_ word: String) throws {
        let count = try open(readonly: true).read { database in
            try Int.fetchAll(
                database, sql: "SELECT rowid FROM texts WHERE texts MATCH ?",
                arguments: ["\"" + TextFolding.fold(word) + "\"*"])
        }.count
        print(count)
    }

    func trim() throws {
        let count = try Corpus(corpus).documents.count / 2
        let queue = try open()
        try Meter.measure(operations: count) {
            try queue.write { database in
                try database.execute(
                    sql: "DELETE FROM documents WHERE id IN (SELECT id FROM documents ORDER BY lastUsed LIMIT ?)",
                    arguments: [count])
                try database.execute(
                    sql: "DELETE FROM contents WHERE digest NOT IN (SELECT digest FROM documents)")
            }
        }
    }

    func purge() throws {
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let queue = try open()
        let count = try Corpus(corpus).documents.count { $0.expires <= now }
        try Meter.measure(operations: count) {
            try queue.write { database in
                try database.execute(sql: "DELETE FROM documents WHERE expires <= ?", arguments: [now])
                try database.execute(
                    sql: "DELETE FROM contents WHERE digest NOT IN (SELECT digest FROM documents)")
            }
        }
    }

    /// - Parameter batch: tests in a transaction.
    func commit(batch: Int) throws {
        let documents = try Corpus(corpus).documents
        let queue = try durableTests()
        try Meter.measure(operations: documents.count) {
            for start in stride(from: 0, to: documents.count, by: batch) {
                try queue.write { database in
                    for document in documents[start..<min(start + batch, documents.count)] {
                        try database.cachedStatement(sql: "INSERT INTO tests VALUES (?, 'done', ?)")
                            .execute(arguments: [document.id, Data(document.bytes)])
                    }
                }
            }
        }
    }

    func move(batch: Int) throws {
        let documents = try Corpus(corpus).documents
        let queue = try durableTests()
        try queue.write { database in
            for document in documents {
                try database.cachedStatement(sql: "INSERT INTO tests VALUES (?, 'done', ?)")
                    .execute(arguments: [document.id, Data(document.bytes)])
            }
        }
        try Meter.measure(operations: 3 * documents.count) {
            for start in stride(from: 0, to: documents.count, by: batch) {
                for status in ["sending", "sent", "rated"] {
                    try queue.write { database in
                        for document in documents[start..<min(start + batch, documents.count)] {
                            try database.cachedStatement(sql: "UPDATE tests SET status = ? WHERE id = ?")
                                .execute(arguments: [status, document.id])
                        }
                    }
                }
            }
        }
    }

    private func durableTests() throws -> DatabaseQueue {
        try FileManager.default.createDirectory(at: state, withIntermediateDirectories: true)
        let queue = try open(durable: true)
        try queue.write { database in
            try database.execute(sql: "CREATE TABLE tests (id TEXT PRIMARY KEY, status TEXT, bytes BLOB)")
        }
        return queue
    }
}
