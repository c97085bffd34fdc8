"""The same work through git's loose objects: git_peer.py WORKLOAD CORPUS STATE [ID]

The documents lie in files before the timing begins; git hashes and packs them. What it knows of them is their names.
"""

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time

workload, folder, state, *more = sys.argv[1:]


def git(*words, **options):
    return subprocess.run(["git", "--git-dir", state, *words], check=True, stdout=subprocess.PIPE, **options).stdout


def cpu():
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def report(operations, wall, began):
    print(json.dumps({"wall": time.monotonic() - wall, "cpu": cpu() - began, "operations": operations}))


def names():
    return dict(line.rstrip("\n").split("\t") for line in open(state + "/quire-names", encoding="utf-8"))


if workload == "get":
    os.execvp("git", ["git", "--git-dir", state, "cat-file", "blob", "refs/tags/wanted"])
if workload == "list":
    os.execvp("git", ["git", "--git-dir", state, "for-each-ref"])
if workload == "read":
    wanted = list(names().values())
    random.Random(42).shuffle(wanted)
    text = "\n".join(wanted).encode() + b"\n"
    wall, began = time.monotonic(), cpu()
    git("cat-file", "--batch", "--buffer", input=text)
    report(len(wanted), wall, began)
if workload == "fill":
    subprocess.run(["git", "init", "--quiet", "--bare", "--object-format=sha256", state], check=True)
    git("config", "core.compression", "6")
    git("config", "core.looseCompression", "6")
    with tempfile.TemporaryDirectory(dir=os.path.dirname(state)) as files:
        ids = []
        with open(folder + "/corpus.bin", "rb") as content:
            for line in open(folder + "/corpus.tsv", encoding="utf-8"):
                id, length, *_ = line.split("\t")
                with open(f"{files}/{id}", "wb") as file:
                    file.write(content.read(int(length)))
                ids.append(id)
        paths = "".join(f"{files}/{id}\n" for id in ids).encode()
        wall, began = time.monotonic(), cpu()
        hashes = git("hash-object", "-w", "--no-filters", "--stdin-paths", input=paths).decode().split()
        report(len(ids), wall, began)
    with open(state + "/quire-names", "w", encoding="utf-8") as file:
        for id, digest in zip(ids, hashes):
            file.write(f"{id}\t{digest}\n")
    git("update-ref", "refs/tags/wanted", hashes[len(hashes) // 2 | 1])
