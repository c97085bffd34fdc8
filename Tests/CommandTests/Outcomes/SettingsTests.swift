import Foundation
import Testing

@Suite("The settings of a store")
struct SettingsTests {
    @Test("the proxy that `remote set` writes is a setting that doctor knows, and of this machine alone")
    func proxy() throws {
        let folder = try TemporaryFolder()
        let device = Device(folder.path)
        try device.done("init")
        let remote = "http://127.0.0.1:9"
        try device.done("remote", "set", remote, "--proxy", "http://ada:l0velace@127.0.0.1:3128")
        #expect(try device.json("doctor") == .array([]))
        let settings = device.store + "/store.json"
        #expect(try JSON(file: settings)["proxy"].text == "http://ada:l0velace@127.0.0.1:3128")
        // Another remote alone does not change it.
        try device.done("remote", "set", remote)
        #expect(try JSON(file: settings)["proxy"].text == "http://ada:l0velace@127.0.0.1:3128")
        let other = Device(folder.path, name: "other")
        try device.done("snapshot", "save", folder.path + "/s.quire")
        try other.done("snapshot", "restore", folder.path + "/s.quire")
        #expect(try JSON(file: other.store + "/store.json")["proxy"] == .null)
        #expect(try JSON(file: other.store + "/store.json")["remote"].text == remote)
        try device.done("remote", "set", remote, "--proxy", "")
        #expect(try JSON(file: settings)["proxy"] == .null)
    }

    @Test("a word that is not one of a setting's values is named, and no type of the program")
    func wrongWord() throws {
        let folder = try TemporaryFolder()
        let device = Device(folder.path)
        try device.done("init")
        let settings = device.store + "/store.json"
        let text = try Files.text(settings)
        try Files.write(
            text.replacing("\"cacheControl\"", with: "\"conflicts\": \"foo\",\n  \"cacheControl\""), to: settings)
        let refused = try device.quire("status")
        #expect(refused.exitCode == 65 && refused.isOneSentence, "\(refused)")
        #expect(refused.errors.contains("conflicts: is “foo”, which is not one of its values"), "\(refused)")
    }

    @Test(
        "a folder or pipe in place of store.json is named as what it is",
        arguments: [("mkdir", "a folder"), ("mkfifo", "a pipe")])
    func notAFile(_ program: String, _ words: String) throws {
        let folder = try TemporaryFolder()
        let device = Device(folder.path)
        try device.done("init")
        try Files.remove(device.store + "/store.json")
        try Command.run(program, device.store + "/store.json", in: folder.path)
        let refused = try device.quire("status")
        #expect(refused.exitCode == 74 && refused.isOneSentence, "\(refused)")
        #expect(refused.errors.contains("store.json: it is \(words)"), "\(refused)")
    }
}
