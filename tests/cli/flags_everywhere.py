"""Every verb and flag of docs/reference/command-line.md, which is made from the parser's table, must be in the manual
page and in the completion scripts of bash, zsh and fish. The scripts and the page must be valid.
    flags_everywhere.py BANKWISE ROOT
"""
import re, shutil, subprocess, sys
from pathlib import Path

bankwise, root = sys.argv[1], Path(sys.argv[2])


def said(*words):
    return subprocess.run([bankwise, *words], capture_output=True, text=True, check=True).stdout


reference = (root / "docs/reference/command-line.md").read_text()
flags = {}  # verb -> names of its flags
for part in reference.split("\n## bankwise ")[1:]:
    verb = part.split("\n", 1)[0]
    flags[verb] = re.findall(r"(?<![\w-])(--?[a-z][a-z-]*)", " ".join(re.findall(r"^\| (`-[^|]*?) \|", part, re.M)))
assert len(flags) >= 15 and "--array" in flags["explain"] and "--root" in flags["run"], flags

manual = said("--man")
sections = dict(re.findall(r'^\.SS "bankwise (\w+)"$(.*?)(?=^\.S[SH] |\Z)', manual, re.M | re.S))
scripts = {shell: said("--completion", shell) for shell in ("bash", "zsh", "fish")}
missing = []
for verb, names in flags.items():
    bash = re.search(r"^    %s\)$.*?^      esac ;;$" % verb, scripts["bash"] + "      esac ;;\n", re.M | re.S)[0]
    zsh = re.search(r"^    %s\)$.*?;;$" % verb, scripts["zsh"], re.M | re.S)[0]
    fish = "\n".join(l for l in scripts["fish"].splitlines() if "__fish_seen_subcommand_from %s'" % verb in l)
    for name in names:
        long = name.startswith("--")
        places = {"manual page": name.replace("-", "\\-") in sections[verb],
                  "bash": re.search(r"(?<![\w-])%s(?![\w-])" % re.escape(name), bash) or not long,
                  "zsh": re.search(r"(?<![\w-])%s(?![\w-])" % re.escape(name), zsh),
                  "fish": re.search(r" -%s %s(?![\w-])" % ("l" if long else "[so]", re.escape(name.lstrip("-"))), fish)}
        missing += ["%s %s is not in the %s" % (verb, name, place) for place, there in places.items() if not there]
assert not missing, "\n".join(missing)

for shell, words in (("bash", ["-n"]), ("zsh", ["-n"]), ("fish", ["-n"])):
    if shutil.which(shell):
        subprocess.run([shell, *words], input=scripts[shell], text=True, check=True)
if shutil.which("groff"):
    warnings = subprocess.run(["groff", "-man", "-Tutf8", "-ww"], input=manual, capture_output=True, text=True, check=True).stderr
    assert not warnings, warnings
print("%d flags of %d verbs" % (sum(map(len, flags.values())), len(flags)))
