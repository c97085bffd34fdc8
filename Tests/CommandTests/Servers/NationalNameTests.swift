import Foundation
import Testing

@Suite("A server with a national domain name")
struct NationalNameTests {
    @Test(
        "is asked over a real socket under its ASCII name: init, pull with pictures, take, sync, and the hub before it")
    func wholeWay() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        try Files.makeFolder(host.questionnaires + "/media")
        try Files.write("GIF89a", to: host.questionnaires + "/media/схема (1).gif")
        try Files.write(
            """
            {"id": "тест", "title": "Тест", "questions": [{"id": "q1", "text": "Да?", "options": ["да", "нет"],
             "media": [{"path": "media/схема (1).gif", "type": "image/gif"}]}]}
            """, to: host.questionnaires + "/тест.json")
        try host.start("--name", "Школа.localhost")
        let remote = "http://Школа.localhost:\(host.listeningPort)/"
        let device = Device(folder.path)
        try device.done("init", "--remote", remote)
        #expect(try device.json("pull")["new"].texts == ["тест"])
        #expect(try device.done("list").output.contains("Тест"))
        #expect(try device.json("status")["remote"].text == remote)
        let urls = try device.json("cache", "ls").elements.map { $0["url"].text ?? "" }
        #expect(urls.contains { $0.hasSuffix("/media/%D1%81%D1%85%D0%B5%D0%BC%D0%B0%20%281%29.gif") })
        #expect(urls.allSatisfy { $0.hasPrefix("http://xn--80atdl2c.localhost:\(host.listeningPort)/v1/") })
        let test = try device.take("тест", answers: #"{"q1": "да"}"#)
        try device.done("sync")
        #expect(host.tests == [test])

        let hub = HubProcess(
            folder: folder.path, upstream: remote, port: try SteadyPort.next(), arguments: ["--keep-all"])
        try hub.start()
        let other = Device(folder.path, name: "other")
        try other.done("init", "--remote", "http://127.0.0.1:\(hub.port)")
        #expect(try other.json("pull")["new"].texts == ["тест"])
        try hub.stop()
    }
}
