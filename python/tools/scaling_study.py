"""Measures how the quantities of the theory grow, and draws docs/pictures/scaling.svg: what docs/theory.md shows.

    scaling_study.py --alder PROGRAM --data DIR

measures with `alder diagnose` and `alder regret` on made-up streams with known decay and on the data sets in DIR,
writes docs/results/scaling.jsonl, a line for every measurement with the command that made it, draws the picture and
prints the tables. With --draw it only draws and prints from the results that are there. Needs plotly, selenium, and Debian's
chromium and chromium-driver.
"""
import argparse
import json
import lzma
import math
import pathlib
import random
import shlex
import subprocess
import sys
import tempfile

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from picture import as_svg

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULTS = ROOT / "docs" / "results" / "scaling.jsonl"
PICTURE = ROOT / "docs" / "pictures" / "scaling.svg"

SIGMAS = (0.25, 0.5, 1.0)
ZETAS = (0.125, 0.25)
ROWS = [2 ** power for power in range(8, 17)]
#: Kernel widths of the paper for its data sets, and how they are scaled.
SETS = {"mushrooms": ("2", "none"), "a9a": ("4", "none"), "w8a": ("4", "none"), "mnist12": ("4", "none"),
        "magic04": ("0.5", "minmax"), "ijcnn1": ("4", "none"), "SUSY": ("4", "none")}
STREAMS = {"rings": "0.5", "blobs": "2", "checkerboard": "0.1"}
NOISE = 0.2
BLUE, GREEN, ORANGE, VERMILION, GREY = "#0072B2", "#009E73", "#E69F00", "#D55E00", "#8A8F98"


def known_exponential(sigma):
    """The Gaussian kernel under x ~ N(0, 1) has λ_i/T = (R0/T)·r^i exactly, in the limit of many rows: (r, R0/T)."""
    a, b = 1 / 4, 1 / (2 * sigma * sigma)
    whole = a + b + math.sqrt(a * a + 2 * a * b)
    return b / whole, math.sqrt(2 * a / whole) * whole / b


#: The Laplacian kernel exp(−β|x−z|), β = 2, under x uniform on [0, 1] has λ_i/T = 2β/(β² + ω²) with ω between (i−1)π
#: and iπ: at most (R0/T)·i^−2 with this R0/T.
KNOWN_P, KNOWN_R0 = 2.0, max(i * i * 4 / (4 + ((i - 1) * math.pi) ** 2) for i in range(1, 100))


def promise_exponential(line):
    """Theorem 1 with the known decay."""
    r, constant = known_exponential(line["sigma"])
    return 2 * math.log(constant * line["rows"] / line["ald_error"]) / -math.log(r)


def promise_polynomial(line):
    return math.e * (KNOWN_R0 * line["rows"] / line["ald_error"]) ** (1 / KNOWN_P)


def write_stream(path, rows, draw, rule, seed=1):
    """A row of one feature on each line, one label in five wrong."""
    chance = random.Random(seed)
    with open(path, "w", encoding="ascii") as file:
        for _ in range(rows):
            x = draw(chance)
            label = 1 if (rule(x) >= 0) != (chance.random() < NOISE) else -1
            file.write(f"{label:+d} 1:{x:.9g}\n")


def write_sample(path, target, rows=8192, seed=1):
    """So many rows of a data set, in a random order: files may be sorted by class."""
    with lzma.open(path, "rt") as file:
        lines = file.readlines()
    random.Random(seed).shuffle(lines)
    target.write_text("".join(lines[:rows]), encoding="ascii")


class Measurement:
    """Runs the program and keeps a line of every result."""

    def __init__(self, alder, folder):
        self.alder, self.folder, self.lines = alder, folder, []

    def run(self, *words):
        print("alder", shlex.join(words), file=sys.stderr, flush=True)
        done = subprocess.run([self.alder, *words, "--json", "--quiet"], cwd=self.folder, text=True,
                              stdout=subprocess.PIPE, check=True)
        return json.loads(done.stdout)

    def add(self, kind, words, **fields):
        command = "alder " + shlex.join([pathlib.Path(word).name if "/" in word else word for word in words])
        self.lines.append({"kind": kind, "command": command, **fields})


def measure_budgets(study):
    for sigma in SIGMAS:
        for rows in ROWS:
            words = ["diagnose", "normal.txt", "--sigma", str(sigma), "--zeta", "0.5", "--ald", "1", "--limit", str(rows),
                     "--most", "3000"]
            found = study.run(*words)["kernels"][0]
            study.add("exponential", words, sigma=sigma, known=known_exponential(sigma)[0], rows=rows,
                      **of_diagnosis(found))
    for zeta in ZETAS:
        for rows in ROWS:
            words = ["diagnose", "uniform.txt", "--kernel", "laplacian", "--sigma", "0.5", "--zeta", str(zeta), "--ald",
                     "1", "--limit", str(rows), "--most", "3000"]
            found = study.run(*words)["kernels"][0]
            study.add("polynomial", words, zeta=zeta, known=KNOWN_P, rows=rows, **of_diagnosis(found))


def of_diagnosis(found):
    decay = found["decay"] or {}
    return {"alignment": found["alignment"], "sum_delta": found["run"]["sum_delta"],
            "mistake_rate": found["run"]["mistake_rate"], "support": found["phase_one"]["support_vectors"],
            "given_up": found["phase_one"]["switch_round"], "promised": found["budget_promised"],
            "law": decay.get("law"), "rate": decay.get("r", decay.get("p")), "ald_error": found["ald_error"],
            "unseen": found["eigenvalues"]["unseen"] / found["eigenvalues"]["trace"], "trace": found["trace"]}


def measure_sets(study, data):
    for name, (sigma, scale) in SETS.items():
        path = pathlib.Path(data, f"{name}.libsvm.xz")
        if not path.exists():
            print(f"scaling_study: {path} is not there; left out", file=sys.stderr)
            continue
        widths = ",".join(f"{float(sigma) * factor:g}" for factor in (0.25, 1, 4))
        words = ["diagnose", str(path), "--sigma", widths, "--scale", scale, "--shuffle"]
        for found in study.run(*words)["kernels"]:
            study.add("set", words, data=name, sigma=found["sigma"], rows=found["run"]["rounds"], **of_diagnosis(found))
        write_sample(path, pathlib.Path(study.folder, f"{name}-8192.txt"))
        add_regret(study, ["regret", f"{name}-8192.txt", "--sigma", sigma, "--scale", scale, "--theorem"], name,
                   float(sigma))


def measure_streams(study):
    for name, sigma in STREAMS.items():
        subprocess.run([study.alder, "generate", name, "-n", "8192", "-o", f"{name}.txt"], cwd=study.folder, check=True)
        add_regret(study, ["regret", f"{name}.txt", "--sigma", sigma, "--theorem"], name, float(sigma))
    add_regret(study, ["regret", "normal.txt", "--sigma", "0.5", "--theorem", "--limit", "2048"], "normal", 0.5)


def add_regret(study, words, name, sigma):
    for point in study.run(*words)["regret"]:
        if point["regret"] is None or point["rows"] < 64:
            continue
        kept = ("rows", "loss", "best_loss", "regret", "sum_delta", "alignment", "delta_bound", "alignment_bound")
        study.add("regret", words, data=name, sigma=sigma, **{field: point[field] for field in kept})


def measure(alder, data):
    with tempfile.TemporaryDirectory() as folder:
        study = Measurement(pathlib.Path(alder).resolve(), folder)
        write_stream(pathlib.Path(folder, "normal.txt"), ROWS[-1], lambda chance: chance.gauss(0, 1),
                     lambda x: math.sin(2 * x))
        write_stream(pathlib.Path(folder, "uniform.txt"), ROWS[-1], lambda chance: chance.random(),
                     lambda x: math.sin(4 * math.pi * x))
        measure_budgets(study)
        measure_streams(study)
        measure_sets(study, pathlib.Path(data).resolve())
        RESULTS.write_text("".join(json.dumps(line) + "\n" for line in study.lines), encoding="utf-8")


def draw(lines):
    """Six panels."""
    titles = ["<b>Exponential decay</b>: |S| against ln T",
              "<b>Polynomial decay</b>: |S| against T<sup>1/p</sup>, p = 2",
              "<b>Σδ against A<sub>T</sub></b>", "<b>Regret against √A<sub>T</sub></b>", "<b>Regret against √T</b>",
              "<b>Regret over what Theorem 2 allows</b>"]
    figure = make_subplots(rows=2, cols=3, subplot_titles=titles, horizontal_spacing=0.075, vertical_spacing=0.17)
    draw_exponential(figure, lines)
    draw_polynomial(figure, lines)
    draw_deltas(figure, lines)
    draw_regrets(figure, lines)
    figure.update_xaxes(gridcolor="#e6e8eb", linecolor="#d8dce2", showline=True, zeroline=False,
                        title={"standoff": 6, "font": {"size": 12}})
    figure.update_yaxes(gridcolor="#e6e8eb", linecolor="#d8dce2", showline=True, zeroline=False,
                        title={"standoff": 4, "font": {"size": 12}})
    for annotation in figure.layout.annotations[:6]:
        annotation.update(font={"size": 13.5}, yshift=4)
    figure.update_layout(width=1180, height=760, showlegend=False, paper_bgcolor="white", plot_bgcolor="white",
                         margin={"l": 56, "r": 16, "t": 40, "b": 48},
                         font={"family": "system-ui, 'Segoe UI', Roboto, Arial, sans-serif", "size": 12,
                               "color": "#1f2328"})
    return figure


def note(figure, row, col, x, y, text, colour, log=False, **placing):
    figure.add_annotation(x=math.log10(x) if log else x, y=math.log10(y) if log else y, text=text, row=row, col=col,
                          showarrow=False, font={"size": 11, "color": colour}, **{"xanchor": "left", **placing})


def draw_exponential(figure, lines):
    for sigma, colour in zip(SIGMAS, (VERMILION, ORANGE, BLUE)):
        points = [line for line in lines if line["kind"] == "exponential" and line["sigma"] == sigma]
        x = [math.log(point["rows"]) for point in points]
        figure.add_scatter(x=x, y=[point["support"] for point in points], mode="lines+markers", row=1, col=1,
                           line={"color": colour, "width": 2}, marker={"size": 6})
        figure.add_scatter(x=x, y=[promise_exponential(point) for point in points], mode="lines", row=1, col=1,
                           line={"color": colour, "width": 1.2, "dash": "dot"})
        note(figure, 1, 1, x[-1], points[-1]["support"], f"r = {points[-1]['known']:.2f}", colour, xanchor="right",
             yshift=9)
    figure.update_xaxes(title={"text": "ln T"}, row=1, col=1)
    figure.update_yaxes(title={"text": "rows stored (dotted: Theorem 1)"}, rangemode="tozero", row=1, col=1)


def draw_polynomial(figure, lines):
    for zeta, colour in zip(ZETAS, (GREEN, BLUE)):
        points = [line for line in lines if line["kind"] == "polynomial" and line["zeta"] == zeta]
        x = [point["rows"] ** (1 / KNOWN_P) for point in points]
        figure.add_scatter(x=x, y=[point["support"] for point in points], mode="lines+markers", row=1, col=2,
                           line={"color": colour, "width": 2}, marker={"size": 6})
        figure.add_scatter(x=x, y=[promise_polynomial(point) for point in points], mode="lines", row=1, col=2,
                           line={"color": colour, "width": 1.2, "dash": "dot"})
        note(figure, 1, 2, x[-1], points[-1]["support"], f"ζ = 1/{1 / zeta:.0f}", colour, log=True, xanchor="right",
             yshift=10)
    figure.update_xaxes(title={"text": "T<sup>1/p</sup>"}, type="log", row=1, col=2, tickvals=[20, 50, 100, 200])
    figure.update_yaxes(title={"text": "rows stored (dotted: Theorem 1)"}, type="log", row=1, col=2,
                        tickvals=[10, 100, 1000, 10000], ticktext=["10", "100", "1,000", "10,000"])


def draw_deltas(figure, lines):
    kinds = (("set", VERMILION, "square", "data sets"), ("exponential", ORANGE, "circle", "Gaussian, x normal"),
             ("polynomial", GREEN, "diamond", "Laplacian, x uniform"))
    for kind, colour, symbol, name in kinds:
        points = [line for line in lines if line["kind"] == kind]
        figure.add_scatter(x=[point["alignment"] for point in points], y=[point["sum_delta"] for point in points],
                           mode="markers", row=1, col=3, marker={"color": colour, "symbol": symbol, "size": 6.5})
        place = {"set": (1500, 60), "exponential": (900, 250), "polynomial": (200, 20000)}[kind]
        note(figure, 1, 3, *place, name, colour, log=True)
    ends = [min(line["alignment"] for line in lines if "alignment" in line), 6e4]
    figure.add_scatter(x=ends, y=[4 * end + 8 for end in ends], mode="lines", row=1, col=3,
                       line={"color": GREY, "width": 1.4, "dash": "dot"})
    note(figure, 1, 3, 700, 4 * 700, "4 A<sub>T</sub> + 8", GREY, log=True, xanchor="right", yshift=10)
    ticks = {"tickvals": [10, 100, 1000, 10000, 100000], "ticktext": ["10", "100", "1,000", "10,000", "100,000"]}
    figure.update_xaxes(title={"text": "A<sub>T</sub>"}, type="log", row=1, col=3, **ticks)
    figure.update_yaxes(title={"text": "Σδ"}, type="log", row=1, col=3, **ticks)


def draw_regrets(figure, lines):
    names = list(dict.fromkeys(line["data"] for line in lines if line["kind"] == "regret"))
    palette = [VERMILION, BLUE, GREEN, ORANGE, "#CC79A7", "#56B4E9", "#7A5195", "#444B54", "#A0522D", "#6B8E23", GREY]
    colours = dict(zip(names, palette))
    last = {}
    for name, colour in colours.items():
        points = [line for line in lines if line["kind"] == "regret" and line["data"] == name and line["regret"] > 0]
        columns = ((1, [math.sqrt(point["alignment"]) for point in points], [point["regret"] for point in points]),
                   (2, [math.sqrt(point["rows"]) for point in points], [point["regret"] for point in points]),
                   (3, [point["rows"] for point in points],
                    [point["regret"] / point["delta_bound"] for point in points]))
        for col, x, y in columns:
            figure.add_scatter(x=x, y=y, mode="lines+markers", row=2, col=col, line={"color": colour, "width": 1.8},
                               marker={"size": 5})
        last[name] = points[-1]["regret"]
    place = -math.inf  # names from the lowest line up, with room between them
    for name in sorted(last, key=last.get):
        place = max(place + 0.135, math.log10(last[name]))
        note(figure, 2, 2, 97, 10 ** place, name, colours[name], log=True)
    for col in (1, 2):
        figure.add_scatter(x=[8, 90], y=[8, 90], mode="lines", row=2, col=col,
                           line={"color": GREY, "width": 1.3, "dash": "dot"})
        figure.update_yaxes(title={"text": "regret (dotted: in proportion)"}, type="log", row=2, col=col,
                            tickvals=[1, 10, 100, 1000], ticktext=["1", "10", "100", "1,000"])
    ticks = {"type": "log", "tickvals": [10, 20, 50, 100], "ticktext": ["10", "20", "50", "100"]}
    figure.update_xaxes(title={"text": "√A<sub>T</sub>"}, row=2, col=1, **ticks)
    figure.update_xaxes(title={"text": "√T"}, range=[math.log10(7.4), math.log10(240)], row=2, col=2, **ticks)
    figure.update_xaxes(title={"text": "T"}, type="log", row=2, col=3, tickvals=[100, 1000, 8000],
                        ticktext=["100", "1,000", "8,000"])
    figure.update_yaxes(title={"text": "regret / bound"}, rangemode="tozero", row=2, col=3)


def tables(lines):
    """The tables of docs/theory.md."""
    out = ["| r | T | fitted r | rows stored | Theorem 1, known r | Theorem 1, fitted r |", "|---|---|---|---|---|---|"]
    for line in (line for line in lines if line["kind"] == "exponential" and line["rows"] in (256, 4096, 65536)):
        out.append(f"| {line['known']:.3f} | {line['rows']:,} | {line['rate']:.3f} | {line['support']} | "
                   f"{promise_exponential(line):.0f} | "
                   f"{line['promised']:.0f} |")
    out += ["", "| ζ | T | fitted p | rows stored | rows stored / T^(1/p) | Theorem 1, known p |",
            "|---|---|---|---|---|---|"]
    for line in (line for line in lines if line["kind"] == "polynomial" and line["rows"] in (256, 4096, 65536)):
        out.append(f"| 1/{1 / line['zeta']:.0f} | {line['rows']:,} | {line['rate']:.2f} | {line['support']} | "
                   f"{line['support'] / line['rows'] ** (1 / KNOWN_P):.2f} | {promise_polynomial(line):.0f} |")
    out += ["", "| data | σ | T | A_T/T | Σδ/T | eigenvalues | phase 1 needs | mistakes |", "|---|---|---|---|---|---|---|---|"]
    for line in (line for line in lines if line["kind"] == "set"):
        law = f"{line['rate']:.3f}^i" if line["law"] == "exponential" else f"i^−{line['rate']:.2f}" if line["law"] else "–"
        out.append(f"| {line['data']} | {line['sigma']:g} | {line['rows']:,} | {line['alignment'] / line['rows']:.4f} | "
                   f"{line['sum_delta'] / line['rows']:.4f} | {law} | {'≥ ' if line['given_up'] else ''}{line['support']} | "
                   f"{100 * line['mistake_rate']:.2f} % |")
    out += ["", "| stream | σ | T | A_T | regret | regret / √T | regret / √A_T | Theorem 2 allows | Corollary 1 allows |",
            "|---|---|---|---|---|---|---|---|---|"]
    last = {line["data"]: line for line in lines if line["kind"] == "regret"}
    for name, line in last.items():
        out.append(f"| {name} | {line['sigma']:g} | {line['rows']:,} | {line['alignment']:.0f} | {line['regret']:.0f} | "
                   f"{line['regret'] / math.sqrt(line['rows']):.2f} | {line['regret'] / math.sqrt(line['alignment']):.2f} | "
                   f"{line['delta_bound']:.0f} | {line['alignment_bound']:.0f} |")
    return "\n".join([*out, "", *facts(lines)])


def facts(lines):
    """Figures of docs/theory.md that are in no table."""
    part = max(line["support"] / promise_exponential(line) for line in lines if line["kind"] == "exponential")
    regrets = [line for line in lines if line["kind"] == "regret"]
    used = max(line["regret"] / line["delta_bound"] for line in regrets)
    long = [line for line in {line["data"]: line for line in regrets}.values() if line["rows"] > 8000]
    return [f"Rows stored over Theorem 1 with the known r: at most {100 * part:.1f} %.",
            f"Regret over what Theorem 2 allows: at most {100 * used:.1f} %.",
            f"Rank correlation of the regret, {len(long)} streams: {rank_correlation(long, 'alignment'):.2f} with A_T, "
            f"{rank_correlation(long, 'sum_delta'):.2f} with Σδ."]


def rank_correlation(lines, name):
    """Spearman's, of the regret with another number."""
    def ranks(field):
        order = sorted(range(len(lines)), key=lambda i: lines[i][field])
        return [order.index(i) for i in range(len(lines))]
    squares = sum((a - b) ** 2 for a, b in zip(ranks("regret"), ranks(name)))
    return 1 - 6 * squares / (len(lines) * (len(lines) ** 2 - 1))


def main():
    parser = argparse.ArgumentParser(description="Measure how the quantities of the theory grow, and draw it.")
    parser.add_argument("--alder", default="alder", help="the program [alder]")
    parser.add_argument("--data", metavar="DIR", help="the folder of the data sets, NAME.libsvm.xz")
    parser.add_argument("--draw", action="store_true", help="only draw, from the results that are there")
    options = parser.parse_args()
    if not options.draw:
        if options.data is None:
            parser.error("--data DIR is missing; expected the folder of the data sets, or --draw")
        measure(options.alder, options.data)
    lines = [json.loads(line) for line in RESULTS.read_text(encoding="utf-8").splitlines()]
    PICTURE.write_text(as_svg(draw(lines)) + "\n", encoding="utf-8")
    print(tables(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
