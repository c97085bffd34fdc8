"""Running a contender: wall time, CPU seconds of its processes, peak memory, flushes."""

import json
import os
import re
import resource
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass, field


@dataclass
class Sample:
    wall: float
    cpu: float
    peak_bytes: int
    operations: int = 1


@dataclass
class Contender:
    """One way to do a workload.

    command: what is run. prepare: called before each run, and not measured. is_whole: the whole process is measured;
    otherwise it measures itself and says so in one line of JSON.
    """

    name: str
    command: list
    prepare: object = None
    is_whole: bool = False
    after: object = None
    samples: list = field(default_factory=list)
    missing: str = ""
    disk_bytes: int = 0
    flushes: float = -1

    def run(self):
        if self.missing:
            return
        if self.prepare:
            self.prepare()
        sample = run(self.command, self.is_whole)
        self.samples.append(sample)
        if self.after:
            self.after()


class Failed(Exception):
    pass


def run(command, is_whole=False):
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        began = time.monotonic()
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL if is_whole else out, stderr=errors
        )
        _, status, used = os.wait4(process.pid, 0)
        wall = time.monotonic() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            errors.seek(0)
            words = errors.read().decode(errors="replace").strip()
            raise Failed(f"{' '.join(map(str, command[:4]))} … ended with {process.returncode}: {words[-400:]}")
        cpu, operations = used.ru_utime + used.ru_stime, 1
        if not is_whole:
            out.seek(0)
            told = json.loads(out.read().decode().strip().splitlines()[-1])
            wall, cpu, operations = told["wall"], told["cpu"], told["operations"]
    return Sample(wall, cpu, used.ru_maxrss * 1024, operations)


def rounds(count, contenders):
    """All in turns, so that what disturbs one disturbs the others; every other round backwards."""
    for contender in contenders:
        if contender.missing:
            print(f"    {contender.name}: not measured: {contender.missing}", flush=True)
    for index in range(count):
        for contender in contenders if index % 2 == 0 else reversed(contenders):
            if contender.missing:
                continue
            try:
                contender.run()
            except Failed as failure:
                # One that does not work here is reported, and the others go on.
                contender.missing = str(failure)
                contender.samples = []
                print(f"    {contender.name}: {failure}", flush=True)
    settle_peaks(contenders)


def settle_peaks(contenders):
    """A child begins with its parent's peak: one that seems to need no more than we do is run again below a small program."""
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    for contender in contenders:
        if contender.after or not contender.samples or not os.path.exists("/usr/bin/time"):
            continue
        if max(sample.peak_bytes for sample in contender.samples) > own * 1.1:
            continue
        if contender.prepare:
            contender.prepare()
        with tempfile.NamedTemporaryFile("r") as told:
            command = ["/usr/bin/time", "--format=%M", f"--output={told.name}", *contender.command]
            result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
            if result.returncode == 0:
                peak = int(told.read().split()[-1]) * 1024
                for sample in contender.samples:
                    sample.peak_bytes = peak


def flushes(few, more):
    """The device flushes that one operation asks for, by strace; a call of syncfs counts as one.

    The same contender with few operations and with more: what only opens and closes the store is not counted.
    """
    counts = [count_flushes(contender) for contender in (few, more)]
    if None in counts:
        return -1
    (calls, operations), (more_calls, more_operations) = counts
    return (more_calls - calls) / (more_operations - operations)


def count_flushes(contender):
    """How many there are in a whole run, and how many operations it does."""
    if contender.missing or not shutil.which("strace"):
        return None
    if contender.prepare:
        contender.prepare()
    with tempfile.NamedTemporaryFile("r") as trace:
        result = subprocess.run(
            ["strace", "-f", "-o", trace.name, "-e", "trace=fsync,fdatasync,syncfs,sync,sync_file_range,msync"]
            + contender.command,
            capture_output=True,
            text=True,
        )
        if result.returncode != 0:
            return None
        told = json.loads(result.stdout.strip().splitlines()[-1])
        return len(re.findall(r"\b(?:fsync|fdatasync|syncfs|msync)\(", trace.read())), told["operations"]


def disk_bytes(folder):
    total = 0
    for path, _, files in os.walk(folder):
        total += sum(os.lstat(os.path.join(path, name)).st_blocks * 512 for name in files)
    return total
