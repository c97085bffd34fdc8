import Foundation
import Testing

/// The sample with repeated sections, from a file of answers to the table of results and to paper.
@Suite("Repeated sections, from the document to the result")
struct InstancesTests {
    private static let sample = "household-trips"
    private static let answers = """
        {"street": "Harbour Road", "left-home": true,
         "people": [{"name": "Anna", "age": 34, "licence": true}, {"name": "Ben", "age": 9, "school": "Mill School"}],
         "trips": [{"from": "home", "to": "school", "minutes": 12, "by": "By car", "why": "There is none"}]}
        """

    @Test("the samples are right, instances arrive with their numbers, and CSV, result and paper have their labels")
    func path() throws {
        let folder = try TemporaryFolder()
        let questionnaires = folder.path + "/forms"
        try FileManager.default.createDirectory(atPath: questionnaires, withIntermediateDirectories: true)
        for name in [Self.sample, "poezdki-semyi"] {
            try FileManager.default.copyItem(
                atPath: "\(KindsTests.forms)/\(name).json", toPath: "\(questionnaires)/\(name).json")
        }
        let host = try HostProcess(folder: folder.path, questionnaires: questionnaires, isRestarted: true)
        try host.start()
        let device = try Device(folder.path, of: host)
        for name in [Self.sample, "poezdki-semyi"] {
            #expect(try device.quire("check", "\(KindsTests.forms)/\(name).json").exitCode == 0)
        }
        #expect(try device.quire("show", Self.sample).output.contains("Repeated: Person, from 1 to 12 times."))
        let id = try device.take(Self.sample, answers: Self.answers)
        let record = try JSON(file: device.testPath(id, "done"))
        #expect(record["instances"]["people"].elements.compactMap(\.whole) == [1, 2])
        let ben = record["answers"].elements.filter { $0["instance"].whole == 2 }
        #expect(ben.compactMap { $0["questionId"].text } == ["name", "age", "school"])
        #expect(!(try Files.text(device.testPath(id, "done"))).contains("\u{2060}"))
        try device.done("sync")
        let csv = try device.quire(
            "host", "results", Self.sample, "--csv", "--data", host.data, "--questionnaires", host.questionnaires
        ).output
        #expect(csv.contains("name[1]") && csv.contains("school[2]") && csv.contains("Mill School"))
        let page = try device.quire("export", "--test", id).output
        #expect(page.contains("Household · Person 2") && page.contains("Trip 1") && page.contains("Mill School"))
        #expect(try device.quire("export", "poezdki-semyi").output.contains("Семья · Человек 1"))
    }

    @Test("too many instances, an unknown section and a missing answer are one sentence that names them")
    func faults() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path, questionnaires: KindsTests.forms, isRestarted: true)
        try host.start()
        let device = try Device(folder.path, of: host)
        func fault(_ answers: String) throws -> Outcome {
            try device.quire(["take", Self.sample, "--answers", "-", "--finish"], input: answers)
        }
        let missing = try fault(#"{"left-home": false, "people": [{"name": "Anna", "age": 34}, {"name": "Ben"}]}"#)
        #expect(missing.exitCode != 0 && missing.errors.contains("age[2]"))
        let many = try fault(
            "{\"people\": [\(Array(repeating: #"{"name": "x"}"#, count: 13).joined(separator: ", "))]}")
        #expect(many.exitCode == 65 && many.errors.contains("at most 12 times"))
        let unknown = try fault(#"{"persons": [{"name": "x"}]}"#)
        #expect(unknown.exitCode == 65 && unknown.errors.contains("persons"))
        let draft = try device.take(Self.sample, answers: "{}", isFinished: false)
        try device.done("answer", draft, "name[1]", "Anna")
        #expect(try JSON(file: device.testPath(draft, "in-progress"))["answers"].elements[0]["instance"].whole == 1)
        #expect(try device.quire("answer", draft, "name[2]", "Ben").exitCode == 65)
    }
}
