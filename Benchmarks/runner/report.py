"""The report: tables, ratios, growth and charts, from the results and from the prose in report.template."""

import datetime
import math
import os
import platform
import re
import statistics
import subprocess

import chart


def plain(bench, seconds):
    """The results as JSON."""
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "seconds": round(seconds),
        "quick": bench.quick,
        "machine": machine(),
        "missing": {name: why for name, why in bench.peers.items() if isinstance(why, str)},
        "results": [
            {
                **{key: result[key] for key in ("key", "title", "count", "per", "base")},
                "contenders": [summary(contender) for contender in result["contenders"]],
            }
            for result in bench.results
        ],
    }


def summary(contender):
    walls = sorted(sample.wall for sample in contender.samples)
    return {
        "name": contender.name,
        "missing": contender.missing,
        "runs": len(walls),
        "wall": statistics.median(walls) if walls else None,
        "spread": (walls[-1] - walls[0]) / statistics.median(walls) if walls else None,
        "cpu": statistics.median(sample.cpu for sample in contender.samples) if walls else None,
        "operations": contender.samples[0].operations if walls else 0,
        "peak_bytes": max((sample.peak_bytes for sample in contender.samples), default=0),
        "disk_bytes": contender.disk_bytes,
        "flushes": contender.flushes,
    }


def machine():
    def said(*command):
        try:
            return subprocess.run(command, capture_output=True, text=True).stdout.strip()
        except OSError:
            return ""

    model = ""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            model = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "")
    except OSError:
        pass
    volume = said("df", "--output=fstype", ".").splitlines()[-1:]
    swift = said("swift", "--version").splitlines()[:1]
    return (
        f"{os.cpu_count()} cores ({model or platform.machine()}), {platform.system()} {platform.release()}, "
        f"{' '.join(volume) or 'an unknown file system'}, {swift[0] if swift else 'Swift'}, load {os.getloadavg()[0]:.2f}"
    )


# MARK: Numbers


def milliseconds(seconds):
    if seconds is None:
        return "–"
    value = seconds * 1000
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}".replace(",", " ")


def megabytes(count):
    return f"{count / 1e6:.1f}" if count else "–"


def ratio(each, base, field):
    """By operation: not everybody has the same number of them."""
    if not base or not base[field] or each[field] is None:
        return "–"
    return f"{each[field] / each['operations'] / (base[field] / base['operations']):.2f}"


def named(result, name):
    return next((each for each in result["contenders"] if each["name"] == name and each["wall"] is not None), None)


def base_of(result):
    return named(result, result["base"]) or named(result, "bare") or named(result, "bare-http")


def shown(name):
    return {"bare": "bare loop (C)", "bare-http": "bare client (C)", "lmdb": "LMDB (C)", "maildir": "Maildir (C)",
            "git": "git, loose objects", "diskcache": "diskcache (Python)", "cacache": "cacache (node)",
            "cacache: write-file-atomic": "write-file-atomic (node)"}.get(name, name)


# MARK: Targets


def hub_rows(path):
    """What `make bench-hub` has measured: W12, from the report that it wrote."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except OSError:
        return []
    date = re.search(r"on (\d{4}-\d\d-\d\d)", text)
    found = re.findall(r"^### (.+?)$.*?^\*\*hub / nginx: ([0-9.]+)\*\*", text, re.MULTILINE | re.DOTALL)
    return [
        (f"W12 hits of the hub beside nginx, {what[0].lower() + what[1:]} ({date[1] if date else 'no date'})",
         f"{float(value):.2f} ×", "≥ 1 ×", "met" if float(value) >= 1 else "**not met**")
        for what, value in found
    ]


def targets(results, hub_report):
    """Each row of the table of targets: what is measured, its limit, the measured value, whether it is met."""
    rows = []

    def find(key, count=None):
        matching = [each for each in results if each["key"] == key and count in (None, each["count"])]
        return matching[0] if matching else None

    def row(name, value, limit, unit="×", note=""):
        if value is None:
            rows.append((name, "not measured", f"≤ {limit} {unit}", "–"))
        else:
            rows.append((name, f"{value:.2f} {unit}{note}", f"≤ {limit} {unit}", "met" if value <= limit else "**not met**"))

    def quotient(result, one, other="bare", field="wall", per=True):
        if not result:
            return None
        a, b = named(result, one), named(result, other)
        if not a or not b or not b[field]:
            return None
        scale = (a["operations"], b["operations"]) if per else (1, 1)
        return (a[field] / scale[0]) / (b[field] / scale[1])

    def bare_too(single, grouped):
        """What the limit itself comes to: a group cannot be quicker beside one alone than its flushes are."""
        a, b = named(single, "bare"), named(grouped, "bare")
        if not a or not b:
            return ""
        return f" (the bare loop: {(b['wall'] / b['operations']) / (a['wall'] / a['operations']):.2f})"

    def wall(result, name="quire"):
        found = result and named(result, name)
        return found["wall"] * 1000 if found else None

    def peak(result, name="quire"):
        found = result and named(result, name)
        return found["peak_bytes"] / 1e6 if found else None

    # What Quire does alone, up to a million, is for the growth.
    counts = sorted({each["count"] for each in results if each["key"] == "W3" and len(each["contenders"]) > 1})
    most = counts[-1] if counts else None
    fill = find("W1")
    row("W1 fill: CPU beside the bare loop", quotient(fill, "Quire, one thread", field="cpu"), 1.15)
    both = quotient(fill, "bare, two threads")
    row("W1 fill: two threads beside the bare loop's one, wall", quotient(fill, "Quire, two threads"), 0.65,
        note=f" (the bare loop's two: {both:.2f})" if both else "")
    row("W2 read", quotient(find("W2"), "Quire"), 1.2)
    listing = find("W3")
    if listing:
        row(f"W3 list, {listing['count']:,} entries", wall(listing), 15, "ms")
        row(f"W3 list, {most:,} entries, beside a packed table", quotient(find("W3", most), "quire"), 1.5)
    row("W4 trim beside the unlinks", quotient(find("W4"), "Quire"), 1.2)
    row("W5 purge beside the unlinks", quotient(find("W5"), "Quire"), 1.2)
    row("W6 durable commit", quotient(find("W6"), "Quire"), 1.1)
    single, grouped = find("W6"), find("W6b")
    if single and grouped:
        a, b = named(single, "Quire"), named(grouped, "Quire")
        if a and b:
            row("W6 one of 16 together, beside one alone", (b["wall"] / b["operations"]) / (a["wall"] / a["operations"]), 0.125,
                note=bare_too(single, grouped))
    row("W7 moves one by one", quotient(find("W7"), "Quire"), 1.1)
    single, grouped = find("W7"), find("W7b")
    if single and grouped:
        a, b = named(single, "Quire"), named(grouped, "Quire")
        if a and b:
            row("W7 a move in a group, beside one alone", (b["wall"] / b["operations"]) / (a["wall"] / a["operations"]), 0.125,
                note=bare_too(single, grouped))
    one = find("W8")
    if one:
        row(f"W8 one document, {one['count']:,} entries", wall(one), 6, "ms")
        row(f"W8 one document, {most:,} entries", wall(find("W8", most)), 6, "ms")
    row("W9 find in titles", wall(find("W9")), 15, "ms")
    row("W9q find in all texts, beside the scan", quotient(find("W9q"), "quire", "SQLite, scan"), 0.1)
    row("W10 sync beside the bare client", quotient(find("W10"), "quire", "bare-http"), 1.3)
    row("W11 pull beside the bare client", quotient(find("W11"), "quire", "bare-http"), 1.3)
    rows += hub_rows(hub_report)
    row("W13 snapshot save beside tar and gzip", quotient(find("W13"), "quire", "tar, gzip"), 2)
    if most:
        row(f"memory: status, {most:,} entries", peak(find("status", most)), 30, "MB")
        row(f"memory: list, {most:,} entries", peak(find("W3", most)), 30, "MB")
        row(f"memory: get, {most:,} entries", peak(find("W8", most)), 30, "MB")
    row("memory: sync", peak(find("W10")), 64, "MB")
    row("memory: pull", peak(find("W11")), 64, "MB")
    row("memory: snapshot save", peak(find("W13")), 64, "MB")
    row("memory: snapshot restore", peak(find("W13b")), 64, "MB")
    return rows


# MARK: Writing


def table_of(result):
    base = base_of(result)
    lines = [
        f"| {result['title']}: {result['count']:,} | ms | CPU ms | spread | ratio, wall | ratio, CPU | peak MB | disk MB | flushes |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for each in result["contenders"]:
        if each["wall"] is None:
            lines.append(f"| {shown(each['name'])} | not measured: {each['missing'].replace('|', '/')[:120]} | | | | | | | |")
            continue
        lines.append(
            f"| {shown(each['name'])} | {milliseconds(each['wall'])} | {milliseconds(each['cpu'])} "
            f"| {each['spread'] * 100:.0f} % | {ratio(each, base, 'wall')} "
            f"| {ratio(each, base, 'cpu')} | {megabytes(each['peak_bytes'])} "
            f"| {megabytes(each['disk_bytes'])} | {f'''{each['flushes']:.2f}''' if each['flushes'] >= 0 else '–'} |"
        )
    return lines


GROWING = {
    "W1": "fill", "W2": "read all", "W3": "list, a whole process", "W4": "trim the half", "W5": "purge the half",
    "W6": "50 durable commits beside so many", "W6b": "the same, 16 together",
    "W7": "50 tests through three states beside so many",
    "W8": "one document, a whole process", "W9": "a word in all titles", "W9q": "a word in all texts",
    "status": "of the whole, a whole process", "W10": "send so many", "W11": "pull so many",
}


def growth(results):
    """Exponents of wall time by the number of entries, by least squares over their logarithms."""
    lines = ["| workload | entries | ms | exponent |", "| --- | --- | --- | ---: |"]
    for key, words in GROWING.items():
        for name in ("Quire, two threads", "Quire", "quire"):
            # What goes over HTTP is of the same kind of documents in the table above.
            points = {each["count"]: named(each, name)["wall"] for each in results[::-1]
                      if each["key"] == key and (each.get("growth") or key in ("W10", "W11", "status")) and named(each, name)}
            points = sorted(points.items())
            if len(points) < 2:
                continue
            xs, ys = [math.log(x) for x, _ in points], [math.log(y) for _, y in points]
            mx, my = statistics.mean(xs), statistics.mean(ys)
            exponent = sum((x - mx) * (y - my) for x, y in zip(xs, ys)) / sum((x - mx) ** 2 for x in xs)
            lines.append(
                f"| {key} {words} | {' / '.join(f'{x:,}' for x, _ in points)} "
                f"| {' / '.join(milliseconds(y) for _, y in points)} | {exponent:.2f} |"
            )
    return lines


def write(measured, path, prose_path):
    """Fills `{{…}}` in the prose with what was measured."""
    results = measured["results"]
    charts = os.path.join(os.path.dirname(os.path.abspath(path)), "benchmarks")
    os.makedirs(charts, exist_ok=True)
    # Of each workload the first is the one of the table; those on small documents are for the growth.
    seen, main = set(), []
    for result in results:
        result["growth"] = result["key"] in seen or any(
            other["key"] == result["key"] and other is not result for other in results[results.index(result) + 1:])
        if result["key"] not in seen:
            main.append(result)
        seen.add(result["key"])
    firsts = {each["key"]: each for each in main}
    for result in results:
        # The large questionnaires of the main table are another corpus than the small ones.
        result["growth"] = result is not firsts.get(result["key"])
    with open(prose_path, encoding="utf-8") as file:
        text = file.read()
    text = text.replace("{{date}}", measured["date"]).replace("{{machine}}", measured["machine"])
    text = text.replace("{{minutes}}", f"{measured['seconds'] / 60:.0f}")
    text = text.replace("{{quick}}", " It was a quick run (`QUICK=1`), on fewer documents." if measured["quick"] else "")
    absent = [f"{name.strip(',:')} ({why})" for name, why in sorted(measured["missing"].items()) if not name.endswith((",", ":"))]
    text = text.replace("{{missing}}", "Not on this machine: " + "; ".join(absent) + "." if absent else "No peer was missing.")
    rows = ["| what | measured | asked for | |", "| --- | ---: | ---: | --- |"]
    hub_report = os.path.join(os.path.dirname(os.path.abspath(path)), "benchmarks-hub.md")
    rows += [f"| {' | '.join(row)} |" for row in targets(results, hub_report)]
    text = text.replace("{{targets}}", "\n".join(rows))
    text = text.replace("{{growth}}", "\n".join(growth(results)))
    for key in ("W1", "W2", "W3", "W4", "W5", "W6", "W6b", "W7", "W7b", "W8", "W9", "W9q", "W10", "W11", "W11b", "W13", "W13b"):
        marker = "{{" + key + "}}"
        result = firsts.get(key)
        if not result:
            text = text.replace(marker, "Not measured in this run.")
            continue
        name = f"{key.lower()}.svg"
        with open(os.path.join(charts, name), "w", encoding="utf-8") as file:
            file.write(chart.bars(result["title"], [
                (shown(each["name"]), each["wall"] * 1000, each["name"].lower().startswith("quire"))
                for each in result["contenders"] if each["wall"] is not None]))
        text = text.replace(marker, "\n".join([*table_of(result), "", f"![{result['title']}](benchmarks/{name})"]))
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
