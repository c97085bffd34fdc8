import Foundation

/// `SpeedBench corpus KIND COUNT FOLDER`, or `SpeedBench CONTENDER WORKLOAD CORPUS STATE [MORE]`.
@main
struct Main {
    static func main() async {
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("SpeedBench: \(error)\n".utf8))
            exit(74)
        }
    }

    private static func run(_ words: [String]) throws {
        guard words.count >= 4 else { throw BenchError("corpus KIND COUNT FOLDER, or CONTENDER WORKLOAD CORPUS STATE") }
        if words[0] == "corpus" {
            guard let kind = CorpusMaker.Kind(rawValue: words[1]), let count = Int(words[2]) else {
                throw BenchError("corpus questionnaires|small|tests COUNT FOLDER")
            }
            var maker = CorpusMaker(seed: 20_261_122)
            return try maker.make(kind, count: count, in: URL(filePath: words[3]))
        }
        let (corpus, state) = (URL(filePath: words[2]), URL(filePath: words[3]))
        let more = words.count > 4 ? words[4] : ""
        switch words[0] {
        case "quire": try quire(words[1], QuireContender(corpus: corpus, state: state), more)
        case "grdb": try sqlite(words[1], SQLiteContender(corpus: corpus, state: state), more)
        default: throw BenchError("no contender \(words[0])")
        }
    }

    private static func quire(_ workload: String, _ quire: QuireContender, _ more: String) throws {
        switch workload {
        case "fill": try quire.fill(threads: Int(more) ?? 1)
        case "read": try quire.readAll()
        case "trim": try quire.trim()
        case "purge": try quire.purge()
        case "commit": try quire.commit(group: Int(more) ?? 1)
        case "move": try quire.move(group: Int(more) ?? 1)
        default: throw BenchError("no workload \(workload)")
        }
    }

    private static func sqlite(_ workload: String, _ sqlite: SQLiteContender, _ more: String) throws {
        switch workload {
        case "fill": try sqlite.fill(batch: Int(more) ?? 100)
        case "read": try sqlite.readAll()
        case "list": try sqlite.list()
        case "get": try sqlite.get(more)
        case "find": try sqlite.find(more)
        case "scan": try sqlite.scan(more)
        case "index": try sqlite.makeTextIndex()
        case "findtext": try sqlite.findText(more)
        case "trim": try sqlite.trim()
        case "purge": try sqlite.purge()
        case "commit": try sqlite.commit(batch: Int(more) ?? 1)
        case "move": try sqlite.move(batch: Int(more) ?? 1)
        default: throw BenchError("no workload \(workload)")
        }
    }
}
