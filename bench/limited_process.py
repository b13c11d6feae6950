"""A process that may run for a limited time."""
import os
import signal
import subprocess


def run(words, seconds, **how):
    """The exit status, the standard output and the standard error of a command. The command is ended with all its children after
    `seconds`; then the status is None. `how` are further arguments of subprocess.Popen, such as cwd."""
    how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | how
    with subprocess.Popen(words, text=True, errors="replace", start_new_session=True, **how) as process:
        try:
            output, errors = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return None, *process.communicate()
    return process.returncode, output, errors
