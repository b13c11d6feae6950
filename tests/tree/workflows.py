#!/usr/bin/python3
"""The workflow, the actions, the hook and the issue forms: they are valid YAML, they have the keys that GitHub requires, and the scripts
that they run exist. Exit 77 if Python has no YAML (Debian: python3-yaml, which mkdocs installs)."""
import os
import pathlib
import re
import sys

try:
    import yaml
except ImportError:
    print("skipped: python3-yaml is not installed")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
wrong = []


def expect(true, path, what):
    if not true:
        wrong.append(f"{path.relative_to(ROOT)}: {what}")


def check_steps(path, name, steps):
    expect(isinstance(steps, list) and steps, path, f"{name} has no steps")
    for step in steps or []:
        expect(("run" in step) != ("uses" in step), path, f"a step of {name} runs nothing, or two things: {step}")
        expect("uses" not in step or re.fullmatch(r"[\w.-]+/[\w./-]+@\w[\w.-]*|\./[\w./-]+", step["uses"]), path,
               f"{name} uses {step.get('uses')}, which names no version")
        for script in re.findall(r"(?:^|[\s&;|])((?:scripts|packaging)/[\w/-]+)", step.get("run", "")):
            expect(os.access(ROOT / script, os.X_OK), path, f"{name} runs {script}, which is not a program of the tree")


def check_workflow(path, text):
    # YAML 1.1 reads the key `on` as the value true.
    expect(text.get("on", text.get(True)), path, "nothing starts it")
    expect(text.get("permissions"), path, "it does not say what it may do")
    jobs = text.get("jobs") or {}
    expect(jobs, path, "it has no jobs")
    for name, job in jobs.items():
        expect("runs-on" in job, path, f"{name} runs nowhere")
        expect("timeout-minutes" in job, path, f"{name} may run for hours")
        check_steps(path, name, job.get("steps"))


def check_form(path, form):
    for key in ("name", "description", "body"):
        expect(form.get(key), path, f"no {key}")
    ids = [field.get("id") for field in form.get("body", []) if field.get("type") != "markdown"]
    expect(None not in ids and len(set(ids)) == len(ids), path, f"ids are missing or occur twice: {ids}")
    for field in form.get("body", []):
        kinds = ("markdown", "input", "textarea", "dropdown", "checkboxes")
        expect(field.get("type") in kinds, path, f"no field is a {field.get('type')}")
        needed = "value" if field.get("type") == "markdown" else "label"
        expect(field.get("attributes", {}).get(needed), path, f"{field.get('id')} has no {needed}")
    return ids


def load(path):
    try:
        return yaml.safe_load(path.read_text())
    except yaml.YAMLError as error:
        expect(False, path, f"not YAML: {error}")
        return None


commands = ""
for path in sorted((ROOT / ".github/workflows").glob("*.yml")):
    if text := load(path):
        check_workflow(path, text)
        commands += " ".join(step.get("run", "") for job in text["jobs"].values() for step in job["steps"]) + "\n"
for needed in ("scripts/test\n", "scripts/check-fresh-root ", "scripts/build-release all ", "scripts/try-wheel "):
    expect(needed.strip() in commands, ROOT / ".github/workflows", f"no workflow runs {needed.strip()}")
# The container is built from files of the tree. These files must exist.
container = ROOT / "packaging/Containerfile"
for words in re.findall(r"^COPY (?!--from)(\S+) ", container.read_text(), re.MULTILINE):
    expect((ROOT / words).exists(), container, f"{words} is not in the tree")
for script in re.findall(r"(?:^RUN |&& )((?:scripts|packaging)/[\w-]+)", container.read_text(), re.MULTILINE):
    expect(os.access(ROOT / script, os.X_OK), container, f"{script} is not a program of the tree")
# GitHub's Marketplace only lists actions in the root of a repository.
for action in [ROOT / "action.yml", *sorted((ROOT / "packaging/github").rglob("action.yml"))]:
    if text := load(action):
        for key in ("name", "description", "inputs"):
            expect(text.get(key), action, f"no {key}")
        expect(text.get("runs", {}).get("using") == "composite", action, "it does not consist of steps")
        check_steps(action, "the action", text["runs"]["steps"])
        asked = set(re.findall(r"inputs\.([\w-]+)", action.read_text()))
        expect(asked == set(text["inputs"]), action, f"inputs and their uses differ: {sorted(asked ^ set(text['inputs']))}")
        ids = {step.get("id"): step for step in text["runs"]["steps"]}
        for name in re.findall(r"steps\.([\w-]+)\.", action.read_text()):
            expect(name in ids, action, f"no step is called {name}")
        for step in text["runs"]["steps"]:
            if "run" not in step:
                continue
            expect(step.get("shell"), action, "a step of an action names its shell")
            # Values from outside are passed in variables. An expression in a command would become a part of the
            # command.
            expect("${{" not in step["run"], action, f"an expression is in a command: {step['run']}")
            for program in re.findall(r"\$\{GITHUB_ACTION_PATH\}/([\w./-]+)", step["run"]):
                expect(os.access(action.parent / program, os.X_OK), action, f"{program} is not a program of the tree")
root = load(ROOT / "action.yml")
commenting = load(ROOT / "packaging/github/comment/action.yml")
# The job that has the token executes nothing from the pull request.
expect("token" not in str(root["inputs"]) and "github.token" not in (ROOT / "action.yml").read_text(), ROOT / "action.yml", "it has a token")
expect("build" not in commenting["inputs"], ROOT / "packaging/github/comment/action.yml", "it builds")


def check_documented(path):
    """Workflows in a document, which a reader can paste. Workflows with our actions use them as this repository does."""
    for block in re.findall(r"```yaml\n(.*?)```", path.read_text(), re.DOTALL):
        try:
            workflow = yaml.safe_load(block)
        except yaml.YAMLError as error:
            expect(False, path, f"not YAML: {error}")
            continue
        if not isinstance(workflow, dict) or "jobs" not in workflow:
            continue
        check_workflow(path, workflow)
        for job_name, job in workflow["jobs"].items():
            permissions = job.get("permissions", workflow["permissions"])
            for step in job["steps"]:
                used = step.get("uses", "")
                if not used.startswith("./"):
                    continue
                folder = used.removeprefix("./bankwise").strip("/")
                action = load(ROOT / folder / "action.yml")
                given = set(step.get("with", {}))
                expect(given <= set(action["inputs"]), path, f"{used} has no input {sorted(given - set(action['inputs']))}")
                may_write = "write" in str(permissions)
                expect(may_write == folder.endswith("comment"), path, f"{job_name} should {'not ' if may_write else ''}have a token that writes")


for path in sorted((ROOT / "docs").rglob("*.md")):
    check_documented(path)
# A workflow that readers copy must not have placeholders.
for path in [ROOT / "README.md", ROOT / "action.yml", ROOT / ".pre-commit-hooks.yaml", *(ROOT / "docs").rglob("*.md"),
             *(ROOT / "packaging").rglob("*"), *(ROOT / "editors").glob("*/*.md"), *(ROOT / "python").rglob("*.toml")]:
    if path.is_file():
        found = re.search(r"\bOWNER\b|@REF\b|\bYOUR[-_ ]|<(?:owner|org|user|your-\w+)>", path.read_text(errors="replace"))
        expect(not found, path, f"has the placeholder {found[0] if found else ''}")
hooks = ROOT / ".pre-commit-hooks.yaml"
for hook in load(hooks) or []:
    for key in ("id", "name", "entry", "language", "files"):
        expect(hook.get(key), hooks, f"a hook has no {key}")
    # Whether pre-commit starts the hook for each of these changed paths.
    for path, wanted in (("src/gemm.cu", True), ("bankwise.toml", True), ("sub/bankwise.toml", True), ("README.md", False)):
        expect(bool(re.search(hook["files"], path)) == wanted, hooks, f"{hook['id']} is wrong about {path}")
forms = {}
for path in sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml")):
    text = load(path)
    if text and path.name != "config.yml":
        forms[path.name] = check_form(path, text)
asked = {"cubin", "launch", "gpu", "ncu", "report", "version"}
missing = asked - set(forms.get("wrong-count.yml", []))
expect(not missing, ROOT / ".github/ISSUE_TEMPLATE/wrong-count.yml", f"does not ask for {sorted(missing)}")

for line in wrong:
    print(line)
sys.exit(1 if wrong else 0)
