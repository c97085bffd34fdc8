import Foundation
import Testing

/// Every kind that is asked, from the document to the rated result.
@Suite("Kinds of questions, from the document to the result")
struct KindsTests {
    static let forms = Command.repository + "/sample-data/forms"
    private let folder: TemporaryFolder
    private let host: HostProcess

    init() throws {
        folder = try TemporaryFolder()
        let questionnaires = folder.path + "/forms"
        try FileManager.default.createDirectory(atPath: questionnaires, withIntermediateDirectories: true)
        for name in Files.names(in: Self.forms, suffix: ".json") {
            try FileManager.default.copyItem(atPath: "\(Self.forms)/\(name)", toPath: "\(questionnaires)/\(name)")
        }
        host = try HostProcess(folder: folder.path, questionnaires: questionnaires, isRestarted: true)
        try host.start()
    }

    private func answer(_ record: JSON, _ id: String) -> JSON? {
        record["answers"].elements.first { $0["questionId"].text == id }?["answer"]
    }

    @Test("answers of a file are stored in the form of their kinds, rated by the key, and finished by a person")
    func answersFromFile() throws {
        let device = try Device(folder.path, of: host)
        #expect(try device.quire("check", "\(Self.forms)/stream-survey.json").exitCode == 0)
        let given = try Files.text("\(Self.forms)/answers/stream-survey.json")
        let id = try device.take("stream-survey", answers: given)
        let record = try JSON(file: device.testPath(id, "done"))
        #expect(answer(record, "day")?.text == "2026-11-25" && answer(record, "start")?.text == "14:30")
        #expect(answer(record, "width")?.text == "1.5" && answer(record, "flow")?.text == "In circles")
        #expect(answer(record, "clear")?.whole == 4 && answer(record, "animals")?.bool == true)
        #expect(answer(record, "which")?.texts == ["Fish", "A beaver"])
        try device.done("sync")
        #expect(device.tests("checking") == [id])
        try device.done("host", "rate", "--data", host.data, id, "why", "--points", "2", "--by", "Ada")
        try device.done("sync")
        let receipt = try JSON(file: device.receiptPath(id, "rated"))
        #expect(receipt["evaluation"]["score"].number == 5 && receipt["evaluation"]["maximum"].number == 7)
        let boil = try #require(
            receipt["evaluation"]["questions"].elements.first { $0["questionId"].text == "boil" })
        #expect(boil["points"].number == 2 && boil["feedback"].text?.hasPrefix("Right") == true)
    }

    @Test("rankings, rows and gaps go from a file of answers to the host's points, question by question")
    func parts() throws {
        let device = try Device(folder.path, of: host)
        for name in ["rivers", "reki"] {
            #expect(try device.quire("check", "\(Self.forms)/\(name).json").exitCode == 0)
        }
        let id = try device.take("rivers", answers: try Files.text("\(Self.forms)/answers/rivers.json"))
        let record = try JSON(file: device.testPath(id, "done"))
        #expect(answer(record, "length")?.texts == ["Nile", "Volga", "Rhine", "Danube", "Thames"])
        #expect(answer(record, "water")?["Lake Baikal"].text == "Fresh")
        #expect(answer(record, "seasons")?["Walk"].texts == ["Spring", "Autumn"])
        #expect(answer(record, "facts")?["boils"].text == "100.0")
        try device.done("sync")
        let receipt = try JSON(file: device.receiptPath(id, "rated"))
        let rated = receipt["evaluation"]["questions"].elements
        #expect(rated.map { $0["questionId"].text } == ["length", "seas", "water", "seasons", "facts"])
        #expect(rated.map { $0["points"].number } == [3.6, 3, 2, 0, 3])
        #expect(receipt["evaluation"]["maximum"].number == 14)
    }

    @Test("an incomplete ranking and a missing row are kept in a draft, and named when it is to be finished")
    func incomplete() throws {
        let device = try Device(folder.path, of: host)
        let id = try device.take(
            "rivers", answers: #"{"length": ["Nile"], "seas": {"Volga": "Caspian Sea"}, "facts": {"start": "source"}}"#,
            isFinished: false)
        for (question, value, missing) in [
            ("length", [String](), "Danube"),
            ("length", ["Nile", "Volga", "Danube", "Rhine", "Thames"], "Danube"),
            (
                "seas",
                [
                    #"{"Danube": "Black Sea", "Nile": "Mediterranean Sea", "Rhine": "North Sea", "Volga": "Caspian Sea"}"#
                ], "freezes"
            ),
        ] {
            if !value.isEmpty { #expect(try device.quire(["answer", id, question] + value).exitCode == 0) }
            let refused = try device.quire("finish", id)
            #expect(refused.exitCode == 65 && refused.errors.contains(missing), "\(refused.errors)")
        }
        let wrong = try device.quire("answer", id, "seas", #"{"Seine": "North Sea"}"#)
        #expect(wrong.exitCode == 65 && wrong.errors.contains("has no row “Seine”"))
    }

    @Test("a hidden question is not required and leaves the finished test; a shown one is required")
    func conditions() throws {
        let device = try Device(folder.path, of: host)
        let basis = #""day": "2026-11-25", "width": "2""#
        let without = try device.quire(
            ["take", "stream-survey", "--answers", "-", "--finish"],
            input: "{\(basis), \"animals\": false, \"which\": [\"Fish\"]}")
        #expect(without.exitCode == 0)
        let id = try #require(device.tests("done").first)
        let record = try JSON(file: device.testPath(id, "done"))
        #expect(answer(record, "animals")?.bool == false && answer(record, "which") == nil)
        let missing = try device.quire(
            ["take", "stream-survey", "--answers", "-", "--finish"], input: "{\(basis), \"animals\": true}")
        #expect(missing.exitCode == 65 && missing.errors.contains("which"))
    }

    @Test("an answer against a constraint is kept in a draft, and refused at the end in the author's words")
    func constraints() throws {
        let device = try Device(folder.path, of: host)
        let answers = #"{"day": "2024-01-01", "width": "2", "animals": false}"#
        let refused = try device.quire(["take", "stream-survey", "--answers", "-", "--finish"], input: answers)
        #expect(refused.exitCode == 65 && refused.errors.contains("The survey began in 2025"))
        let draft = try device.take("stream-survey", answers: answers, isFinished: false)
        #expect(try device.quire("finish", draft).exitCode == 65)
        _ = try device.done("answer", draft, "day", "26.11.2026")
        #expect(try device.quire("finish", draft).exitCode == 0)
    }
}
