"""A rule of Nsight Compute: shows the sentences of a bankwise report on the page of the kernel, and next to its source lines.

    bankwise run --fix --format json -o app.json ./app                 # on any machine
    BANKWISE_REPORT=app.json ncu --section-folder FOLDER_OF_THIS_FILE --section Bankwise ./app

The rule uses the report's launch with the same kernel, grid and block. It compares the numbers with those of Nsight Compute. If they
differ, the report is for another build or input, and the rule reports that first.
"""
import json
import os

import NvRules

REPORT = "BANKWISE_REPORT"
MOST = 5  # largest number of lines and of arrays in the summary


def get_identifier():
    return "Bankwise"


def get_name():
    return "Bank Conflicts and Sectors, by bankwise"


def get_description():
    return ("Shows the findings of the report in {}: lines with bank conflicts in shared memory, lines that touch more sectors of global memory than their bytes fill, and remedies").format(REPORT)


def get_section_identifier():
    return "Bankwise"


def read_report():
    """Returns the report, or a sentence that explains why it is missing."""
    path = os.environ.get(REPORT, "")
    if not path:
        return None, ("The environment variable {0} is not set. Write a report with `bankwise run --fix --format json -o app.json ./app` on any machine, and start ncu with {0}=app.json.").format(REPORT)
    try:
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
    except (OSError, ValueError) as error:
        return None, "{}={} could not be read: {}".format(REPORT, path, error)
    if not isinstance(report, dict) or report.get("schema") != "bankwise.report/1":
        return None, "{}={} was not written by `bankwise run --format json`.".format(REPORT, path)
    return report, ""


def number(action, name):
    metric = action.metric_by_name(name)
    return None if metric is None else metric.as_uint64()


def by_address(action, name):
    """Returns the values of a metric by the address of the instruction."""
    metric = action.metric_by_name(name)
    if metric is None or not metric.num_instances():
        return {}
    addresses = metric.correlation_ids()
    return {addresses.as_uint64(i): metric.as_uint64(i) for i in range(metric.num_instances())}


def find_launch(report, action):
    """Returns the launches with the kernel, grid and block of the profiled launch, or a sentence that explains why there are none."""
    mangled, said = action.name(NvRules.IAction.NameBase_MANGLED), action.name()
    ours = [l for l in report["launches"] if mangled == l["mangled"] or said in (l["name"], l["kernel"])]
    if not ours:
        return None, "The report has no launch of {}.".format(said)
    shape = [[number(action, "launch__{}_dim_{}".format(what, axis)) for axis in "xyz"] for what in ("grid", "block")]
    same = [l for l in ours if [l["grid"], l["block"]] == shape]
    if not same:
        return None, "The report has no launch of {} with grid {} and block {}, but it has a launch with grid {} and block {}.".format(
            said, *shape, ours[0]["grid"], ours[0]["block"])
    return same, ""


def grouped(n):
    return "{:,}".format(n)


def shown_wavefronts(site):
    """Returns the wavefronts that Nsight Compute's source page shows for a site. Nsight Compute computes them with its own model."""
    return site.get("ncu_wavefronts", site["wavefronts"])


def sites_of_kernel(launch):
    """Returns the sites of the kernel by offset, without sites in device functions that were not inlined."""
    return {s["pc"]: s for s in launch["sites"] if not s.get("function")}


def closest(launches, offsets):
    """Returns the launch with the fewest sites that differ from Nsight Compute's numbers, and these sites."""
    def differing(launch):
        sites = sites_of_kernel(launch)
        return [s for pc, s in sites.items() if offsets.get(pc) != shown_wavefronts(s)]

    best = min(launches, key=lambda l: len(differing(l)))
    return best, differing(best)


def by_data(site):
    return "data" in site.get("depends_on", {}).get("address", [])


def what_removes(sites):
    """Returns a text such as "63,488 of these wavefronts can be removed by a layout". Counts the wavefronts of addresses that depend on data separately."""
    layout, data = (sum(s["removable"] for s in sites if by_data(s) == of) for of in (False, True))
    parts = ["{} of these wavefronts can be removed by a layout".format(grouped(layout))] if layout or not data else []
    if data:
        parts.append("{} of these wavefronts come from addresses that depend on data. No layout removes these wavefronts, but copies of the array can, for example one copy for each lane".format(
            grouped(data)))
    return ". ".join(parts)


def sentence(sites):
    """Returns a sentence about the finding in a line, in the words of `bankwise check`."""
    accesses = ", ".join(sorted({"{}.b{}".format(s["op"], s["width_bytes"] * 8) if s["op"] in ("ld", "st") else s["op"]
                                 for s in sites}))
    return "{}: {} wavefronts for {} executions; {}".format(
        accesses, *(grouped(sum(s[k] for s in sites)) for k in ("wavefronts", "executed")), what_removes(sites))


def answer_of(array):
    """Returns the best layout of an array. If no layout helps, returns the best remedy for accesses that depend on data, or None."""
    for answer in array.get("answers", [])[:1]:
        if answer["wavefronts"] < array["wavefronts"]:
            code = [l for l in answer["cuda"].splitlines() if l.strip()]
            return "{}: {}{}".format(array["array"], array["verdict"], ". In CUDA: " + code[0] if len(code) == 1 else "")
    as_it_is, *others = array.get("by_data", {}).get("remedies") or [None]
    # a remedy of kind "sort" is used only if there is no other remedy, because the cost of sorting was not measured
    best = min(others, key=lambda r: (r["kind"] == "sort", r["wavefronts"][0]), default=None)
    if best and best["wavefronts"][0] < as_it_is["wavefronts"][0]:
        return "{}: {}: {} wavefronts instead of {}, in {} bytes".format(
            array["array"], best["summary"], *map(grouped, (best["wavefronts"][0], as_it_is["wavefronts"][0], best["bytes"])))
    return None


def is_global(site):
    return site["space"] == "global"


def sectors_sentence(sites):
    """Returns a sentence about the sectors of a line, with the reason and the remedy for the line's worst instruction."""
    worst = max(sites, key=lambda s: s["excess_sectors"])
    said = "{}: {} sectors for {} requests, but {} would be enough for these bytes".format(
        ", ".join(sorted({"{}.b{}".format(s["op"], s["width_bytes"] * 8) for s in sites})),
        *(grouped(sum(s[k] for s in sites)) for k in ("sectors", "requests", "sectors_ideal")))
    if "reason" in worst:
        said += "; {}. Remedy: {}: {} sectors instead of {}".format(
            worst["reason"], worst["remedy"], grouped(worst["sectors_after"]), grouped(worst["sectors"]))
    return said


def speak_of_sectors(frontend, action, launch, addresses):
    """Reports the sectors of global memory, compared with memory_l2_theoretical_sectors_global."""
    if "global_sites" not in launch:
        return
    base, kinds = min(addresses) if addresses else 0, NvRules.IFrontend
    counted = by_address(action, "memory_l2_theoretical_sectors_global")
    predicted = {}
    for site in launch["global_sites"]:
        if is_global(site) and not site.get("function"):
            predicted[site["pc"]] = predicted.get(site["pc"], 0) + site["sectors"]
    differing = [pc for pc, n in predicted.items() if counted.get(base + pc, 0) != n]
    if counted and differing:
        frontend.message(kinds.MsgType_MSG_WARNING, (
            "{} of {} instructions touch a different number of sectors of global memory than in the report (at 0x{:x}: {} here, {} in the report). The report is for a different build, input or launch of this kernel, or the memory begins at a different offset within a sector.").format(
                len(differing), len(predicted), differing[0], grouped(counted.get(base + differing[0], 0)),
                grouped(predicted[differing[0]])), "Other Sectors")
    totals = launch["global_totals"]
    if not totals["excess_sectors"]:
        frontend.message(kinds.MsgType_MSG_OK, "{} sectors of global memory, which is the minimum for these bytes.".format(
            grouped(totals["sectors"])), "Coalesced")
        return
    message = frontend.message(
        kinds.MsgType_MSG_OPTIMIZATION, "{} sectors of global memory, but {} would be enough for these bytes.".format(
            grouped(totals["sectors"]), grouped(totals["sectors_ideal"])), "Sectors")
    if counted:
        frontend.focus_metric(message, "memory_l2_theoretical_sectors_global", float(sum(counted.values())),
                              kinds.Severity_SEVERITY_HIGH,
                              "{} would be enough for these bytes".format(grouped(totals["sectors_ideal"])))
    speak_of_lines(frontend, action, base, addresses, filter(is_global, launch["global_sites"]), "excess_sectors", sectors_sentence)


def speak_of_lines(frontend, action, base, addresses, sites, count, says):
    """Writes a message for each line with a high count. `says` makes a sentence from the sites of a line."""
    lines = {}
    for site in sites:
        if site[count]:
            lines.setdefault((site.get("file", ""), site.get("line", 0)), []).append(site)
    worst = sorted(lines.items(), key=lambda l: (-sum(s[count] for s in l[1]), l[0]))[:MOST]
    for (file, line), of_line in worst:
        said = says(of_line)
        frontend.message(NvRules.IFrontend.MsgType_MSG_OPTIMIZATION, "{}:{}: {}".format(file, line, said) if line else said, "Line")
        mark(frontend, action, base, addresses, line, of_line, says)


def mark(frontend, action, base, addresses, line, sites, says):
    """Shows the sentence next to each instruction, and next to the line in each source file of these instructions."""
    kinds, paths = NvRules.IFrontend, set()
    for site in sites:
        address = base + site["pc"]
        if site.get("function") or address not in addresses:
            continue
        frontend.source_marker(says([site]), address, kinds.MarkerKind_SASS, kinds.MsgType_MSG_OPTIMIZATION)
        info = action.source_info(address)
        if info and info.line() == line:
            paths.add(info.file_name())
    for path in sorted(paths):
        frontend.source_marker(says(sites), line, kinds.MarkerKind_SOURCE, path, kinds.MsgType_MSG_OPTIMIZATION)


def speak(frontend, action, launches, addresses):
    base = min(addresses) if addresses else 0
    counted = by_address(action, "memory_l1_wavefronts_shared")
    offsets = {a - base: n for a, n in counted.items()}
    launch, differing = closest(launches, offsets)
    kinds = NvRules.IFrontend
    if counted and differing:
        one = differing[0]
        frontend.message(kinds.MsgType_MSG_WARNING, (
            "{} of {} instructions have different counts than in the report ({} at 0x{:x}: {} here, {} in the report), so the report is for a different build, input or launch of this kernel. The sentences below apply to the launch in the report.").format(
                len(differing), len(sites_of_kernel(launch)), one["op"], one["pc"],
                grouped(offsets.get(one["pc"], 0)), grouped(shown_wavefronts(one))), "Another Launch")
    totals = launch["totals"]
    if not totals["removable"]:
        frontend.message(kinds.MsgType_MSG_OK, "{} wavefronts. No layout can remove any of them.".format(
            grouped(totals["wavefronts"])), "No Bank Conflicts")
        speak_of_sectors(frontend, action, launch, addresses)
        return
    text = "{} wavefronts of shared memory. {}. Without the removable wavefronts, the shared-memory pipe would be busy for {} clocks instead of {}.".format(
        grouped(totals["wavefronts"]), what_removes(launch["sites"]), grouped(totals["shared_cycles_reachable"]),
        grouped(totals["cycles"]))
    message = frontend.message(kinds.MsgType_MSG_OPTIMIZATION, text, "Bank Conflicts")
    frontend.speedup(message, kinds.SpeedupType_LOCAL,
                     100.0 * (totals["cycles"] - totals["shared_cycles_reachable"]) / max(totals["cycles"], 1))
    frontend.focus_metric(message, "memory_l1_wavefronts_shared", float(sum(counted.values())), kinds.Severity_SEVERITY_HIGH,
                          "{} are reachable".format(grouped(totals["reachable"])))
    speak_of_lines(frontend, action, base, addresses, launch["sites"], "removable", sentence)
    for said in list(filter(None, map(answer_of, launch.get("fixes", []))))[:MOST]:
        frontend.message(kinds.MsgType_MSG_OPTIMIZATION, said, "Layout")
    speak_of_sectors(frontend, action, launch, addresses)


def apply(handle):
    context = NvRules.get_context(handle)
    action, frontend = context.range_by_idx(0).action_by_idx(0), context.frontend()
    report, why = read_report()
    launches, why = find_launch(report, action) if report else (None, why)
    if not launches:
        frontend.message(NvRules.IFrontend.MsgType_MSG_WARNING, why, "No Report")
        return
    speak(frontend, action, launches, sorted(by_address(action, "inst_executed")))
