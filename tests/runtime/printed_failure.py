"""A program that reports a failure gets the suggestion --check all, and its output stays the same, byte for byte.
    printed_failure.py BANKWISE NVCC SOURCE RUNTIME
Each way of reporting runs four times: with bankwise run, and with the stand-in alone, whose control file is missing, so
that it does not look at the output. Both runs are made with a pipe and with a terminal.
"""
import os
import pty
import subprocess
import sys
import tempfile

BANKWISE, NVCC, SOURCE, RUNTIME = (os.path.abspath(word) for word in sys.argv[1:5])
# Each way, and whether bankwise notices the failure. It does not look at standard error, at buffers of the program, or at
# write(). A last line without a line break is followed by unknown bytes in the buffer, so bankwise may miss its last word.
SUGGESTS = {"": False, "failed": True, "no_newline": None, "cout": True, "no_sync": False, "denied": False, "part": False,
            "stderr": False, "own_buffer": False, "freed_buffer": False, "no_buffer": False, "closed": False, "write": False,
            "quick": True, "status": True, "abort": True}


def in_pipe(command, environment):
    done = subprocess.run(command, env=environment, capture_output=True, timeout=120)
    return done.stdout, done.stderr


def in_terminal(command, environment):
    """Standard output is a terminal. Standard error is a pipe."""
    main, side = pty.openpty()
    child = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=side, stderr=subprocess.PIPE)
    os.close(side)
    text = b""
    while True:
        try:
            piece = os.read(main, 4096)
        except OSError:  # the last process has closed the terminal
            break
        if not piece:
            break
        text += piece
    error = child.stderr.read()
    child.wait(timeout=120)
    os.close(main)
    return text, error


wrong = []
with tempfile.TemporaryDirectory() as folder:
    program = os.path.join(folder, "program")
    subprocess.run([NVCC, "-cudart", "shared", "-arch=sm_90", "-o", program, SOURCE], check=True)
    plain = dict(os.environ, LD_LIBRARY_PATH=RUNTIME)
    for way, suggests in SUGGESTS.items():
        for name, run in (("pipe", in_pipe), ("terminal", in_terminal)):
            out, report = run([BANKWISE, "run", "--no-fix", program, way], dict(os.environ))
            expected, error = run([program, way], plain)
            if out != expected:
                wrong.append(f"{way} in a {name}: prints {out}, not {expected}")
            if error and not report.startswith(error):
                wrong.append(f"{way} in a {name}: standard error begins with {report[:200]}, not {error}")
            if (b"terminal: 1" in out) != (name == "terminal"):
                wrong.append(f"{way} in a {name}: the program sees another kind of standard output: {out}")
            if suggests is not None and (b"--check all" in report) != suggests:
                wrong.append(f"{way} in a {name}: {'suggests no' if suggests else 'suggests the'} check\n{report.decode()}")
            first = report.decode().partition("\nnext:\n")[2].splitlines()
            if suggests and "--check all" not in "".join(first[:3]):
                wrong.append(f"{way} in a {name}: --check all is not the first suggestion: {first}")
    report = in_pipe([BANKWISE, "run", "--no-fix", "--safe", program, "failed"], dict(os.environ))[1]
    if b"--check all" in report.partition(b"\nnext:\n")[2]:
        wrong.append("a run with --safe suggests the check again")
print("\n".join(wrong) or f"{len(SUGGESTS)} ways")
sys.exit(bool(wrong))
