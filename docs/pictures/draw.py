#!/usr/bin/env python3
"""Draws the pictures of the book into docs/src/images: diagrams from the descriptions below, terminals from the .txt files beside it.

Usage: docs/pictures/draw.py. Needs Python 3.9 and nothing else. Each picture has its own background, so that it is legible in a light and in
a dark page.
"""
from html import escape
from pathlib import Path

HERE = Path(__file__).resolve().parent
IMAGES = HERE.parent / "src" / "images"
SANS = "-apple-system, 'Segoe UI', Helvetica, Arial, sans-serif"
MONO = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
INK, LINE, PAPER = "#1f2328", "#57606a", "#ffffff"
FILLS = {"plain": "#f6f8fa", "you": "#ddf4ff", "sdk": "#dafbe1", "stop": "#ffebe9", "warn": "#fff8c5"}


class Picture:
    """Boxes and arrows on a grid of pixels."""

    def __init__(self, width, height, title):
        self.width, self.height, self.title = width, height, title
        self.parts = []

    def words(self, x, y, text, size=13, anchor="middle", weight="normal", mono=False, fill=INK):
        family = f' font-family="{MONO}"' if mono else ""
        self.parts.append(
            f'<text x="{x}" y="{y}" font-size="{size}" text-anchor="{anchor}" font-weight="{weight}" fill="{fill}"{family}>{escape(text)}</text>'
        )

    def box(self, x, y, width, height, lines, fill="plain", mono=False):
        self.parts.append(
            f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" fill="{FILLS[fill]}" stroke="{LINE}"/>'
        )
        top = y + height / 2 - (len(lines) - 1) * 8.5 + 4.5
        for at, line in enumerate(lines):
            self.words(x + width / 2, top + at * 17, line, 13 if at == 0 else 12, "middle", "bold" if at == 0 else "normal", mono and at > 0)

    def arrow(self, points, label="", dash=False, at=None, color=LINE):
        path = " ".join(f"{x},{y}" for x, y in points)
        dashes = ' stroke-dasharray="5 4"' if dash else ""
        self.parts.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="1.5" marker-end="url(#head)"{dashes}/>')
        if label:
            (x1, y1), (x2, y2) = points[0], points[-1]
            x, y = at or ((x1 + x2) / 2, (y1 + y2) / 2 - 6)
            self.words(x, y, label, 11.5, fill=LINE)

    def write(self, name):
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" width="{self.width}" height="{self.height}" role="img">\n'
            f"<title>{escape(self.title)}</title>\n"
            f'<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="{LINE}"/></marker></defs>\n'
            f'<rect x="0.5" y="0.5" width="{self.width - 1}" height="{self.height - 1}" rx="8" fill="{PAPER}" stroke="#d0d7de"/>\n'
            f'<g font-family="{SANS}">\n'
        )
        (IMAGES / name).write_text(head + "\n".join(self.parts) + "\n</g></svg>\n")


def text_way():
    p = Picture(860, 190, "A text's way: attribute, binary, the client's hook file, the client, the request to the model")
    steps = [
        ("you", ["Your source", "#[lifecycle::hook]", "after_commit.md"], "cargo build"),
        ("you", ["Your binary", "text is checked", "and embedded"], "hooks install"),
        ("plain", ["Client's hook file", "settings.json", "hooks.json …"], "event"),
        ("sdk", ["hooks fire", "matches, adds", "the sender's name"], "answer"),
        ("sdk", ["Request to the model", "“You just", "committed …”"], ""),
    ]
    for at, (fill, lines, label) in enumerate(steps):
        x = 16 + at * 170
        p.box(x, 50, 130 if at < 4 else 148, 74, lines, fill)
        if label:
            p.arrow([(x + 130, 87), (x + 169, 87)])
            p.words(x + 150, 42, label, 11.5, fill=LINE)
    p.arrow([(770, 126), (770, 158), (80, 158), (80, 127)], "cargo hooks prove: the installed client with a stand-in for its model", True, (425, 152))
    p.write("text-way.svg")


def routes():
    p = Picture(860, 330, "How a text reaches the model, by client")
    p.box(16, 130, 130, 70, ["A hook's text", "in your server"], "you")
    rows = [
        ("client with installed hooks", "hooks fire: at each event", "beside the agent's input"),
        ("client with SEP-2282", "declarations in the handshake", "the client fires them"),
        ("any other MCP client", "instructions; results of tools; prompts", "read like a server's text"),
        ("MCPL host", "context/beforeInference; push/event", "before or in an inference"),
    ]
    for at, (client, how, where) in enumerate(rows):
        y = 16 + at * 78
        p.box(230, y, 230, 60, [client], "plain")
        p.box(500, y, 344, 60, [how, where], "sdk")
        p.arrow([(147, 165), (188, 165), (188, y + 30), (229, y + 30)])
        p.arrow([(461, y + 30), (499, y + 30)])
    p.write("routes.svg")


def call():
    p = Picture(860, 300, "A call's way through the middleware")
    before = ["Log", "Lists", "Session gate", "Plugin hooks", "Guardian", "MCPL", "Recheck"]
    after = ["MCPL", "Lists", "Plugin hooks", "Guardian", "Session", "Guidance", "Log"]
    p.words(16, 24, "before your tool: each may refuse, change, or ask", 12, "start", fill=LINE)
    for at, name in enumerate(before):
        x = 16 + at * 118
        p.box(x, 36, 104, 44, [name], "sdk")
        if at:
            p.arrow([(x - 14, 58), (x - 1, 58)])
    p.box(366, 122, 130, 48, ["Your tool"], "you")
    p.arrow([(776, 81), (776, 146), (498, 146)])
    p.words(640, 139, "the call", 11.5, fill=LINE)
    p.words(84, 206, "after your tool: each may withhold, change, or add", 12, "start", fill=LINE)
    for at, name in enumerate(after):
        x = 16 + at * 118
        p.box(x, 218, 104, 44, [name], "sdk")
        if at:
            p.arrow([(x - 14, 240), (x - 1, 240)])
    p.arrow([(366, 146), (68, 146), (68, 217)])
    p.words(220, 139, "the result", 11.5, fill=LINE)
    p.arrow([(430, 81), (430, 108)], color="#cf222e")
    p.words(430, 117, "a refusal skips the tool, and goes back", 11.5, fill="#cf222e")
    p.write("call.svg")


def session():
    p = Picture(860, 250, "The life of a session")
    p.box(30, 80, 150, 60, ["New", "start state"], "plain")
    p.box(300, 80, 150, 60, ["Ready", "tools are open"], "sdk")
    p.box(570, 80, 150, 60, ["Working", "a later state"], "sdk")
    p.arrow([(181, 104), (299, 104)], "session_init succeeds")
    p.arrow([(451, 104), (569, 104)], "check_reports")
    p.arrow([(645, 141), (645, 190), (105, 190), (105, 142)], "a reset, or no call for 24 hours: the next call finds the start state", at=(375, 184))
    p.arrow([(70, 79), (70, 44), (140, 44), (140, 78)], "another tool: refused, and the refusal names session_init", at=(215, 36), color="#cf222e")
    p.words(645, 66, "each step is written to the store", 11.5, fill=LINE)
    p.words(430, 228, "A session is found by its handle, the client's own id, or the connection.", 12, fill=LINE)
    p.write("session.svg")


def failures():
    p = Picture(860, 370, "What happens when something fails: what lets a call pass, and what refuses it")
    p.words(16, 26, "fails", 12, "start", "bold")
    p.words(330, 26, "the call or the event", 12, "start", "bold")
    rows = [
        ("a text's function, or a context tool", "goes on without the text", "sdk"),
        ("the client's hook program is missing", "goes on; one sentence at the session's start reports it", "sdk"),
        ("a plugin hook: error, panic, deadline", "is refused; with posture = proceed it goes on", "stop"),
        ("the guardian is unreachable", "is refused or goes on: you choose with posture", "warn"),
        ("a gate: error, panic, deadline, no program", "is refused or goes on: you choose with posture", "warn"),
        ("the store of sessions", "is refused if a state could refuse the tool; try again", "stop"),
        ("the decision log, with Posture::Deny", "is refused before anything else", "stop"),
        ("your tool panics, or hangs", "is answered with an error; the session does not move", "warn"),
    ]
    for at, (what, then, fill) in enumerate(rows):
        y = 38 + at * 40
        p.box(16, y, 270, 32, [""], "plain")
        p.words(26, y + 21, what, 12, "start")
        p.box(330, y, 514, 32, [""], fill)
        p.words(342, y + 21, then, 12, "start")
        p.arrow([(287, y + 16), (328, y + 16)])
    p.write("failures.svg")


def protocols():
    p = Picture(860, 300, "Which protocol for which task")
    rows = [
        ("The client's own events: a shell command, a prompt, the session", "lifecycle", "text or function at six events"),
        ("This server's own tools, with a level from MUST to MAY", "guidance", "texts composed into one page"),
        ("A rule that must hold, whatever the agent does", "session, plugin", "refuse, change, ask"),
        ("An external policy decides about each step", "aos", "be guarded, or be a guardian"),
        ("The host asks before each inference, or receives events", "mcpl", "context, push, channels"),
    ]
    for at, (task, module, gives) in enumerate(rows):
        y = 18 + at * 55
        p.box(16, y, 430, 42, [""], "plain")
        p.words(28, y + 26, task, 12.5, "start")
        p.box(500, y, 344, 42, [module, gives], "sdk")
        p.arrow([(447, y + 21), (498, y + 21)])
    p.write("protocols.svg")


def replicas():
    p = Picture(860, 280, "Replicas behind a proxy, with one store")
    p.box(16, 100, 120, 60, ["Clients"], "plain")
    p.box(200, 100, 130, 60, ["Proxy", "TLS, login", ], "plain")
    for at in range(3):
        y = 24 + at * 84
        p.box(420, y, 150, 60, [f"Replica {at + 1}", "your server"], "you")
        p.arrow([(331, 130), (375, 130), (375, y + 30), (419, y + 30)])
        p.arrow([(571, y + 30), (620, y + 30), (620, 130), (669, 130)])
    p.arrow([(137, 130), (199, 130)])
    p.box(670, 90, 174, 80, ["Redis or PostgreSQL", "sessions, events,", "forwarded answers"], "sdk")
    p.words(265, 190, "any replica may receive any request", 11.5, fill=LINE)
    p.write("replicas.svg")


def costs():
    p = Picture(860, 290, "Round trip of a call over stdio: rmcp and hooks-sdk")
    rows = [("small call", 98, 54, "µs"), ("10 kB", 187, 91, "µs"), ("200 kB", 1646, 695, "µs"), ("stripped binary", 3.3, 6.0, "MiB"), ("cold debug build", 62, 87, "s of CPU")]
    p.words(16, 26, "rmcp, stdio() (grey) and hooks-sdk (green); shorter is better; each pair has its own scale", 12, "start", fill=LINE)
    for at, (name, bare, ours, unit) in enumerate(rows):
        y = 44 + at * 48
        p.words(150, y + 22, name, 12.5, "end")
        scale = 480 / max(bare, ours)
        for row, (value, fill) in enumerate(((bare, "#afb8c1"), (ours, "#4ac26b"))):
            p.parts.append(f'<rect x="166" y="{y + row * 18}" width="{value * scale:.0f}" height="14" rx="3" fill="{fill}"/>')
            p.words(174 + value * scale, y + 11 + row * 18, f"{value} {unit}", 11.5, "start")
    p.write("costs.svg")


COLORS = [("$ ", "#ffffff"), ("error", "#f48771"), ("FOUND", "#f48771"), ("reached", "#89d185"), ("help:", "#75beff"), ("next:", "#75beff"), ("note:", "#cca700")]


def terminal(source):
    lines = source.read_text().rstrip("\n").split("\n")
    title, lines = lines[0].lstrip("# "), lines[1:]
    width = 28 + max(len(line) for line in lines) * 7.3
    height = 20 + len(lines) * 17 + 8
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" height="{height}" role="img">',
        f"<title>{escape(title)}</title>",
        '<rect width="100%" height="100%" rx="8" fill="#1e1e1e" stroke="#57606a"/>',
        f'<g font-family="{MONO}" font-size="12" fill="#d4d4d4">',
    ]
    for at, line in enumerate(lines):
        words = line.lstrip(" ")
        if not words:
            continue
        x = 14 + (len(line) - len(words)) * 7.2
        fill = next((color for mark, color in COLORS if (words.startswith(mark) if mark in ("$ ", "error", "help:", "next:", "note:") else mark in words)), None)
        # A run of spaces would be drawn as one.
        shown = escape(words).replace("  ", "\u00a0\u00a0")
        paint = f' fill="{fill}"' if fill else ""
        out.append(f'<text x="{x:.0f}" y="{26 + at * 17}" textLength="{len(words) * 7.2:.0f}"{paint}>{shown}</text>')
    (IMAGES / source.with_suffix(".svg").name).write_text("\n".join(out) + "\n</g></svg>\n")


for draw in (text_way, routes, call, session, failures, protocols, replicas, costs):
    draw()
for each in sorted(HERE.glob("*.txt")):
    terminal(each)
