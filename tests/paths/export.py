"""Extracts from a report of Nsight Compute how often each instruction was executed, with a line of JSON for each
launch.
    export.py REPORT.ncu-rep OUT.json.gz
"""
import glob
import gzip
import json
import sys

sys.path += sorted(glob.glob("/opt/nvidia/nsight-compute/*/extras/python"))[-1:]
import ncu_report


def instances(action, name):
    metric = action.metric_by_name(name)
    if metric is None or not metric.num_instances():
        return {}
    pcs = metric.correlation_ids()
    return {pcs.as_uint64(i): metric.as_uint64(i) for i in range(metric.num_instances())}


context = ncu_report.load_report(sys.argv[1])
with gzip.open(sys.argv[2], "wt") as f:
    for r in range(context.num_ranges()):
        for n in range(context.range_by_idx(r).num_actions()):
            action = context.range_by_idx(r).action_by_idx(n)
            executed, lanes = instances(action, "inst_executed"), instances(action, "thread_inst_executed")
            base, rows, last = min(executed), [], None
            for pc in sorted(executed):
                now = (executed[pc], lanes.get(pc, 0))
                if now != last:
                    rows.append([pc - base, *now])
                last = now
            rows.append([max(executed) - base + 16, 0, 0])
            f.write(json.dumps({"name": action.name(), "rows": rows,
                                "executed": action.metric_by_name("smsp__inst_executed.sum").as_double()}) + "\n")
