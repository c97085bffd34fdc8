"""Hosts that the programs beside this file start on free ports and end, and what these have used."""
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time
import urllib.request

NAME = pathlib.Path(sys.argv[0]).name
QUIRE = os.environ.get("QUIRE") or sys.exit(f"{NAME}: QUIRE is the path of quire")
TICKS = os.sysconf("SC_CLK_TCK")


def setting(name, standard):
    return int(os.environ.get(name) or standard)


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def start(arguments, **more):
    """A program that ends with this one, also where this one is killed."""
    return subprocess.Popen(
        ["setpriv", "--pdeathsig", "KILL", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)


def wait_for(port, process, name):
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            if process.poll() is not None:
                sys.exit(f"{NAME}: {name} ended with {process.returncode}")
            time.sleep(0.01)


class Host:
    """A running host. It can be killed and started again at the same place."""

    def __init__(self, *arguments, environment=None):
        self.port, self.arguments, self.environment = free_port(), arguments, environment
        self.begin()

    def begin(self):
        self.started = time.monotonic()
        self.process = start(
            [QUIRE, "host", *map(str, self.arguments), "--listen", f"127.0.0.1:{self.port}"], env=self.environment)
        wait_for(self.port, self.process, "the host")
        self.listening = time.monotonic() - self.started

    def request(self, method, path, body=None):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data=body, method=method)
        if body is not None:
            request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request, timeout=3600) as reply:
            return reply.read()

    def get(self, path):
        return self.request("GET", path)

    def pages(self, path, name):
        """The items of all pages of a list."""
        after = ""
        while True:
            page = json.loads(self.get(f"{path}?limit=1000{after}"))
            yield from page[name]
            if not page.get("next"):
                return
            after = "&cursor=" + page["next"]

    def digests(self):
        """The digest of each questionnaire, by its id."""
        return {item["id"]: item["digest"] for item in self.pages("/v1/questionnaires", "questionnaires")}

    def tests(self):
        """The number of tests in the list, all pages of it."""
        return sum(1 for _ in self.pages("/v1/tests", "tests"))

    def processor(self):
        """Seconds."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def memory(self, name="VmHWM"):
        """MiB, at most so far."""
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(name + ":"):
                return int(line.split()[1]) / 1024
        return 0

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
