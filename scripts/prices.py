"""What each protection of a run costs: shares of the time of its slices, and of its wall time.

    python3 scripts/prices.py RECORD.json RECORD.slices.ndjson.gz

The slices of a race are those of its baseline and rivals, and of what protects them: a second crew of the baseline (A/A), a
private addition, an empty operation. A slice lasts until its last worker ends. A warm-up slice is ordered for 1 ms. What is
left of the wall time is spent outside slices: processes and threads start, crews wake and fall asleep, memory is copied,
accounts are made, and simulations run.
"""

import gzip
import json
import sys
from collections import Counter
from datetime import datetime

WARM_UP_SECONDS = 0.001


def main(record_path, slices_path):
    record = json.load(gzip.open(record_path, "rt") if record_path.endswith(".gz") else open(record_path))
    kinds = {
        (group["primitive"], group["scenario"], group["workers"], cell["competitor"]): cell["kind"]
        for group in record["groups"]
        for cell in group["cells"]
    }
    seconds, slices, warm_ups, processes = Counter(), Counter(), 0, 0
    for line in gzip.open(slices_path, "rt"):
        fork = json.loads(line)
        processes += 1
        for crew in fork["crews"]:
            kind = kinds[fork["primitive"], fork["scenario"], fork["workers"], crew["name"]]
            ends = zip(*(worker["endNs"] for worker in crew["workers"]))
            seconds[kind] += sum(max(workers) for workers in ends) / 1e9
            slices[kind] += len(crew["rounds"])
            warm_ups += crew["warmUp"]["slices"]
    measured = sum(seconds.values())
    moments = [datetime.fromisoformat(record[name].replace("Z", "+00:00")) for name in ("startedAt", "finishedAt")]
    wall = (moments[1] - moments[0]).total_seconds()
    print(f"{wall:.0f} s, {processes} processes, {sum(slices.values())} slices of {measured:.0f} s together\n")
    print("| | slices | seconds | of slices | of wall time |\n| :-- | --: | --: | --: | --: |")
    rows = [(kind, slices[kind], seconds[kind]) for kind in seconds] + [("warm-up", warm_ups, warm_ups * WARM_UP_SECONDS)]
    for kind, count, took in sorted(rows, key=lambda row: -row[2]):
        of_slices = f"{took / measured:.1%}" if kind != "warm-up" else ""
        print(f"| {kind} | {count} | {took:.1f} | {of_slices} | {took / wall:.1%} |")
    outside = wall - measured - warm_ups * WARM_UP_SECONDS
    print(f"| outside slices | | {outside:.1f} | | {outside / wall:.1%} |")


main(*sys.argv[1:])
