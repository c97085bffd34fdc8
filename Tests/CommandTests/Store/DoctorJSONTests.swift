import Testing

/// Scripts read what `quire doctor --json` prints, and people the reasons in quarantine: both are pinned byte for byte.
@Suite("quire doctor --json")
struct DoctorJSONTests {
    private static let id = "11111111-1111-4111-8111-111111111111"
    private static let noJSON = "it is not JSON: a name in quotes was expected (line 2, column 1)"

    /// A store with a stranger, a link, a test and a mark that are none, and an open file.
    private func damagedStore(_ folder: TemporaryFolder) throws -> Device {
        let device = Device(folder.path, name: "store")
        try device.done("init")
        try Command.run(
            "sh", "-ec",
            """
            umask 077
            ln -s /etc "$0/outbox/done/x"
            echo > "$0/notes"
            mkdir "$0/marks"
            echo '{' > "$0/marks/x.pin.json"
            echo '{' > "$0/outbox/done/\(Self.id).test.json"
            chmod 644 "$0/cache/CACHEDIR.TAG"
            """, device.store, in: folder.path)
        return device
    }

    private static func line(
        _ kind: String, _ path: String, _ what: String, _ advice: String, isRepaired: Bool
    ) -> String {
        """
          {
            "advice" : "\(advice)",
            "isRepaired" : \(isRepaired),
            "kind" : "\(kind)",
            "path" : "\(path)",
            "what" : "\(what)"
          }
        """
    }

    private static func english(isRepaired: Bool) -> String {
        let quarantine = "run “quire doctor --repair” to move it to quarantine"
        let lines = [
            line("stranger", "notes", "it does not belong in the store", "move it elsewhere", isRepaired: false),
            line(
                "not-a-file", "outbox/done/x", "it is a symbolic link, not a file", quarantine, isRepaired: isRepaired),
            line(
                "unreadable", "outbox/done/\(id).test.json", "it is not a test: \(noJSON)",
                "repair it with an editor, or \(quarantine)", isRepaired: isRepaired),
            line("unreadable", "marks/x.pin.json", "it is not a mark: \(noJSON)", quarantine, isRepaired: isRepaired),
            line(
                "permissions", "cache/CACHEDIR.TAG", "its mode is 0644 instead of 0600",
                "run “quire doctor --repair” to give files the mode 0600 and folders 0700", isRepaired: isRepaired),
        ]
        return "[\n\(lines.joined(separator: ",\n"))\n]\n"
    }

    private static var russian: String {
        let quarantine = "«quire doctor --repair» перенесёт в карантин"
        let lines = [
            line(
                "stranger", "notes", "этого не должно быть в хранилище", "перенесите в другое место", isRepaired: false),
            line("not-a-file", "outbox/done/x", "это символическая ссылка, а не файл", quarantine, isRepaired: false),
            line(
                "unreadable", "outbox/done/\(id).test.json", "это не тест: \(noJSON)",
                "исправьте в редакторе, или \(quarantine)", isRepaired: false),
            line("unreadable", "marks/x.pin.json", "это не отметка: \(noJSON)", quarantine, isRepaired: false),
            line(
                "permissions", "cache/CACHEDIR.TAG", "права 0644 вместо 0600",
                "«quire doctor --repair» вернёт файлам права 0600, папкам 0700", isRepaired: false),
        ]
        return "[\n\(lines.joined(separator: ",\n"))\n]\n"
    }

    @Test("findings have these members in this order, in the language of the interface")
    func findings() throws {
        let folder = try TemporaryFolder()
        let device = try damagedStore(folder)
        #expect(try device.quire("doctor", "--json").output == Self.english(isRepaired: false))
        let russian = try device.quire(["doctor", "--json"], environment: ["LC_ALL": "ru_RU.UTF-8"])
        #expect(russian.output == Self.russian)
        #expect(try device.quire("doctor", "--repair", "--json").output == Self.english(isRepaired: true))
    }

    @Test("the reasons in quarantine are the words of the findings")
    func reasons() throws {
        let folder = try TemporaryFolder()
        let device = try damagedStore(folder)
        _ = try device.quire("doctor", "--repair")
        let quarantine = device.store + "/quarantine"
        let reasons = try Files.names(in: quarantine, suffix: ".reason.txt").map {
            try Files.text("\(quarantine)/\($0)")
        }
        #expect(
            Set(reasons) == [
                "outbox/done/x: it is a symbolic link, not a file\n",
                "outbox/done/\(Self.id).test.json: \(Self.noJSON)\n",
                "marks/x.pin.json: it is not a mark: \(Self.noJSON)\n",
            ])
    }
}
