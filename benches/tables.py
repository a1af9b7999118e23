"""Makes the tables of `benches/all` from the outputs of the benchmarks. usage: tables.py KIND FILE…"""

import os
import re
import statistics
import sys


def table(heads, rows):
    print("| " + " | ".join(heads) + " |")
    print("|" + "---|" * len(heads))
    for row in rows:
        print("| " + " | ".join(map(str, row)) + " |")


def calls(before, now):
    """Lines such as `now: NAME: bare rmcp 12µs, hooked 11µs, ratio 0.900`, several of each name."""

    def read(file):
        found = {}
        for line in open(file):
            name, bare, ours, ratio = re.match(r"\w+: (.*): bare rmcp (\S+), hooked (\S+), ratio (\S+)", line).groups()
            found.setdefault(name, []).append((float(ratio), bare, ours))
        return found

    old = read(before) if os.path.exists(before) else {}
    rows = []
    for name, runs in read(now).items():
        runs.sort()
        ratio, bare, ours = runs[len(runs) // 2]
        row = [name, bare, ours, f"{ratio:.2f}", f"{runs[0][0]:.2f} to {runs[-1][0]:.2f}"]
        if old:
            earlier = [ratio for ratio, *_ in old.get(name, [])]
            row.append(f"{statistics.median(earlier):.2f}" if earlier else "")
        rows.append(row)
    table(["server", "bare rmcp", "ours", "ratio", "all runs"] + ["ratio before"] * bool(old), rows)


def price(before, now):
    """Lines of a server, its allocations and its instructions."""

    def read(file):
        return {line.split("\t")[0]: list(map(int, line.split("\t")[1:])) for line in open(file)}

    old = read(before) if os.path.exists(before) else {}
    figures = read(now)
    bare = figures["bare"][1]
    rows = []
    for server, (allocations, instructions) in figures.items():
        row = [server, f"{instructions:,}", f"{instructions / bare:.2f}", allocations]
        if old:
            earlier = old.get(server)
            row += [f"{earlier[1]:,}", earlier[0], f"{instructions / earlier[1]:.3f}"] if earlier else ["", "", ""]
        rows.append(row)
    more = ["instructions before", "allocations before", "now to before"] * bool(old)
    table(["server", "instructions", "of bare rmcp", "allocations"] + more, rows)


def criterion(log):
    """The lines with figures: `NAME time: [low middle high]` of criterion, and the lines that the benchmarks print."""
    rows, name = [], ""
    for line in open(log):
        line = line.rstrip()
        timed = re.match(r"(\S.*?)?\s+time:\s+\[\S+ \S+ (\S+ \S+) \S+ \S+\]", line)
        if timed:
            rows.append([(timed[1] or name).strip(), timed[2]])
        elif line and not re.match(r"\s|Benchmarking|Gnuplot|Found|Warning|Testing|running|test |warning", line):
            name = line
            if re.search(r"\d", line) and not re.match(r"[\w/ ,.-]+$", line):
                rows.append([line, ""])
    table(["what", "median"], rows)


def retrieval(log, points):
    rows, curve = [], []
    for line in open(log):
        found = re.match(r"(\d+)\s+(\d+) words:\s+(\S+)\s+(\S+), (\d+) with", line)
        if not found:
            continue
        count, words, median, slowest, _ = found.groups()
        rows.append([f"{int(count):,}", words, median, slowest])
        if words == "15":
            number, unit = re.match(r"([\d.]+)(\D+)", median).groups()
            curve.append((count, float(number) * {"ns": 1e-3, "µs": 1, "ms": 1e3, "s": 1e6}[unit]))
    table(["memories", "words of the question", "median", "slowest"], rows)
    with open(points, "w") as file:
        for count, micros in curve:
            print("memories", count, f"{micros:.3f}", sep="\t", file=file)


def size(file):
    rows = [line.rstrip().split("\t") for line in open(file)]
    bare = int(rows[0][1])
    table(["server", "stripped binary", "ratio"], [[name, f"{int(of) / 1e6:.2f} MB", f"{int(of) / bare:.2f}"] for name, of in rows])


def growth(file):
    rows = [line.rstrip().split("\t") for line in open(file)]
    table(["with", "how many", "µs a call"], [[name, f"{int(count):,}", f"{float(micros):.1f}"] for name, count, micros in rows])


{"calls": calls, "price": price, "criterion": criterion, "retrieval": retrieval, "size": size, "growth": growth}[sys.argv[1]](*sys.argv[2:])
