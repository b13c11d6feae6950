"""In bash, zsh and fish, -k is completed with the kernels of the files on the command line: sources, cubins and reports.
    completed_kernels.py BANKWISE ROOT
Shells that are not installed are skipped; bash must be there.
"""
import os, shutil, subprocess, sys, tempfile
from pathlib import Path

bankwise, root = os.path.abspath(sys.argv[1]), Path(sys.argv[2])
os.environ["PATH"] = os.path.dirname(bankwise) + os.pathsep + os.environ["PATH"]


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL).stdout


def bash(words):
    script = '. <(bankwise --completion bash); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _bankwise; printf "%s\\n" "${COMPREPLY[@]}"'
    return run("bash", "-c", script, "bash", *words)


def zsh(words):
    # Outside of the line editor, only the function with the names can be called.
    script = 'compadd() { print -l -- ${(P)2}; }; eval "$(bankwise --completion zsh | sed \'$d\')"; words=("$@"); _bankwise_kernels'
    return run("zsh", "-c", script, "zsh", *words)


def fish(words):
    # A description follows each word.
    said = run("fish", "-c", "bankwise --completion fish | source; complete -C (string join ' ' -- $argv)", *words)
    return "\n".join(line.split("\t")[0] for line in said.splitlines())


with tempfile.TemporaryDirectory() as folder:
    report, source, hostile = (os.path.join(folder, name) for name in ("report.json", "kernels.cu", "hostile.json"))
    subprocess.run([bankwise, "run", root / "examples/transpose.cubin", "-k", "transpose_plain", "--block", "32,8", "--arg", "out:f32[1024]",
                    "--arg", "f32[1024]=iota", "--arg", "i32=32", "--format", "json", "-o", report], check=True, capture_output=True)
    text, name = Path(report).read_text(), "transpose_plain"
    Path(hostile).write_text(text.replace(f'"{name}"', '"$(touch pwned)"'))
    Path(source).write_text("// __global__ void not_this(int)\ntemplate <int N>\n__global__ void __launch_bounds__(256, 2)\n"
                            "  first(float* a);\n__global__ __attribute__((used)) void second(int) {}\nvoid third();\n")
    plain = ["transpose_padded", "transpose_plain", "transpose_swizzled", "transpose_vectorised"]
    cases = [([str(root / "examples/transpose.cubin")], plain), ([str(root / "examples/transpose.cu")], plain), ([source], ["first", "second"]),
             ([report], [name]), ([source, report], ["first", "second", name]), (["missing.cu"], []), ([hostile], [])]
    wrong, shells = [], []
    for shell in (bash, zsh, fish):
        if not shutil.which(shell.__name__):
            continue
        shells.append(shell.__name__)
        for files, kernels in cases:
            got = shell(["bankwise", "run", *files, "-k", ""]).split()
            if sorted(got) != sorted(kernels):
                wrong.append(f"{shell.__name__}: {files}: {got}, not {kernels}")
    if os.path.exists("pwned"):
        wrong.append("a name of a kernel was executed")
print("\n".join(wrong) or ", ".join(shells))
sys.exit(bool(wrong) or "bash" not in shells)
