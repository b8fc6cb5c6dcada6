"""Diagrams with logarithmic axes, as SVG text: one curve a code."""
import math

COLOURS = ["#0b62a4", "#c43b1d", "#2a8a3e", "#8a4fb0", "#b8860b", "#4d4d4d", "#0aa6a6", "#d6558f"]
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 400, 70, 190, 40, 50


def _decades(values):
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


def _axis(ticks, place, vertical):
    """Grid lines and labels at the decades."""
    parts = []
    for k in ticks:
        at = place(10.0**k)
        if vertical:
            parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}" stroke="#ddd"/>'
                         f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">1e{k}</text>')
        else:
            parts.append(f'<line y1="{TOP}" y2="{HEIGHT - BOTTOM}" x1="{at:.1f}" x2="{at:.1f}" stroke="#ddd"/>'
                         f'<text x="{at:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">1e{k}</text>')
    return parts


def _curve(points, colour, x, y, dashed):
    line = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in points)
    style = ' stroke-dasharray="5 4"' if dashed else ""
    parts = [f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.6"{style}/>']
    if not dashed:
        parts += [f'<circle cx="{x(a):.1f}" cy="{y(b):.1f}" r="3" fill="{colour}"/>' for a, b in points]
    return parts


def loglog(title, labels, curves, dashed=()):
    """curves: {name: [(x, y), …]} of positive numbers; the names in `dashed` are drawn as lines without points."""
    curves = {n: sorted((a, b) for a, b in c if a > 0 and b > 0) for n, c in curves.items()}
    curves = {n: c for n, c in curves.items() if c}
    if not curves:
        return ""
    (x0, x1), (y0, y1) = (_decades([p[i] for c in curves.values() for p in c]) for i in (0, 1))

    def x(value):
        return LEFT + (math.log10(value) - x0) / (x1 - x0) * (WIDTH - LEFT - RIGHT)

    def y(value):
        return HEIGHT - BOTTOM - (math.log10(value) - y0) / (y1 - y0) * (HEIGHT - TOP - BOTTOM)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
             f'<text x="{LEFT}" y="24" font-size="14">{title}</text>']
    parts += _axis(range(x0, x1 + 1), x, False) + _axis(range(y0, y1 + 1), y, True)
    parts.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 12}" text-anchor="middle">{labels[0]}</text>')
    parts.append(f'<text transform="translate(16 {HEIGHT / 2}) rotate(-90)" text-anchor="middle">{labels[1]}</text>')
    for index, (name, points) in enumerate(curves.items()):
        colour = "#888" if name in dashed else COLOURS[index % len(COLOURS)]
        parts += _curve(points, colour, x, y, name in dashed)
        at = TOP + 12 + 18 * index
        parts.append(f'<line x1="{WIDTH - RIGHT + 10}" x2="{WIDTH - RIGHT + 30}" y1="{at - 4}" y2="{at - 4}" stroke="{colour}" '
                     f'stroke-width="2"/><text x="{WIDTH - RIGHT + 35}" y="{at}">{name}</text>')
    return "\n".join(parts) + "\n</svg>\n"
