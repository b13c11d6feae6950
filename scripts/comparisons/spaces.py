"""Shows how well predicted times choose among the configurations of bench/spaces, which bench/measure_spaces.py measured (data/sm_90/spaces.csv.zst).
  scripts/compare spaces                                   prints a row for each space
  scripts/compare spaces write MEASURED TRACES             writes the table from what was measured and what is predicted now
  scripts/compare spaces add TRACES                        predicts the rows of the table that have no prediction yet
  scripts/compare spaces predict TRACES [learn|held|SPACE...]  predicts again, and prints a row for each space; changes nothing
  scripts/compare spaces worst TRACES SPACE [cold|warm|events]  predicts again, and prints each configuration in the measured order
  scripts/compare spaces trace MEASURED TRACES [SPACE...]  records a trace of each configuration
MEASURED is the folder of bench/measure_spaces.py, with cubins/ and measured/. TRACES is a folder for traces. Predictions need
bench/predict_traces (PREDICT_TRACES), and traces need build/release/cli/bankwise (BANKWISE). The columns of the output are those of scripts/compare
choices, for three ways to measure: cold and warm caches at the base clock, and by events as a benchmark does, at the boost clock. The last
rows have the median and the lowest rank correlation, in how many spaces the first choice and the best of three are at most 5 % slower than
the best, how much slower the worst first choice is, in how many spaces the short list holds the best, and its part of the configurations.
"""
import concurrent.futures
import csv
import io
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

from . import choices

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / "data/sm_90/spaces.csv.zst"
BANKWISE = os.environ.get("BANKWISE", str(ROOT / "build/release/cli/bankwise"))
PREDICT = os.environ.get("PREDICT_TRACES", str(ROOT / "build/release/bench/predict_traces"))
GPU, BOOST = "h200", 1.98
# How a time was measured: the columns of the measured and of the predicted time, the flags of the prediction.
WAYS = {"cold": ("cold_cycles", "predicted_cold", []), "warm": ("warm_cycles", "predicted_warm", ["--warm"]),
        "events": ("microseconds", "predicted_events", ["--clock", str(BOOST)])}
# Spaces from which the model may be changed. bench/spaces/spaces.toml says the same for the others.
LEARNT_OF_TRITON = ["triton-matmul"]
COLUMNS = ["space", "half", "configuration", "grid", "block", "registers", "shared_bytes", *(name for way in WAYS.values() for name in way[:2])]
GOOD = 1.05  # a choice is good if it is at most this much slower than the best


def half_of(space):
    import tomllib

    listed = tomllib.loads((ROOT / "bench/spaces/spaces.toml").read_text())
    return "learn" if space in LEARNT_OF_TRITON or listed.get(space, {}).get("learn") else "held"


def read_rows():
    text = subprocess.run(["zstd", "-dc", TABLE], capture_output=True, text=True, check=True).stdout
    return list(csv.DictReader(io.StringIO(text)))


def by_space(rows):
    spaces = {}
    for row in rows:
        spaces.setdefault(row["space"], []).append(row)
    return spaces


def pairs_of(rows, way):
    """The measured and the predicted time of each row that has both."""
    there, mine, _ = WAYS[way]
    return [(float(row[there]), float(row[mine])) for row in rows if row[there] and row[mine] and float(row[mine]) > 0]


def spaces_of_choices():
    """All spaces as scripts/compare choices reads them, by name."""
    found = {}
    for space, rows in by_space(read_rows() if TABLE.exists() else []).items():
        for way in WAYS:
            pairs = pairs_of(rows, way)
            if len(pairs) >= choices.LEAST:
                found[f"{space}, {way}"] = pairs
    return found


def trace_one(folder, launch, path):
    """Records the trace of a launch, and its number of warp instructions, because a trace has only some blocks. Returns what failed."""
    words = [launch["file"], "-k", launch["kernel"], "--shared", str(launch.get("shared", 0))]
    for key in ("grid", "block"):
        words += ["--" + key, ",".join(map(str, launch[key]))]
    for word in launch["args"]:
        words += ["--arg", str(word)]

    def run(*flags, **variables):
        return subprocess.run([BANKWISE, "run", *words, "--gpu", GPU, "--no-fix", "--threads", "1", *flags], cwd=folder, capture_output=True, text=True,
                              env={**os.environ, **variables})

    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        with tempfile.TemporaryDirectory() as scratch:
            done = run("--time-model", "on", "-o", "/dev/null", BANKWISE_TRACES=scratch)
            traces = list(pathlib.Path(scratch).glob("*.trace"))
            if len(traces) != 1:
                return f"{launch['name']}: {len(traces)} traces: {(done.stdout + done.stderr)[:200]}"
            shutil.move(traces[0], path)
    counted = run("--time-model", "off", "--format", "json")
    try:
        count_of(path).write_text(str(json.loads(counted.stdout)["launches"][0]["totals"]["warp_instructions"]))
    except (ValueError, LookupError) as why:
        return f"{launch['name']}: {type(why).__name__}: {why} {counted.stderr[:200]}"
    return ""


def trace(measured, traces, names):
    work = []
    for listed in sorted((measured / "cubins").glob("*.jsonl")):
        if names and listed.stem not in names:
            continue
        for line in listed.read_text().splitlines():
            launch = json.loads(line)
            path = path_of(traces, listed.stem, launch["name"])
            if not path.exists() or not count_of(path).exists():
                work.append((measured, launch, path))
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", os.cpu_count()))) as pool:
        for number, why in enumerate(pool.map(lambda one: trace_one(*one), work), 1):
            if why or number % 50 == 0 or number == len(work):
                print(f"{number} of {len(work)} {why}", flush=True)


def path_of(traces, space, configuration):
    return traces / space / (configuration.replace(" ", "_") + ".trace")


def count_of(path):
    return path.with_suffix(".count")


def predict(rows, traces):
    """Sets the predicted times of those rows that have a trace."""
    traced = [row for row in rows if count_of(path_of(traces, row["space"], row["configuration"])).exists()]
    files = [str(path_of(traces, row["space"], row["configuration"])) for row in traced]
    count = os.cpu_count()

    def run(flags, some):
        printed = subprocess.run([PREDICT, "--gpu", GPU, *flags, *(word for file in some for word in (file, count_of(pathlib.Path(file)).read_text()))], capture_output=True, text=True, check=True).stdout
        return dict((line.split(",")[0], line.split(",")) for line in printed.splitlines())

    for way, (_, column, flags) in WAYS.items():
        with concurrent.futures.ThreadPoolExecutor(count) as pool:
            found = {}
            for part in pool.map(lambda part: run(flags, part), [files[at::count] for at in range(count)]):
                found.update(part)
        for row, file in zip(traced, files):
            cycles = float(found[file][1])
            row[column] = "" if cycles == 0 else f"{cycles / BOOST / 1000:.3f}" if way == "events" else f"{cycles:.0f}"
    return rows


def measured_rows(measured):
    """The rows that were measured. Leaves out configurations whose results did not agree."""
    rows = []
    for path in sorted((measured / "measured").glob("*.csv")):
        for one in csv.DictReader(open(path)):
            if one["agrees"] != "yes":
                print(f"left out: {one['space']} {one['configuration']}: {one['agrees']}")
                continue
            rows.append({**dict.fromkeys(COLUMNS, ""), **{key: one[key] for key in COLUMNS if key in one}, "half": half_of(one["space"])})
    return rows


def write(rows):
    out = io.StringIO()
    table = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    subprocess.run(["zstd", "-19", "-q", "-f", "-o", TABLE], input=out.getvalue().encode(), check=True)
    print(f"{len(rows)} rows")


def print_table(rows):
    spaces = by_space(rows)
    pairs = {f"{space}, {way}": pairs_of(some, way) for space, some in spaces.items() for way in WAYS}
    judged = choices.judge_all({**choices.read_tables(), **{name: some for name, some in pairs.items() if len(some) >= choices.LEAST}})
    print(f"{'space':18} {'half':5} {'of':>3}" + "".join(f"  {way:>6}: {'rank':>4} {'first':>6} {'three':>6} list" for way in WAYS))
    sums = {}
    for space, some in spaces.items():
        text = f"{space:18} {some[0]['half']:5} {len(some):3}"
        for way in WAYS:
            seen = judged.get(f"{space}, {way}")
            if seen is None:
                text += " " * 36
                continue
            sums.setdefault((some[0]["half"], way), []).append(seen)
            text += f"  {'':7} {seen.rank:4.2f} {choices.percent(seen.first):>6} {choices.percent(seen.three):>6} {seen.listed:3}{'' if seen.holds else '!'}".ljust(36)
        print(text.rstrip())
    print(f"\n{'':5} {'':6} {'spaces':>6} {'rank':>5} {'lowest':>6} {'first':>6} {'worst':>6} {'three':>6} {'holds':>6} {'list':>5}")
    for half in ("learn", "held"):
        for way in WAYS:
            some = sums.get((half, way), [])
            if some:
                print(f"{half:5} {way:6} {len(some):6} {statistics.median(s.rank for s in some):5.2f} {min(s.rank for s in some):6.2f} "
                      f"{sum(s.first <= GOOD for s in some):6} {choices.percent(max(s.first for s in some)):>6} {sum(s.three <= GOOD for s in some):6} "
                      f"{sum(s.holds for s in some):6} {sum(s.listed for s in some) / sum(s.of for s in some):5.0%}")


def print_worst(rows, way):
    there, mine, _ = WAYS[way]
    for row in sorted((row for row in rows if row[there] and row[mine]), key=lambda row: float(row[there])):
        print(f"{row['configuration']:60} {row['registers']:>4} {row['shared_bytes']:>7} {float(row[there]):>10.1f} {float(row[mine]):>10.1f} "
              f"{float(row[mine]) / float(row[there]) - 1:+7.1%}")


def main(words):
    if not words:
        return print_table(read_rows())
    folders = [pathlib.Path(word).resolve() for word in words[1:3]]
    if words[0] == "trace" and len(words) >= 3:
        return trace(*folders, words[3:])
    if words[0] == "write" and len(words) == 3:
        return write(predict(measured_rows(folders[0]), folders[1]))
    if words[0] == "add" and len(words) == 2:
        rows = read_rows()
        predict([row for row in rows if not row["predicted_cold"]], folders[0])
        return write(rows)
    if words[0] == "predict" and len(words) >= 2:
        return print_table(predict([row for row in read_rows() if not words[2:] or row["half"] in words[2:] or row["space"] in words[2:]], folders[0]))
    if words[0] == "worst" and len(words) in (3, 4):
        return print_worst(predict([row for row in read_rows() if row["space"] == words[2]], folders[0]), words[3] if words[3:] else "cold")
    sys.exit(__doc__)
