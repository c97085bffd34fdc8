import Foundation
import Testing

@Suite("A picture replaced under its name")
struct ReplacedPictureTests {
    @Test("reaches devices with the next pull, though its questionnaire is unchanged; from a folder, too")
    func replaced() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        try Files.makeFolder(host.questionnaires + "/media")
        let picture = host.questionnaires + "/media/map (1).gif"
        try Files.write("GIF89a one", to: picture)
        try Files.write(
            """
            {"id": "a", "title": "A", "questions": [{"id": "q1", "text": "?", "media": [{"path": "media/map (1).gif"}]}]}
            """, to: host.questionnaires + "/a.json")
        try host.start()
        let device = try Device(folder.path, of: host)
        let stick = folder.path + "/stick (1)"
        try Files.makeFolder(stick)
        func collect() throws {
            let arguments = ["host", "--data", host.data, "--questionnaires", host.questionnaires, "--collect", stick]
            #expect(try device.quire(arguments).exitCode == 0)
        }
        try collect()
        let carried = Device(folder.path, name: "carried")
        try carried.done("init", "--remote", "file://" + stick.replacing(" ", with: "%20"))
        try carried.done("pull")
        func content(_ device: Device) throws -> String {
            let entries = try device.json("cache", "ls").elements
            let blob = entries.first { $0["url"].text?.contains("/media/") == true }?["blob"].text
            return try Files.text(device.store + "/" + #require(blob))
        }
        for device in [device, carried] { #expect(try content(device) == "GIF89a one") }

        try Files.write("GIF89a two", to: picture)
        try collect()
        for device in [device, carried] {
            #expect(try device.json("pull")["unchanged"].whole == 1)
            #expect(try content(device) == "GIF89a two")
        }
    }
}
