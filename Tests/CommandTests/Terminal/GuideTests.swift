import Foundation
import Testing

/// The lab report that the guide for authors writes from nothing.
@Suite("The guide's lab report")
struct GuideTests {
    private static func report() throws -> String {
        let guide = try Files.text(Command.repository + "/docs/questionnaires.md")
        let section = try #require(guide.components(separatedBy: "## A lab report\n").last)
        let rest = try #require(section.components(separatedBy: "```json\n").dropFirst().first)
        return try #require(rest.components(separatedBy: "\n```").first)
    }

    @Test("is checked without a finding, is taken, and rated as the guide says")
    func taken() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        // The guide's day is past one day.
        let text = try Self.report().replacingOccurrences(of: "2026-12-24", with: "2099-12-24")
        try Files.write(text, to: "\(host.questionnaires)/pendulum.json")
        try host.start()
        let device = try Device(folder.path, of: host)
        let checked = try device.done("check", "\(host.questionnaires)/pendulum.json")
        #expect(checked.errors.isEmpty, "\(checked)")
        #expect(try device.done("show", "pendulum").output.contains("ten swings"))
        // Outside of the author's limits: it stays a draft, in the author's words.
        let answers = #"{"data": {"a": 10.2, "b": 14, "c": 25}, "g": GRAVITY, "why": "It cancels out."}"#
        let wrong = try device.quire(
            ["take", "pendulum", "--answers", "-", "--finish"],
            input: answers.replacingOccurrences(of: "GRAVITY", with: "98"))
        #expect(wrong.exitCode != 0 && wrong.errors.contains("Did you divide by ten?"), "\(wrong)")
        let id = try device.take("pendulum", answers: answers.replacingOccurrences(of: "GRAVITY", with: "9.7"))
        try device.done("sync")
        // A person reads why, as the guide says: until then it is not rated.
        #expect(Files.exists(device.receiptPath(id, "checking")))
        try device.done("host", "rate", "--data", host.data, id, "why", "--points", "1")
        try device.done("sync")
        let rating = try JSON(file: device.receiptPath(id, "rated"))["evaluation"]
        let points = Dictionary(
            uniqueKeysWithValues: rating["questions"].elements.map { ($0["questionId"].text ?? "", $0) })
        // Two of three gaps within half a second; g within 0.3.
        #expect(points["data"]?["points"].number == 2 && points["data"]?["maximum"].number == 3, "\(rating)")
        #expect(points["g"]?["points"].number == 1 && points["g"]?["feedback"].text == "Well measured.")
        #expect(points["why"]?["points"].number == 1 && points["why"]?["maximum"].number == 2)
        #expect(rating["score"].number == 4 && rating["maximum"].number == 6)
        try host.stop()
    }
}
