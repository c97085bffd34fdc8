import Foundation
import Testing

/// The sample with a passage and a pool, from the document to the rated result and to paper.
@Suite("Sections, pools, order and results, from the document to the result")
struct SectionsTests {
    private let folder: TemporaryFolder
    private let host: HostProcess
    private static let sample = "the-ice-road"

    init() throws {
        folder = try TemporaryFolder()
        let questionnaires = folder.path + "/forms"
        try FileManager.default.createDirectory(atPath: questionnaires, withIntermediateDirectories: true)
        for name in [Self.sample, "ledovaya-pereprava"] {
            try FileManager.default.copyItem(
                atPath: "\(KindsTests.forms)/\(name).json", toPath: "\(questionnaires)/\(name).json")
        }
        host = try HostProcess(folder: folder.path, questionnaires: questionnaires, isRestarted: true)
        try host.start()
    }

    private func print(_ device: Device, _ arguments: String...) throws -> String {
        let outcome = try device.quire(arguments)
        guard outcome.exitCode == 0 else { throw Unexpected(outcome.description) }
        return outcome.output
    }

    private static let all = """
        {"waits": "The ferry has stopped, and the ice is still too thin", "weeks": 3, "white": "It has air in it", "car": 10,
         "trees": ["They show the way in a snowdrift", "They show how far it still is"], "length": 8, "belt": "to get out quickly"}
        """

    @Test(
        "each test has its own four questions; the answers to the others stay behind, and the host rates the four alone"
    )
    func pool() throws {
        let device = try Device(folder.path, of: host)
        for name in [Self.sample, "ledovaya-pereprava"] {
            #expect(try device.quire("check", "\(KindsTests.forms)/\(name).json").exitCode == 0)
        }
        #expect(try print(device, "show", Self.sample).contains("Each test has 4 of these 7 questions."))
        #expect(try print(device, "search", "Marta Lind", "--json").contains(Self.sample))
        var drawn: Set<[String]> = []
        for _ in 0..<4 {
            let id = try device.take(Self.sample, answers: Self.all)
            let record = try JSON(file: device.testPath(id, "done"))
            #expect(record["shown"].texts.count == 4)
            #expect(record["answers"].elements.compactMap { $0["questionId"].text } == record["shown"].texts)
            drawn.insert(record["shown"].texts.sorted())
            try device.done("sync")
            let receipt = try JSON(file: device.receiptPath(id, "rated"))["evaluation"]
            #expect(receipt["questions"].elements.compactMap { $0["questionId"].text } == record["shown"].texts)
            let worth = record["shown"].texts.contains("length") ? 5.0 : 4
            #expect(receipt["maximum"].number == worth)
            #expect(receipt["score"].number == (record["shown"].texts.contains("car") ? worth - 1 : worth))
            let why = try print(device, "why", id)
            #expect(why.contains("Passed"))
            if record["shown"].texts.contains("car") {
                #expect(why.contains("Right answer: 30") && why.contains("Ten centimetres carry a person."))
            }
            let page = try print(device, "export", "--test", id)
            #expect(page.hasPrefix("<!doctype html>") && page.contains("The ice road") && page.contains("Passed"))
        }
        #expect(drawn.count > 1)
    }

    @Test("a draft that another machine continues has the same questions")
    func elsewhere() throws {
        let device = try Device(folder.path, of: host)
        let id = try device.take(Self.sample, answers: "{}", isFinished: false)
        let former = try JSON(file: device.testPath(id, "empty"))["shown"].texts
        #expect(former.count == 4)
        let blank = try print(device, "export", "--test", id, "--blank")
        let there = try Device(folder.path, name: "there", of: host)
        try device.done("outbox", "export", folder.path + "/all.tar")
        try there.done("outbox", "import", folder.path + "/all.tar")
        #expect(try print(there, "export", "--test", id, "--blank") == blank)
    }

    @Test("a page for paper goes into a file, and what cannot be printed is said in one sentence")
    func paper() throws {
        let device = try Device(folder.path, of: host)
        try device.done("export", "ledovaya-pereprava", "--answer-sheet", "-o", folder.path + "/sheet.html")
        let sheet = try Files.text(folder.path + "/sheet.html")
        #expect(sheet.contains("<html lang=\"ru\">") && sheet.contains("Имя: ") && !sheet.contains("Марфа"))
        #expect(try device.quire("export", Self.sample, "--format", "pdf").exitCode == 64)
        #expect(try device.quire("export").exitCode == 64)
        #expect(try device.quire("export", Self.sample, "-o", folder.path).exitCode == 64)
    }
}
