"""Bar charts as SVG: readable in light and dark, without any library."""

from html import escape

WIDTH, ROW, LEFT, RIGHT = 720, 26, 220, 90

STYLE = """<style>
text { font: 13px system-ui, sans-serif; fill: #222 }
.title { font-weight: 600 }
.bar { fill: #9aa5b1 }
.ours { fill: #2f6f4f }
@media (prefers-color-scheme: dark) { text { fill: #e6e6e6 } .bar { fill: #6b7683 } .ours { fill: #57b389 } }
</style>"""


def bars(title, rows):
    """Horizontal bars of milliseconds, ours in another colour, on a scale that begins at zero."""
    height = 46 + ROW * len(rows)
    most = max(value for _, value, _ in rows)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'role="img" aria-label="{escape(title)}, milliseconds">',
        STYLE,
        f'<text class="title" x="8" y="22">{escape(title)}, milliseconds (less is better)</text>',
    ]
    for index, (name, value, is_ours) in enumerate(rows):
        top = 36 + index * ROW
        width = max(1.0, (WIDTH - LEFT - RIGHT) * value / most)
        parts.append(f'<text x="{LEFT - 8}" y="{top + 15}" text-anchor="end">{escape(name)}</text>')
        parts.append(
            f'<rect class="{"ours" if is_ours else "bar"}" x="{LEFT}" y="{top + 2}" width="{width:.1f}" '
            f'height="{ROW - 8}" rx="2"/>'
        )
        label = f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"
        parts.append(f'<text x="{LEFT + width + 6:.1f}" y="{top + 15}">{label}</text>')
    return "\n".join([*parts, "</svg>", ""])
