"""Draws the curves of `benches/all` as pictures, legible on light and on dark. usage: curves.py growth.tsv FOLDER

Each line of the file is a point: the name of its curve, how many there are, and microseconds a call.
"""

import collections
import math
import sys

# What the names of the curves say to a reader, and whether their counts grow tenfold.
CURVES = {
    "hooks": ("plugin hooks before the tool", False),
    "rules": ("rules with a condition on an argument", False),
    "sessions": ("open sessions of one client", True),
    "replicas": ("replicas that serve one session in turn", False),
    "memories": ("memories among which a host's question searches", True),
}
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 560, 300, 64, 32, 40, 48
STYLE = """
<style>
  text { font: 12px system-ui, sans-serif; fill: #1f2328 }
  .title { font-size: 14px; font-weight: 600 }
  .axis { stroke: #59636e; stroke-width: 1 }
  .grid { stroke: #d1d9e0; stroke-width: 1 }
  .curve { stroke: #0969da; stroke-width: 2; fill: none }
  .point { fill: #0969da }
  .back { fill: #ffffff }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc }
    .axis { stroke: #9198a1 }
    .grid { stroke: #3d444d }
    .curve { stroke: #4493f8 }
    .point { fill: #4493f8 }
    .back { fill: #0d1117 }
  }
</style>"""


def ticks(top):
    """Round values from zero up to at least `top`."""
    step = 10 ** math.floor(math.log10(top / 4))
    step *= next(factor for factor in (1, 2, 5, 10) if top / (step * factor) <= 5)
    return [step * at for at in range(math.ceil(top / step) + 1)]


def shown(value):
    return f"{value:,.0f}" if value >= 10 or value == int(value) else f"{value:g}"


def picture(name, points):
    what, is_log = CURVES.get(name, (name, False))
    counts = [count for count, _ in points]
    place = (lambda count: math.log10(max(count, 1))) if is_log else float
    low, high = place(min(counts)), place(max(counts))
    values = ticks(max(micros for _, micros in points))
    x = lambda count: LEFT + (place(count) - low) / ((high - low) or 1) * (WIDTH - LEFT - RIGHT)
    y = lambda micros: HEIGHT - BOTTOM - micros / values[-1] * (HEIGHT - TOP - BOTTOM)
    title = f"Microseconds a call, by the number of {what}"
    said = "; ".join(f"{count:,}: {micros:.1f}" for count, micros in points)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img">',
        f"<title>{title}</title>",
        f"<desc>{said}</desc>",
        STYLE,
        f'<rect class="back" width="{WIDTH}" height="{HEIGHT}" rx="6"/>',
        f'<text class="title" x="{LEFT}" y="24">Microseconds a call</text>',
    ]
    for value in values:
        lines.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(value):.1f}" y2="{y(value):.1f}"/>')
        lines.append(f'<text x="{LEFT - 8}" y="{y(value) + 4:.1f}" text-anchor="end">{shown(value)}</text>')
    lines.append(f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(0):.1f}" y2="{y(0):.1f}"/>')
    last = -100.0
    for count in counts:
        # Numbers that would stand upon each other are left out.
        if x(count) - last >= 30:
            last = x(count)
            lines.append(f'<text x="{last:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{count:,}</text>')
    lines.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 10}" text-anchor="middle">{what}</text>')
    path = " ".join(f"{x(count):.1f},{y(micros):.1f}" for count, micros in points)
    lines.append(f'<polyline class="curve" points="{path}"/>')
    for count, micros in points:
        lines.append(f'<circle class="point" cx="{x(count):.1f}" cy="{y(micros):.1f}" r="3.5"/>')
    lines.append("</svg>")
    return "\n".join(lines) + "\n"


def main(file, folder):
    curves = collections.defaultdict(list)
    for line in open(file):
        name, count, micros = line.rstrip().split("\t")
        curves[name].append((int(count), float(micros)))
    for name, points in curves.items():
        with open(f"{folder}/growth-{name}.svg", "w") as picture_file:
            picture_file.write(picture(name, sorted(points)))


main(*sys.argv[1:])
