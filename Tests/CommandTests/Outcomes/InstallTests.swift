import Foundation
import Testing

/// What `make install` puts beside the program, made from the program that is tested.
@Suite("Installing", .enabled(if: Command.isInstalled("python3")), .serialized)
struct InstallTests {
    /// Installs below a folder, as for a package.
    private static func install(_ prefix: String, below folder: String) throws -> String {
        let root = folder + "/root"
        try Command.run(Command.repository + "/contrib/install", Command.binary, prefix, root, in: folder)
        return root
    }

    private static func page(_ name: String, in root: String, _ folder: String) throws -> String {
        try Command.run("zcat", "\(root)/usr/share/man/man1/\(name).1.gz", in: folder)
    }

    @Test(
        "manual pages with all commands and options, confined services, and the licence of everything that is linked in"
    )
    func package() throws {
        let folder = try TemporaryFolder()
        let root = try Self.install("/usr", below: folder.path)
        try checkManual(root, folder.path)
        try checkUnits(root, folder.path)
        try checkLicences(root)
    }

    private func checkManual(_ root: String, _ folder: String) throws {
        let device = Device(folder)
        let list = try device.done("--help").output
        let commands = list.matches(of: /(?m)^  ([a-z]+) {2,}/).map { String($0.output.1) }
        #expect(commands.count > 25)
        let overview = try Self.page("quire", in: root, folder)
        for command in commands {
            #expect(overview.contains(".It \(command)\n"), "\(command)")
            let page = try Self.page("quire-\(command)", in: root, folder)
            let options = try device.done(command, "--help").output.matches(of: /(?m)^  (?:-\w, )?(--[a-z-]+)/)
            for option in options.map({ String($0.output.1) }) where option != "--version" && option != "--help" {
                let name = option.dropFirst().replacing("-", with: "\\-")
                #expect(page.contains("Fl \(name)"), "\(command) \(option)")
            }
        }
        guard Command.isInstalled("mandoc") else { return }
        let pages = Files.names(in: root + "/usr/share/man/man1", suffix: ".gz")
        for name in pages {
            let text = try Command.run("zcat", "\(root)/usr/share/man/man1/\(name)", in: folder)
            try Command.run("mandoc", "-Tlint", "-Wwarning", in: folder, input: text)
        }
    }

    private func checkUnits(_ root: String, _ folder: String) throws {
        let system = root + "/usr/lib/systemd/system"
        // The program is where the units name it.
        for name in ["quire-host.service", "quire-hub.service"] where Command.isInstalled("systemd-analyze") {
            let unit = try Files.text("\(system)/\(name)").replacing("/usr/bin/quire", with: root + "/usr/bin/quire")
                .replacing(/Documentation=.*/, with: "")
            try Files.write(unit, to: "\(system)/\(name)")
            try Command.run("systemd-analyze", "verify", "\(system)/\(name)", in: folder)
            try Command.run(
                "systemd-analyze", "security", "--offline=true", "--threshold=30", "\(system)/\(name)", in: folder)
        }
        let user = root + "/usr/lib/systemd/user"
        #expect(
            Files.names(in: user).sorted() == [
                "quire-serve.service", "quire-sync.service", "quire-sync.timer", "quire-watch.service",
            ])
        for name in Files.names(in: user) {
            #expect(try !Files.text("\(user)/\(name)").contains("@bindir@"))
        }
    }

    @Test("an operator's settings and a person's own prefix are respected")
    func prefixes() throws {
        let folder = try TemporaryFolder()
        let settings = folder.path + "/root/etc/default/quire-host"
        try Files.makeFolder(folder.path + "/root/etc/default")
        try Files.write("QUIRE_HOST_OPTIONS=\"--listen 0.0.0.0:80\"\n", to: settings)
        _ = try Self.install("/usr", below: folder.path)
        #expect(try Files.text(settings).contains("0.0.0.0:80"))

        let home = folder.path + "/home/.local"
        try Command.run(Command.repository + "/contrib/install", Command.binary, home, in: folder.path)
        #expect(
            try Files.text(home + "/share/systemd/user/quire-watch.service").contains("ExecStart=\(home)/bin/quire"))
        #expect(!Files.exists(home + "/lib"))
        #expect(!Files.exists(folder.path + "/home/etc"))
    }

    private func checkLicences(_ root: String) throws {
        let list = try JSON(file: root + "/usr/share/doc/quire/sbom.spdx.json")
        #expect(list["spdxVersion"].text == "SPDX-2.3")
        let packages = list["packages"].elements
        #expect(packages.count > 25)
        let notices = try Files.text(root + "/usr/share/doc/quire/THIRD-PARTY.txt")
        for package in packages where package["name"].text != "quire" {
            let name = try #require(package["name"].text)
            #expect(package["licenseDeclared"].text != "NOASSERTION", "\(name)")
            #expect(notices.contains("  \(name) "), "\(name)")
        }
        // What is within packages or the system's libraries, with its own words.
        for words in [
            "XKCP (Keccak, of CryptoExtras) in swift-crypto", "https://keccak.team/",
            "BoringSSL (of Crypto and CryptoExtras)",
            "The BoringSSL Authors", "llhttp in swift-nio", "libstemmer-dev", "Dr Martin Porter",
        ] {
            #expect(notices.contains(words), "\(words)")
        }
    }

    @Test("full Foundation and ICU, half of the program's size, are not linked in")
    func foundation() throws {
        let folder = try TemporaryFolder()
        // A program that is linked statically has the names within ICU's tables, another one those of the libraries.
        // FoundationEssentials is there: the program was read.
        let names =
            #"grep -aoE 'FoundationEssentials|lib_?Foundation(ICU|Internationalization)?\.so|icudt[0-9]+[bl]' "$1" | sort -u"#
        #expect(
            try Command.run("bash", "-c", names, "bash", Command.binary, in: folder.path) == "FoundationEssentials\n")
    }

    @Test(
        "a shell completes ids of questionnaires and drafts from the store", .enabled(if: Command.isInstalled("bash")))
    func completion() throws {
        let folder = try TemporaryFolder()
        let device = Device(folder.path)
        try device.done("init", "--remote", "http://127.0.0.1:9")
        let made = try device.json("new", "--from", Command.samples + "/python-quiz.json")
        let id = try #require(made["id"].text)
        let draft = try device.take(id, answers: "{}", isFinished: false)
        try Files.write(
            device.done("--generate-completion-script", "bash").output, to: folder.path + "/completion.bash")

        let bin = folder.path + "/bin"
        try Files.makeFolder(bin)
        try Command.run("ln", "-s", Command.binary, bin + "/quire", in: folder.path)
        func completed(_ words: String...) throws -> Set<String> {
            let list = words.map { "'\($0)'" }.joined(separator: " ")
            let script = """
                PATH="$1:$PATH"; . "$1/../completion.bash"
                COMP_WORDS=(quire \(list)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
                COMP_LINE="${COMP_WORDS[*]}"; COMP_POINT=${#COMP_LINE}
                _quire quire "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
                printf '%s\\n' "${COMPREPLY[@]}"
                """
            return Set(
                try Command.run("bash", "-c", script, "bash", bin, in: folder.path).split(separator: "\n")
                    .map(String.init))
        }
        let shown = try completed("show", "--store", device.store, "")
        #expect(shown == [id])
        let unknown = try completed("show", "--store", device.store, "no-such")
        #expect(unknown == [])
        let takeable = try completed("take", "--store", device.store, "")
        #expect(takeable.isSuperset(of: [id, draft]))
        let finishable = try completed("finish", "--store", device.store, String(draft.prefix(4)))
        #expect(finishable == [draft])
        let nowhere = try completed("show", "--store", folder.path + "/nothing", "")
        #expect(nowhere == [])
    }
}
