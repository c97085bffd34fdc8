#!/usr/bin/env python3
"""Measures Quire beside its peers and writes docs/benchmarks.md: see CONTRIBUTING.md.

    run.py --quire PATH --tool PATH [--quick] [--million] [--only W1,W3] [--divisor N] [--folder DIR] [--keep] [--report FILE]
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "runner"))

import report  # noqa: E402
from workloads import Bench  # noqa: E402


def peers(folder):
    """How each peer is called; a text says why it is not here."""
    os.makedirs(folder, exist_ok=True)
    found = {}

    def compile(name, source, libraries):
        command = ["cc", "-O2", "-o", f"{folder}/{name}", f"{HERE}/peers/{source}.c", *libraries]
        result = subprocess.run(command, capture_output=True, text=True) if shutil.which("cc") else None
        if result and result.returncode == 0:
            found[name] = [f"{folder}/{name}"]
        else:
            reason = (result.stderr.strip().splitlines() or ["cc failed"])[0] if result else "there is no C compiler"
            found[name] = reason.replace(HERE + "/", "")

    compile("bare", "bare", ["-lz", "-lcrypto", "-lpthread"])
    compile("bare-http", "http", ["-lz", "-lcrypto", "-lpthread"])
    compile("lmdb", "lmdb", ["-llmdb", "-lz", "-lcrypto"])
    compile("maildir", "maildir", [])
    found["bare,"] = found["bare"]
    python = [sys.executable]
    found["git"] = [*python, f"{HERE}/peers/git_peer.py"] if shutil.which("git") else "git is not installed"
    has = subprocess.run([*python, "-c", "import diskcache"], capture_output=True).returncode == 0
    found["diskcache"] = [*python, f"{HERE}/peers/diskcache_peer.py"] if has else "pip install diskcache"
    modules = ""
    if shutil.which("node") and shutil.which("npm"):
        modules = subprocess.run(["npm", "root", "-g"], capture_output=True, text=True).stdout.strip() + "/npm/node_modules"
        os.environ["NPM_MODULES"] = modules
    found["cacache"] = (
        ["node", f"{HERE}/peers/cacache_peer.js"] if modules and os.path.isdir(modules + "/cacache")
        else "node with npm is not installed"
    )
    found["cacache:"] = found["cacache"]
    return found


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--quire", required=True)
    options.add_argument("--tool", required=True)
    options.add_argument("--quick", action="store_true")
    options.add_argument("--million", action="store_true", help="the growth up to a million entries")
    options.add_argument("--only", default="")
    options.add_argument("--divisor", type=int, default=1, help="fewer documents: to try the bench itself")
    options.add_argument("--folder", default="")
    options.add_argument("--keep", action="store_true")
    options.add_argument("--report", default=os.path.join(HERE, "../docs/benchmarks.md"))
    chosen = options.parse_args()
    folder = os.path.abspath(chosen.folder or os.path.join(HERE, "../.build-bench/measured"))
    only = set(filter(None, chosen.only.split(",")))
    os.makedirs(folder, exist_ok=True)
    # Of a run that was broken off.
    shutil.rmtree(os.path.join(folder, "away"), ignore_errors=True)
    bench = Bench(os.path.abspath(chosen.quire), os.path.abspath(chosen.tool), folder, chosen.quick,
                  peers(os.path.join(folder, "bin")), chosen.divisor)
    began = time.monotonic()

    def wanted(*keys):
        return not only or only.intersection(keys)

    def attempt(workload, *words, **more):
        # One that fails is missing from the report, and said here; the others are measured all the same.
        try:
            workload(*words, **more)
        except Exception as failure:
            print(f"    not measured: {failure}", flush=True)

    many, few, most = bench.many, bench.few, bench.most
    cached = ("git", "diskcache", "cacache")
    if wanted("W1", "W2", "W3", "W4", "W5", "W8", "W9", "W9q", "W13"):
        attempt(bench.fill, "questionnaires", many)
    if wanted("W2"):
        attempt(bench.read, many)
    if wanted("W3"):
        attempt(bench.list, many, cached)
    if wanted("W8"):
        attempt(bench.get, many, peers=cached)
    if wanted("W9"):
        attempt(bench.find, many)
    if wanted("W9q"):
        attempt(bench.find_text, many)
    if wanted("W13"):
        attempt(bench.snapshot, many)
    if wanted("W6", "W7"):
        attempt(bench.durable)
    if wanted("W11"):
        attempt(bench.pull, many)
    if wanted("W10"):
        attempt(bench.sync, bench.waiting)
    # What removes files comes behind what makes them (`Bench.away`).
    if wanted("W4"):
        attempt(bench.remove, many, "trim", "W4", "Trim to half by last use")
    if wanted("W5"):
        attempt(bench.remove, many, "purge", "W5", "Purge the half that has expired")
    # How the cost grows: small documents, so that what is measured is the store and not zlib.
    if wanted("growth", "W3", "W8"):
        for count in (few, most // 10, most):
            attempt(bench.fill, "small", count, all_peers=False)
            attempt(bench.list, count)
            attempt(bench.get, count, "small")
            attempt(bench.find, count)
            attempt(bench.remove, count, "trim", "W4", "Trim to half by last use", peers=False)
            attempt(bench.grow, count)
            for name in ("bare-", "quire-", "lmdb-", "grdb-"):
                bench.away(f"{name}{count}")
        for count in (few, most // 10, most):
            attempt(bench.grow_outbox, count)
        attempt(bench.pull, few)
        attempt(bench.sync, few)
        if chosen.million:
            attempt(bench.sparse, 10 * most)
    measured = report.plain(bench, time.monotonic() - began)
    with open(os.path.join(folder, "results.json"), "w", encoding="utf-8") as file:
        json.dump(measured, file, indent=1)
    report.write(measured, chosen.report, os.path.join(HERE, "report.template"))
    print(f"bench: {time.monotonic() - began:.0f} s, written to {os.path.relpath(chosen.report)}")
    shutil.rmtree(os.path.join(folder, "away"), ignore_errors=True)
    if not chosen.keep:
        for name in os.listdir(folder):
            if name.startswith(("state-", "corpus-")):
                shutil.rmtree(os.path.join(folder, name), ignore_errors=True)


main()
