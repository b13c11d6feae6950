"""Shows how well predicted times order the configurations of a space, and makes src/tune/choice_error.def from it.
  scripts/compare choices            prints a row for each measured space with at least seven configurations, and sums over all
  scripts/compare choices all        prints a row for each space
  scripts/compare choices --write    writes the file
  scripts/compare choices --check    fails if the file has other numbers
A space is a set of kernels that compute the same result, measured and predicted with the same size: tilings of a matrix product, versions
of a kernel with other layouts. The tables of data/sm_90 contain them (SPACES), and the sums include those of bench/spaces, whose rows
scripts/compare spaces prints. The columns of the output:
  rank       Spearman's correlation of predicted and measured times
  first      how much slower than the best the configuration is that was predicted to be the fastest
  three      the same for the best of the first three
  list       how many configurations `bankwise tune` would list as those that contain the best, with an error from the other spaces
  holds      whether this list contains the best
"""
import bisect
import csv
import dataclasses
import itertools
import math
import pathlib
import re
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILE = ROOT / "src/tune/choice_error.def"
HELD = 0.9    # share of pairs that are in the right order, and of spaces whose list has the best
GPUS = ("H100", "H200")  # on which the tables of data/sm_90 were measured
LEAST = 3     # configurations of a space
LARGE = 7     # configurations of a space that the table shows without `all`
REACH, STEPS, ROUNDING = 6, 240, 1e-6  # of the integral of short_list, as in src/tune/ranking.cpp

# The spaces of a table: program, and the name of the space of a row (None: the row is in no space).
ORDER_OF_SGEMM = {"1": 32, "2": 32, "3": 32, "4": 64}  # results of a block in one dimension; 128 for the other kernels


def sgemm_size(row):
    blocks = int(row["grid"].split("x")[0])
    return blocks * ORDER_OF_SGEMM.get(row["program"].split("/")[1], 128)


def stem(row):
    return row["kernel"].rsplit("_", 1)[0] if "_combined_" not in row["kernel"] else row["kernel"].split("_")[0]


SPACES = [
    # table, pattern of the program, name of the row's space
    ("tensor_times", r"bench/sgemm_tiles", lambda r: f"SGEMM {r['case'].split()[1]}, tiles"),
    ("tensor_times", r"bench/launch_cubins", lambda r: "Triton matmul 1024, tiles, warps, stages" if r["case"].startswith("matmul-1024") else None),
    ("tensor_times", r"fast\.cu/fast", lambda r: "fast.cu 1024, kernels" if re.fullmatch(r"\d+ 1024 1024 1024", r["arguments"]) and r["arguments"].split()[0] != "6" else None),
    ("tensor_times", r"ThunderKittens/tk\d", lambda r: "ThunderKittens 1024, levels" if r["arguments"] == "1024" else None),
    ("predicted_times", r"sgemm/\d+", lambda r: f"SGEMM_CUDA {sgemm_size(r)}, kernels"),
    ("predicted_times", r"fixes/.*", lambda r: f"{stem(r)}, layouts"),
    ("predicted_warm_times", r"sgemm/\d+", lambda r: f"SGEMM_CUDA {sgemm_size(r)}, kernels, warm"),
    ("predicted_warm_times", r"fixes/.*", lambda r: f"{stem(r)}, layouts, warm"),
]


def read_tables():
    spaces = {}
    for table, program, name_of in SPACES:
        for row in csv.DictReader(open(ROOT / f"data/sm_90/{table}.csv")):
            name = name_of(row) if re.fullmatch(program, row["program"]) and row["predicted"] else None
            if name is None or not float(row["predicted"]):
                continue
            # A program may have measured the same launch several times.
            key = row["program"], row["arguments"], row["kernel"], row["grid"]
            spaces.setdefault(name, {}).setdefault(key, (float(row["measured"]), float(row["predicted"])))
    return {name: list(rows.values()) for name, rows in spaces.items() if len(rows) >= LEAST}


@dataclasses.dataclass
class Judgement:
    """How well predictions choose in a space. The fields are the columns of the output."""

    of: int
    rank: float
    first: float
    three: float
    listed: int
    holds: bool


def judge(rows, factor):
    """`rows`: pairs of a measured and a predicted time. `factor`: told_apart() of other spaces."""
    ordered = sorted(rows, key=lambda r: r[1])
    best = min(measured for measured, _ in rows)
    listed = ordered[:short_list([predicted for _, predicted in ordered], factor)]
    return Judgement(len(rows), spearman([m for m, _ in rows], [p for _, p in rows]), ordered[0][0] / best, min(m for m, _ in ordered[:3]) / best,
                     len(listed), min(listed)[0] == best)


def read_spaces():
    from . import spaces

    return {**read_tables(), **spaces.spaces_of_choices()}


def ranks(values):
    """Ranks from 0; equal values have the mean of their ranks."""
    ordered = sorted(values)
    return [(bisect.bisect_left(ordered, v) + bisect.bisect_right(ordered, v) - 1) / 2 for v in values]


def spearman(a, b):
    a, b = ranks(a), ranks(b)
    mean = (len(a) - 1) / 2
    above = sum((x - mean) * (y - mean) for x, y in zip(a, b))
    below = math.sqrt(sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b))
    return above / below if below else 1.0


def pair_errors(rows):
    """By which factor the predicted ratio of two configurations is wrong, for each pair."""
    return [math.exp(abs(math.log(a[0] / b[0]) - math.log(a[1] / b[1]))) for a, b in itertools.combinations(rows, 2)]


def upper_quantile(values, share):
    """The smallest value that a further value does not exceed with this probability. The largest value if there are too few."""
    ordered = sorted(values)
    return ordered[min(len(ordered), math.ceil(share * (len(ordered) + 1))) - 1]


def told_apart(spaces):
    """The factor by which two predicted times must differ so that their order is right with 90 %. `spaces`: pair_errors() of each."""
    pairs = [error for errors in spaces for error in errors]
    # Errors in both directions are equally frequent, and only those in one direction change the order.
    return upper_quantile(pairs, 1 - 2 * (1 - HELD))


def short_list(times, factor):
    """How many of the sorted times contain the best with 90 %, as rank() of src/tune/ranking.cpp computes it. The logarithm of each time has
    a normal error, whose width is that of pairs divided by the root of two."""
    width = math.log(factor) / statistics.NormalDist().inv_cdf(HELD) / math.sqrt(2)
    logs = [math.log(t / times[0]) / width for t in times]
    above = lambda x: math.erfc(x / math.sqrt(2)) / 2
    # The probability that a configuration is the best: an integral over its true time x, with the midpoint rule.
    grid = [-REACH + (step + 0.5) * 2 * REACH / STEPS for step in range(STEPS)]
    all_above = [math.prod(above(x - other) for other in logs) for x in grid]
    total = 0
    for i, own in enumerate(logs):
        total += sum(math.exp(-(x - own) ** 2 / 2) / math.sqrt(2 * math.pi) * all_above[k] / above(x - own)
                     for k, x in enumerate(grid)) * 2 * REACH / STEPS
        if total >= HELD - ROUNDING:
            return i + 1
    return len(times)


def kernels_of(name):
    """What the spaces of the same kernels, measured in other ways, have in common."""
    return re.sub(r", (cold|warm|events)$", "", name)


def judge_all(spaces):
    """Judges each space, with the errors of those of other kernels."""
    errors = {name: pair_errors(rows) for name, rows in spaces.items()}
    factors = {of: told_apart([one for name, one in errors.items() if kernels_of(name) != of]) for of in {kernels_of(name) for name in spaces}}
    return {name: judge(rows, factors[kernels_of(name)]) for name, rows in spaces.items()}


def percent(factor):
    return f"{(factor - 1) * 100:.1f}%"


def print_table(spaces, least):
    print(f"{'space':44} {'of':>3} {'rank':>5} {'first':>6} {'three':>6} {'list':>4}  holds")
    seen, printed = judge_all(spaces), read_tables()
    for name, one in seen.items():
        if one.of >= least and name in printed:
            print(f"{name:44} {one.of:3} {one.rank:5.2f} {percent(one.first):>6} {percent(one.three):>6} {one.listed:4}  {'yes' if one.holds else 'no'}")
    seen = list(seen.values())
    count = len(seen)
    print(f"\n{count} spaces with {LEAST} or more configurations: {sum(one.of for one in seen)} configurations")
    print(f"rank correlation: median {statistics.median(one.rank for one in seen):.2f}, lowest {min(one.rank for one in seen):.2f}; "
          f"with {LARGE} or more configurations, lowest {min(one.rank for one in seen if one.of >= LARGE):.2f}")
    print(f"the first choice is at most 5% slower than the best in {sum(one.first <= 1.05 for one in seen)} of {count} spaces, at worst {percent(max(one.first for one in seen))}")
    print(f"the best of the first three is at most 5% slower in {sum(one.three <= 1.05 for one in seen)} of {count}")
    print(f"the short list holds the best in {sum(one.holds for one in seen)} of {count}, with {sum(one.listed for one in seen) / sum(one.of for one in seen):.0%} of the configurations")


def text_of(spaces):
    held = sum(one.holds for one in judge_all(spaces).values())
    errors = [pair_errors(rows) for rows in spaces.values()]
    return f"""// How well predicted times order the configurations of measured spaces (ranking.hpp). Written by scripts/compare choices --write.
CHOICE_ERROR(spaces, {len(spaces)})
CHOICE_ERROR(held, {held})
CHOICE_ERROR(pairs, {sum(map(len, errors))})
CHOICE_ERROR(told_apart, {told_apart(errors):.3f})
// The probability that a short list contains the best, and the standard deviations below which a normal error is with this probability.
CHOICE_LIST(share, {HELD})
CHOICE_LIST(normal_quantile, {statistics.NormalDist().inv_cdf(HELD):.6f})
// The GPUs on which the spaces were measured.
{"".join(f'CHOICE_GPU("{gpu}"){chr(10)}' for gpu in GPUS)}#undef CHOICE_ERROR
#undef CHOICE_LIST
#undef CHOICE_GPU
"""


def main(words):
    if words not in ([], ["all"], ["--write"], ["--check"]):
        sys.exit(__doc__)
    spaces = read_spaces()
    if words == ["--write"]:
        FILE.write_text(text_of(spaces))
    elif words == ["--check"]:
        if FILE.read_text() != text_of(spaces):
            sys.exit(f"{FILE.relative_to(ROOT)} has other numbers than the measured spaces: run scripts/compare choices --write")
    else:
        print_table(spaces, 0 if words else LARGE)
