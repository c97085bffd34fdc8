"""The workloads: who does what, on which corpus, after which preparation."""

import os
import shutil
import signal
import socket
import subprocess
import time

from measure import Contender, disk_bytes, flushes, rounds, run


class Bench:
    def __init__(self, quire, tool, folder, quick, peers, divisor=1):
        self.quire, self.tool, self.folder, self.quick, self.peers = quire, tool, folder, quick, peers
        self.many = (2000 if quick else 10_000) // divisor
        self.few = (500 if quick else 1000) // divisor
        self.most = (10_000 if quick else 100_000) // divisor
        self.tests = (200 if quick else 2000) // divisor
        self.waiting = (500 if quick else 10_000) // divisor
        self.rounds = 3 if quick else 5
        self.processes = 9 if quick else 31
        self.results = []
        self.put_away = 0

    # What there is

    def corpus(self, kind, count):
        path = os.path.join(self.folder, f"corpus-{kind}-{count}")
        if not os.path.exists(path + "/corpus.tsv"):
            subprocess.run([self.tool, "corpus", kind, str(count), path], check=True)
        return path

    def state(self, name):
        return os.path.join(self.folder, "state-" + name)

    def away(self, name):
        """Takes a state out of the way. It is removed at the end of all: ext4 without a journal looks at the inode of each
        file that was removed in the last minutes before it makes a new one, and the next contender would pay for that."""
        if os.path.lexists(self.state(name)):
            self.put_away += 1
            os.makedirs(self.folder + "/away", exist_ok=True)
            os.rename(self.state(name), f"{self.folder}/away/{self.put_away}")

    def fresh(self, name):
        def remove():
            self.away(name)
            # What another has left to be written is not to be waited for in the measured time.
            os.sync()

        return remove

    def copy(self, source, name):
        def make():
            self.away(name)
            subprocess.run(["cp", "-a", self.state(source), self.state(name)], check=True)
            os.sync()

        return make

    def peer(self, name, command, **more):
        tool = self.peers.get(name.split(" ")[0], "it is not on this machine")
        return Contender(name, [*tool, *command] if isinstance(tool, list) else [],
                         missing="" if isinstance(tool, list) else tool, **more)

    def record(self, key, title, count, contenders, per="operation", base="bare loop"):
        self.results.append(dict(key=key, title=title, count=count, per=per, base=base, contenders=contenders))
        best = next((c for c in contenders if c.samples), None)
        for contender in contenders:
            if contender.samples and best:
                middle = sorted(sample.wall for sample in contender.samples)[len(contender.samples) // 2]
                print(f"    {contender.name:28} {middle * 1000:10.1f} ms", flush=True)

    def say(self, text):
        print(text, flush=True)

    # The workloads

    def fill(self, kind, count, all_peers=True):
        self.say(f"W1 fill, {count} {kind}")
        corpus, tag = self.corpus(kind, count), f"{count}"
        quire = [self.tool, "quire", "fill", corpus]
        contenders = [
            self.peer("bare", ["fill", corpus, self.state("bare-" + tag), "1"], prepare=self.fresh("bare-" + tag)),
            Contender("Quire, one thread", [*quire, self.state("quire1-" + tag), "1"], self.fresh("quire1-" + tag)),
            Contender("Quire, two threads", [*quire, self.state("quire-" + tag), "2", "--search"], self.fresh("quire-" + tag)),
            self.peer("lmdb", ["fill", corpus, self.state("lmdb-" + tag)], prepare=self.fresh("lmdb-" + tag)),
            Contender("SQLite by GRDB", [self.tool, "grdb", "fill", corpus, self.state("grdb-" + tag), "100"],
                      self.fresh("grdb-" + tag)),
        ]
        if all_peers:
            contenders += [
                self.peer("bare, two threads", ["fill", corpus, self.state("bare2-" + tag), "2"],
                          prepare=self.fresh("bare2-" + tag)),
                self.peer("git", ["fill", corpus, self.state("git-" + tag)], prepare=self.fresh("git-" + tag)),
                self.peer("diskcache", ["fill", corpus, self.state("diskcache-" + tag)],
                          prepare=self.fresh("diskcache-" + tag)),
                self.peer("cacache", ["fill", corpus, self.state("cacache-" + tag)],
                          prepare=self.fresh("cacache-" + tag)),
            ]
        rounds(3 if all_peers else 1, contenders)
        for contender in contenders:
            if not contender.missing:
                contender.disk_bytes = disk_bytes(self.state_of(contender))
        self.record("W1", "Fill the cache", count, contenders, per="document")
        for name in ("bare2-", "quire1-"):
            self.away(name + tag)
        if "bare" in self.peers and isinstance(self.peers["bare"], list):
            subprocess.run([*self.peers["bare"], "pack", corpus, self.state("bare-" + tag)], check=True)

    def state_of(self, contender):
        return next(word for word in contender.command if os.path.basename(str(word)).startswith("state-"))

    def read(self, count):
        self.say(f"W2 read, {count}")
        corpus, tag = self.corpus("questionnaires", count), str(count)
        contenders = [
            self.peer("bare", ["read", corpus, self.state("bare-" + tag)]),
            Contender("Quire", [self.tool, "quire", "read", corpus, self.state("quire-" + tag)]),
            self.peer("lmdb", ["read", corpus, self.state("lmdb-" + tag)]),
            Contender("SQLite by GRDB", [self.tool, "grdb", "read", corpus, self.state("grdb-" + tag)]),
            self.peer("git", ["read", corpus, self.state("git-" + tag)]),
            self.peer("diskcache", ["read", corpus, self.state("diskcache-" + tag)]),
            self.peer("cacache", ["read", corpus, self.state("cacache-" + tag)]),
        ]
        rounds(self.rounds, contenders)
        self.record("W2", "Read all, in random order, unpacked and verified", count, contenders, per="document")

    def processes_of(self, key, title, count, verb, quire, peers, more=()):
        self.say(f"{key} {verb}, {count}")
        tag = str(count)
        corpus = "-"
        contenders = [
            self.peer("bare", [verb, corpus, self.state("bare-" + tag), *more], is_whole=True),
            Contender("quire", [self.quire, *quire, "--store", self.state("quire-" + tag)], is_whole=True),
            self.peer("lmdb", [verb, corpus, self.state("lmdb-" + tag), *more], is_whole=True),
            Contender("SQLite by GRDB", [self.tool, "grdb", verb, corpus, self.state("grdb-" + tag), *more],
                      is_whole=True),
        ]
        if peers:
            contenders += [
                self.peer(name, [verb, corpus, self.state(f"{name}-" + tag), *more], is_whole=True) for name in peers
            ]
        rounds(self.processes if count <= self.many else max(5, self.processes // 3), contenders)
        self.record(key, title, count, contenders, per="process")

    def settle(self, count):
        """The times of folders count where the index is two seconds younger: the first lists after a change look at all files."""
        for _ in range(2):
            time.sleep(2.5)
            subprocess.run([self.quire, "list", "--store", self.state(f"quire-{count}")], check=True, stdout=subprocess.DEVNULL)

    def list(self, count, peers=()):
        self.settle(count)
        self.processes_of("W3", "List all entries, as a whole process", count, "list", ["list"], peers)

    def get(self, count, kind="questionnaires", peers=()):
        with open(self.corpus(kind, count) + "/corpus.tsv", encoding="utf-8") as table:
            # One that lasts: of an odd number.
            id = table.read().splitlines()[count // 2 | 1].split("\t")[0]
        self.processes_of("W8", "Start, and one document by its id", count, "get", ["show", id, "--json", "--offline"],
                          peers, [id])

    def find(self, count):
        self.processes_of("W9", "Find a word in all titles, as a whole process", count, "find",
                          ["search", "--titles", "СЕВЕРНОЕ"], (), ["северное"])

    def find_text(self, count):
        self.say(f"W9q find in all texts, {count}")
        tag, word = str(count), "звездочет"
        contenders = [
            self.peer("bare", ["scan", self.corpus("questionnaires", count), self.state("bare-" + tag), "звездоч"],
                      is_whole=True),
            Contender("quire", [self.quire, "search", word, "--store", self.state("quire-" + tag)], is_whole=True),
            Contender("SQLite, scan", [self.tool, "grdb", "scan", "-", self.state("grdb-" + tag), word],
                      is_whole=True),
            Contender("SQLite, FTS5", [self.tool, "grdb", "findtext", "-", self.state("grdb-" + tag), word],
                      is_whole=True),
        ]
        run([self.tool, "grdb", "index", self.corpus("questionnaires", count), self.state("grdb-" + tag)])
        rounds(self.rounds, contenders)
        self.record("W9q", "Find a word in all question texts", count, contenders, per="process", base="SQLite, scan")

    def remove(self, count, verb, key, title, peers=True):
        self.say(f"{key} {verb}, {count}")
        kind = "questionnaires" if peers else "small"
        corpus, tag = self.corpus(kind, count), str(count)

        def state(name):
            return dict(prepare=self.copy(f"{name}-{tag}", "half"))

        half = self.state("half")
        copied = self.copy(f"quire-{tag}", "half")

        def listed():
            copied()
            # Copies are other files than those that the index knows: it is brought up to date, as it would be by then.
            subprocess.run([self.quire, "list", "--store", half], check=True, stdout=subprocess.DEVNULL)

        contenders = [
            self.peer("bare", [verb, corpus, half], **state("bare")),
            Contender("Quire", [self.tool, "quire", verb, corpus, half], listed),
            self.peer("lmdb", [verb, corpus, half], **state("lmdb")),
            Contender("SQLite by GRDB", [self.tool, "grdb", verb, corpus, half], **state("grdb")),
        ]
        if peers:
            contenders += [
                self.peer("diskcache", [verb, corpus, half], **state("diskcache")),
                self.peer("cacache", [verb, corpus, half], **state("cacache")),
            ]
        rounds(3 if peers else 1, contenders)
        self.record(key, title, count, contenders, per="entry")
        self.fresh("half")()

    # How the cost grows: Quire alone, since the others would take hours for no more than their own growth.

    def alone(self, key, title, count, command, times, name="Quire"):
        self.say(f"{key}, {count}, Quire alone")
        if command[0] == self.quire:
            name = "quire"
        contender = Contender(name, command, is_whole=command[0] == self.quire)
        rounds(times, [contender])
        self.record(key, title, count, [contender])

    def grow(self, count):
        """On the small documents that were filled in before; what removes comes last."""
        corpus, state = self.corpus("small", count), self.state(f"quire-{count}")
        library = [self.tool, "quire"]
        self.alone("W2", "Read all", count, [*library, "read", corpus, state], 3)
        self.alone("W9q", "Find a word in all question texts", count,
                   [self.quire, "search", "звездочет", "--store", state], 5)
        self.alone("status", "Status", count, [self.quire, "status", "--offline", "--store", state], 5)
        self.alone("W5", "Purge the expired half", count, [*library, "purge", corpus, state], 1)

    def grow_outbox(self, count):
        """50 tests in an outbox that has so many already; the few that this adds are no matter."""
        state, few = self.state(f"outbox-{count}"), self.corpus("tests", 50)
        there = max(1, min(count, 1000))
        for _ in range(count // there):
            run([self.tool, "quire", "commit", self.corpus("tests", there), state, "32"])
        os.sync()
        self.alone("W6", "Commit 50 tests durably", count, [self.tool, "quire", "commit", few, state, "1"], 3)
        self.alone("W6b", "Commit 50 tests durably, 16 together", count, [self.tool, "quire", "commit", few, state, "16"], 3)
        self.alone("W7", "Move 50 tests through three states", count, [self.tool, "quire", "move", few, state, "1"], 1)
        self.away(f"outbox-{count}")

    def sparse(self, count):
        """As far as a million, which takes minutes even alone."""
        corpus, state = self.corpus("small", count), self.state(f"quire-{count}")
        with open(corpus + "/corpus.tsv", encoding="utf-8") as table:
            id = next(line for number, line in enumerate(table) if number == count // 2 | 1).split("\t")[0]
        library, program = [self.tool, "quire"], [self.quire]
        self.alone("W1", "Fill the cache", count, [*library, "fill", corpus, state, "2"], 1, "Quire, two threads")
        self.settle(count)
        self.alone("W3", "List all entries", count, [*program, "list", "--store", state], 5)
        self.alone("W8", "One document by its id", count,
                   [*program, "show", id, "--json", "--offline", "--store", state], 9)
        self.alone("W9", "Find a word in all titles", count,
                   [*program, "search", "--titles", "СЕВЕРНОЕ", "--store", state], 5)
        self.alone("W4", "Trim to half by last use", count, [*library, "trim", corpus, state], 1)
        self.away(f"quire-{count}")

    def durable(self):
        corpus, few, more = (self.corpus("tests", count) for count in (self.tests, 64, 128))

        def contenders(corpus, verb, group):
            def each(name, command):
                return dict(prepare=self.fresh(name)), [*command, verb, corpus, self.state(name), str(group)]

            made = []
            options, command = each("bare-test", [])
            made.append(self.peer("bare", command, **options))
            options, command = each("quire-test", [self.tool, "quire"])
            made.append(Contender("Quire", command, **options))
            options, command = each("grdb-test", [self.tool, "grdb"])
            made.append(Contender("SQLite, synchronous=FULL", command, **options))
            if verb == "commit" and group == 1:
                options, command = each("maildir-test", [])
                made.append(self.peer("maildir", command, **options))
                options, command = each("cacache-test", [])
                made.append(self.peer("cacache: write-file-atomic", command, **options))
            return made

        for key, verb, group, title in [
            ("W6", "commit", 1, "Commit a test durably, one by one"),
            ("W6b", "commit", 16, "Commit tests durably, 16 together"),
            ("W7", "move", 1, "Move a test through three states, one by one"),
            ("W7b", "move", 32, "Move tests through three states, 32 together"),
        ]:
            self.say(f"{key} {verb} by {group}, {self.tests} tests")
            measured = contenders(corpus, verb, group)
            rounds(3, measured)
            for contender, *counted in zip(measured, contenders(few, verb, group), contenders(more, verb, group)):
                if not contender.missing:
                    contender.flushes = flushes(*counted)
            self.record(key, title, self.tests, measured, per="commit" if verb == "commit" else "move")

    def finish_tests(self, corpus, state):
        """Puts the tests of a corpus into a store, where finished tests wait."""
        os.makedirs(state + "/outbox/done", exist_ok=True)
        with open(corpus + "/corpus.bin", "rb") as content, open(corpus + "/corpus.tsv", encoding="utf-8") as table:
            for line in table:
                id, length, *_ = line.split("\t")
                with open(f"{state}/outbox/done/{id}.test.json", "wb") as file:
                    file.write(content.read(int(length)))

    def snapshot(self, count):
        """What was filled before and finished tests, in one file: beside tar and gzip on the same files."""
        self.say(f"W13 snapshot, {count} and {self.tests} tests")
        self.copy(f"quire-{count}", "saved")()
        saved, restored = self.state("saved"), self.state("restored")
        self.finish_tests(self.corpus("tests", self.tests), saved)
        files = [name for name in ("store.json", "outbox", "cache", "marks", "quarantine", "log")
                 if os.path.exists(f"{saved}/{name}")]
        archive, json, protobuf = (self.state(name) for name in ("archive", "json", "protobuf"))
        save = [self.quire, "snapshot", "save", "--quiet", "--store", saved]
        contenders = [
            Contender("tar, gzip", ["sh", "-c", f"tar -C {saved} -cf - {' '.join(files)} | gzip > {archive}"],
                      self.fresh("archive"), True),
            Contender("quire", [*save, json], self.fresh("json"), True),
            Contender("quire, protobuf", [*save, "--format", "protobuf", protobuf], self.fresh("protobuf"), True),
        ]
        rounds(self.rounds, contenders)
        for contender, file in zip(contenders, (archive, json, protobuf)):
            if not contender.missing:
                contender.disk_bytes = os.stat(file).st_blocks * 512
        self.record("W13", "Save a store in one file", count, contenders, per="save", base="tar, gzip")
        restore = [self.quire, "snapshot", "restore", "--quiet", "--store", restored]
        contenders = [
            Contender("tar, gzip", ["sh", "-c", f"mkdir {restored} && gzip -dc {archive} | tar -C {restored} -xf -"],
                      self.fresh("restored"), True),
            Contender("quire", [*restore, json], self.fresh("restored"), True),
            Contender("quire, protobuf", [*restore, protobuf], self.fresh("restored"), True),
        ]
        rounds(1 if self.quick else 3, contenders)
        self.record("W13b", "Restore it", count, contenders, per="restore", base="tar, gzip")
        for name in ("saved", "restored", "archive", "json", "protobuf"):
            self.away(name)

    # Over HTTP

    def host(self, name, questionnaires=None):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        command = [self.quire, "host", "--data", self.state(name), "--listen", f"127.0.0.1:{port}"]
        if questionnaires:
            command += ["--questionnaires", questionnaires]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(30_000):
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                return process, port
            except OSError:
                time.sleep(0.01)
        raise RuntimeError("the host does not listen")

    def stop(self, process):
        process.send_signal(signal.SIGTERM)
        process.wait()

    def pull(self, count):
        self.say(f"W11 pull, {count}")
        corpus = self.corpus("questionnaires", count)
        published = self.state("published")
        self.fresh("published")()
        os.makedirs(published)
        with open(corpus + "/corpus.bin", "rb") as content, open(corpus + "/corpus.tsv", encoding="utf-8") as table:
            for line in table:
                id, length, *_ = line.split("\t")
                with open(f"{published}/{id}.json", "wb") as file:
                    file.write(content.read(int(length)))
        self.fresh("host-data")()
        process, port = self.host("host-data", published)
        try:
            # The host looks at every file once.
            subprocess.run([*self.peers["bare-http"], "pull", corpus, self.state("warm"), str(port)],
                           check=True, stdout=subprocess.DEVNULL)
            self.fresh("warm")()

            def init():
                self.fresh("pulled")()
                subprocess.run([self.quire, "init", "--store", self.state("pulled"), "--remote", f"http://127.0.0.1:{port}"],
                               check=True, stdout=subprocess.DEVNULL)

            pull = [self.quire, "pull", "--quiet", "--store", self.state("pulled")]
            contenders = [
                self.peer("bare-http", ["pull", corpus, self.state("bare-pulled"), str(port)],
                          prepare=self.fresh("bare-pulled"), is_whole=True),
                Contender("quire", pull, init, is_whole=True),
            ]
            rounds(3, contenders)
            self.record("W11", "Pull everything over loopback", count, contenders, per="pull")
            again = [Contender("quire", pull, is_whole=True)]
            rounds(5, again)
            self.record("W11b", "Pull again, nothing changed", count, again, per="pull", base="")
        finally:
            self.stop(process)
        for name in ("published", "pulled", "bare-pulled", "host-data"):
            self.away(name)

    def sync(self, count):
        self.say(f"W10 sync, {count}")
        corpus = self.corpus("tests", count)
        running = []

        def waiting(name):
            def make():
                for other in ("waiting", "host-tests"):
                    self.away(other)
                process, port = self.host("host-tests")
                running.append(process)
                subprocess.run([self.quire, "init", "--store", self.state("waiting"), "--remote", f"http://127.0.0.1:{port}"],
                               check=True, stdout=subprocess.DEVNULL)
                self.finish_tests(corpus, self.state("waiting"))
                os.sync()
                if name == "bare":
                    bare.command[-1] = str(port)

            return make

        def ended():
            self.stop(running.pop())

        bare = self.peer("bare-http", ["sync", corpus, self.state("waiting"), "0"], prepare=waiting("bare"),
                         is_whole=True, after=ended)
        contenders = [
            bare,
            Contender("quire", [self.quire, "sync", "--quiet", "--store", self.state("waiting")], waiting("quire"), True, ended),
        ]
        rounds(2, contenders)
        while running:
            self.stop(running.pop())
        self.record("W10", "Send waiting tests to the host over loopback", count, contenders, per="sync")
        for name in ("waiting", "host-tests"):
            self.away(name)
