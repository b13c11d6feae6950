"""The loop of AGENTS.md: a kernel gets faster in five rounds, each of which makes the change of the first finding. Prints the table of the
rounds through `bankwise mcp`. With --check, compares it with the table in AGENTS.md; BANKWISE_REBASE=1 writes it there.
    loop.py BANKWISE [--check]
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROUNDS = [("bench/naive/multiply.cu", "the naive kernel"),
          ("examples/loop/two_tiles.cu", "tiles in shared memory"),
          ("examples/loop/sixteen_sums.cu", "4 x 4 results for each thread"),
          ("examples/loop/wide_loads.cu", "loads of 16 bytes"),
          ("bench/naive/edited/multiply.cu", "the next tile is copied while this one is used")]
HEAD = ["| round | change | predicted us | first finding | saves us | bytes of the answer |", "|---|---|---:|---|---:|---:|"]


def answers(root):
    for folder in ("bench/naive", "bench/faults", "examples/loop"):
        shutil.copytree(ROOT / folder, pathlib.Path(root) / folder)
    server = subprocess.Popen([os.path.abspath(sys.argv[1]), "mcp", "--root", root], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True)

    def ask(number, method, params):
        server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n")
        server.stdin.flush()
        while True:
            answer = json.loads(server.stdout.readline())
            if answer.get("id") == number:
                return answer["result"]

    ask(0, "initialize", {"protocolVersion": "2025-11-25"})
    for number, (file, _) in enumerate(ROUNDS, 1):
        yield ask(number, "tools/call", {"name": "run", "arguments": {"file": file}})
    server.stdin.close()
    server.wait()


def main():
    if not shutil.which("nvcc"):
        os.environ["PATH"] += os.pathsep + os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin")
    if not shutil.which("nvcc"):
        print("skipped: nvcc is not installed")
        return 77
    lines = list(HEAD)
    with tempfile.TemporaryDirectory() as root:
        rounds = list(answers(root))
    for number, (answer, (_, change)) in enumerate(zip(rounds, ROUNDS), 1):
        value = answer["structuredContent"]
        if "report" not in value:
            print(f"round {number}: {value}")
            return 1
        first = next(iter(value["report"]["findings"]), {})
        lines.append(f"| {number} | {change} | {value['report']['microseconds']:.0f} | {first.get('id', 'none')} "
                     f"| {first.get('saved_microseconds', 0):.0f} | {len(answer['content'][0]['text']):,} |")
    text = "\n".join(lines)
    if "--check" not in sys.argv:
        print(text)
        return 0
    page = (ROOT / "AGENTS.md").read_text()
    begin = page.index(HEAD[0])
    written = page[begin:page.index("\n\n", begin)]
    if written == text:
        return 0
    if os.environ.get("BANKWISE_REBASE"):
        (ROOT / "AGENTS.md").write_text(page.replace(written, text))
        return 0
    print(f"AGENTS.md has\n{written}\nbut the rounds are\n{text}\nBANKWISE_REBASE=1 writes them")
    return 1


sys.exit(main())
