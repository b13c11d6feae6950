#!/usr/bin/python3
"""Compares `bankwise run --batch` with `bankwise run`, for the launches of examples/. Both predict the same times. Also
tests batches that are stopped, and lines that nobody should trust.
  batch_of_launches.py BANKWISE SOURCE_DIR"""
import csv
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile

BANKWISE, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
ENVIRONMENT = {**os.environ, "BANKWISE_TIME_MODEL": "on"}


def launches():
    for table in ("examples/triton/launches.csv", "examples/fixes/launches.csv"):
        with open(SOURCE / table) as rows:
            for row in csv.DictReader(rows):
                numbers = {key: [int(n) for n in row[key].split(",")] for key in ("grid", "block")}
                yield {"file": str(SOURCE / table).replace("launches.csv", row["program"] + ".cubin"), "kernel": row["kernel"],
                       "shared": int(row.get("shared") or 0), "args": row["args"].split(), **numbers}


def words_of(launch):
    for key in ("grid", "block"):
        yield "--{}={}".format(key, ",".join(map(str, launch[key])))
    yield from ("--kernel=" + launch["kernel"], "--shared={}".format(launch["shared"]))
    yield from ("--arg=" + word for word in launch["args"])


def batch(lines, *flags, status=0, program=BANKWISE):
    """The answers to the lines, which are objects or texts."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.write("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
        file.flush()
        done = subprocess.run([program, "run", "--batch", file.name, *flags], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == status, (done.returncode, done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()], done.stdout


def check_schema(answers):
    """Each answer has the keys, types and one of the forms of the schema, and each key of the schema occurs."""
    with open(SOURCE / "docs/reference/batch.schema.json") as file:
        schema = json.load(file)
    types = {"integer": int, "number": (int, float), "string": str, "boolean": bool, "array": list, "object": dict}
    for answer in answers:
        assert all(key in answer for key in schema["required"]), answer
        assert sum(all(key in answer for key in form["required"]) for form in schema["oneOf"]) == 1, answer
        for key, value in answer.items():
            assert isinstance(value, types[schema["properties"][key]["type"]]), (key, value)
    assert {key for answer in answers for key in answer} == set(schema["properties"])


def single(launch):
    done = subprocess.run([BANKWISE, "run", launch["file"], *words_of(launch), "--no-fix", "--format=json"],
                          stdout=subprocess.PIPE, env=ENVIRONMENT)
    assert done.returncode in (0, 1), launch
    return json.loads(done.stdout)["launches"][0]


def same_times(all_launches):
    answers, text = batch(all_launches)
    assert [a["line"] for a in answers] == list(range(1, len(all_launches) + 1))
    for launch, answer in zip(all_launches, answers):
        alone = single(launch)
        time = alone["time"]
        seen = {key: answer[key] for key in ("kernel", "registers", "cycles", "microseconds", "bound", "gpu", "occupancy")}
        told = {"kernel": alone["kernel"], "registers": alone["registers"], **{key: time[key] for key in list(seen)[2:]}}
        assert seen == told, (launch, seen, told)
    # Neither the number of threads nor the order of the lines changes an answer.
    for jobs in (1, 3):
        assert batch(all_launches, "--jobs={}".format(jobs))[1] == text
    mixed = list(zip(all_launches, answers))
    random.Random(1).shuffle(mixed)
    for (_, told), answer in zip(mixed, batch([launch for launch, _ in mixed])[0]):
        assert {**answer, "line": told["line"]} == told
    return answers


def stops(all_launches, answers):
    """A launch is stopped if, and only if, it takes longer than the limit. All others have the same answer."""
    limit = sorted(a["microseconds"] for a in answers)[len(answers) // 2]
    for told, answer in zip(answers, batch(all_launches, "--stop-above={}".format(limit))[0]):
        if told["microseconds"] > limit + 0.001:
            assert answer["stopped"] and answer["microseconds_above"] <= told["microseconds"], (told, answer)
        elif told["microseconds"] < limit - 0.001:
            assert answer == told


def is_interrupted(all_launches, answers):
    """After Ctrl-C, the answers so far are complete, and the exit status is that of the signal."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.write("".join(json.dumps(launch) + "\n" for launch in 40 * all_launches))
        file.flush()
        running = subprocess.Popen([BANKWISE, "run", "--batch", file.name], stdout=subprocess.PIPE)
        lines = [running.stdout.readline()]
        running.send_signal(signal.SIGINT)
        lines += running.stdout.read().splitlines()
        assert running.wait() == 130
    assert 1 <= len(lines) < 40 * len(all_launches)
    for number, line in enumerate(lines):
        assert json.loads(line) == {**answers[number % len(answers)], "line": number + 1}


def keys_of_another_build(launch):
    """Another file of bankwise has other keys, because its model may differ. A copy has the same keys."""
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "bankwise")
        shutil.copy(BANKWISE, copy)
        keys = [batch([launch], "--key", program=program)[0][0]["key"] for program in (BANKWISE, copy)]
        with open(copy, "ab") as file:
            file.write(b"changed")
        keys += [batch([launch], "--key", program=copy)[0][0]["key"]]
    assert keys[0] == keys[1] != keys[2], keys


def main():
    all_launches = list(launches())
    answers = same_times(all_launches)
    stops(all_launches, answers)
    is_interrupted(all_launches, answers)
    keys_of_another_build(all_launches[0])
    first = {**all_launches[0], "name": "first"}
    check_schema([*answers, *batch([first], "--gpu=A100")[0], *batch([first], "--stop-above=0.1")[0], *batch([first], "--key")[0],
                  *batch(["nonsense"], status=2)[0]])
    print(len(all_launches), "launches")


main()
