#!/usr/bin/env python3
"""Recomputes published figures from raw slices, by the words of the method and by none of the lab's code.

    python3 scripts/recompute.py RECORD SLICES PAGE...

RECORD is a record of method 3, SLICES the file of its slices (*.slices.ndjson.gz, beside the local record also of a published
one), PAGE the pages with its tables. Of every race that has slices and a table it compares the median, the ratio and both ends
of the ratio's interval with what the table prints, to the printed digit, and ends with 1 if one differs, or none was compared.

What is done is what suites/engine/CHANGELOG.md says of method 3; the standard library is all it needs.
"""

import gzip
import json
import math
import re
import sys
from collections import defaultdict
from statistics import fmean, median, stdev

LEAST_OVERLAP = 0.9
FULL_SPEED_WITHIN, SAME_FULL_SPEED = 1.12, 0.95
FEWEST_QUIET, FEWEST_QUIET_FORKS, QUIET_MAY_COST = 20, 3, 1.25
LOOKS = [4, 6, 8, 12, 16, 24, 32, 48, 64]
ROW_ERROR, TABLE_ERROR = 0.004, 0.05
LEAST_FLOOR, POWERLESS_FLOOR, SAME_WITHIN, MOST_OFFSET = 0.003, 0.1, 0.03, math.log1p(0.02)
CONTESTANTS = ("baseline", "aa-control", "rival")


def quantile(values, share):
    values = sorted(values)
    place = share * (len(values) - 1)
    below, above = math.floor(place), math.ceil(place)
    return values[below] + (place - below) * (values[above] - values[below])


# Student's t by the incomplete beta function and its continued fraction (Lentz), inverted by bisection.
def beta_fraction(a, b, x):
    tiny = 1e-300
    c, d = 1.0, 1.0 / (1.0 - (a + b) * x / (a + 1) or tiny)
    result = d
    for m in range(1, 500):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1.0 / ((1.0 + numerator * d) or tiny)
            c = (1.0 + numerator / c) or tiny
            result *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return result


def incomplete_beta(a, b, x):
    if x <= 0 or x >= 1:
        return float(x >= 1)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    if x < (a + 1) / (a + b + 2):
        return front * beta_fraction(a, b, x) / a
    return 1 - front * beta_fraction(b, a, 1 - x) / b


def student_quantile(share, freedom):
    """The t beyond which 1 - share lies."""
    tail = lambda t: incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t)) / 2
    low, high = 0.0, 1.0
    while tail(high) > 1 - share:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if tail(middle) > 1 - share else (low, middle)
    return high


def trigamma(x):
    """The sum of 1 / (x + k)^2, its rest by Euler and Maclaurin."""
    n = 2000
    y = x + n
    return math.fsum(1 / (x + k) ** 2 for k in range(n)) + 1 / y + 1 / (2 * y * y) + 1 / (6 * y**3)


def trigamma_inverse(value):
    low, high = 1e-6, 1e9
    for _ in range(200):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if trigamma(middle) > value else (low, middle)
    return high


# Slices to a value of each fork.
def crew_slices(crew, roles, oversubscribed, reference):
    """Of each slice: its turn, whether it counts, whether it is quiet, and its cost for each role."""
    workers = crew["workers"]
    start = lambda worker, at: 0 if oversubscribed else worker["startNs"][at]
    fast = [quantile(worker["tagNs"], 0.02) if worker["tagNs"] else None for worker in workers]
    is_full_speed = [
        tag is not None and reference is not None and tag <= FULL_SPEED_WITHIN * reference for tag in fast
    ]
    seen = []
    for at, turn in enumerate(crew["turns"]):
        starts = [start(worker, at) for worker in workers]
        ends = [worker["endNs"][at] for worker in workers]
        overlap = (min(ends) - max(starts)) / (max(ends) - min(starts))
        quiet = all(
            full and worker["tagNs"][at] <= FULL_SPEED_WITHIN * tag
            for worker, tag, full in zip(workers, fast, is_full_speed)
        )
        costs = {}
        for role in set(roles):
            rates = [
                worker["operations"][at]
                / (worker["endNs"][at] - start(worker, at) - (worker.get("preparingNs") or defaultdict(int))[at])
                for worker, own in zip(workers, roles)
                if own == role
            ]
            costs[role] = len(rates) / sum(rates) if sum(rates) > 0 else math.inf
        seen.append((turn, oversubscribed or overlap >= LEAST_OVERLAP, quiet, costs))
    return seen


def digest(own, beside, role, only_quiet):
    """(pairs or slices, median cost, median log ratio) of one crew in one fork."""
    base = {turn: costs[role] for turn, counts, quiet, costs in beside or [] if counts and (quiet or not only_quiet)}
    costs, ratios = [], []
    for turn, counts, quiet, cost in own:
        if not counts or (only_quiet and not quiet) or not math.isfinite(cost[role]):
            continue
        costs.append(cost[role])
        near = [base[other] for other in (turn - 1, turn + 1) if other in base]
        if near and all(math.isfinite(value) for value in near):
            ratios.append(math.log(cost[role]) - fmean(map(math.log, near)))
    return costs and (len(costs), median(costs)), ratios and (len(ratios), median(ratios))


# The judge.
def scatter(values):
    return (stdev(values) ** 2, len(values) - 1) if len(values) > 1 else (0.0, 0)


def median_of_variance(freedom):
    return (1 - 2 / (9 * freedom)) ** 3


def evidence(values, peers):
    variance, freedom = scatter(values)
    others = [(v, f) for v, f in map(scatter, peers) if f > 0 and v > 0]
    if freedom > 0 and others:
        usual = median(v / median_of_variance(f) for v, f in others)
        rows = [(v, f) for v, f in [(variance, freedom), *others] if v > 0]
        alike = 3.0
        if len(rows) >= 6:
            logs = [math.log(v / median_of_variance(f)) for v, f in rows]
            beyond = stdev(logs) ** 2 - fmean(trigamma(f / 2) for _, f in rows)
            alike = 2 * trigamma_inverse(beyond) if beyond > 0 else math.inf
        known = sum(f for _, f in others)
        like = min(1.0, 2 * usual / variance) if variance > 0 else 1.0
        borrowed = like * min(2 * freedom, 1 / (1 / alike + 1 / known))
        total = freedom + borrowed
        variance = (freedom * variance + borrowed * usual) / total
        freedom = max(1, math.floor(total))
    return fmean(values), variance / len(values), freedom


def interval(seen, confidence):
    middle, squared_error, freedom = seen
    if freedom == 0:
        return middle, -math.inf, math.inf
    reach = student_quantile((1 + confidence) / 2, freedom) * math.sqrt(squared_error)
    return middle, middle - reach, middle + reach


def robust_scale(rows):
    distances = [
        math.sqrt(len(row) / (len(row) - 1)) * abs(value - median(row)) for row in rows if len(row) > 1 for value in row
    ]
    return 1.4826 * median(distances) if distances else 0.0


def kept(values, scale):
    if not values:
        return []
    middle = median(values)
    limit = max(math.log(1.1), 6 * max(scale, robust_scale([values])))
    near = [abs(value - middle) <= limit for value in values]
    return near if near.count(False) <= len(values) / 4 else [True] * len(values)


def verdict(low, high, floor):
    if floor > POWERLESS_FLOOR:
        return "no power"
    if high < 1 / (1 + floor):
        return "faster"
    if low > 1 + floor:
        return "slower"
    return "same" if low >= 1 / (1 + SAME_WITHIN) and high <= 1 + SAME_WITHIN else "cannot tell"


def prepare(group, forks, state):
    """Rows of a group in a state of the machine, by role: logarithms of costs and ratios, by fork."""
    rows, floors = [], {}
    cells = [cell for cell in group["cells"] if cell["kind"] in CONTESTANTS]
    for role in dict.fromkeys(group["roles"]):
        own = []
        for cell in cells:
            by_state = {
                quiet: [fork["rows"][cell["competitor"]][role][quiet] for fork in forks if cell["competitor"] in fork["rows"]]
                for quiet in (False, True)
            }
            has_ratio = any(ratio for _, ratio in by_state[False])
            enough = sum(
                1 for costs, ratio in by_state[True] if ((ratio if has_ratio else costs) or (0,))[0] >= FEWEST_QUIET
            )
            quiet = state == "quiet" and enough >= FEWEST_QUIET_FORKS
            fewest = FEWEST_QUIET if quiet else 1
            pick = lambda which: [
                entry[which][1] for entry in by_state[quiet] if entry[which] and entry[which][0] >= fewest
            ]
            whole = cell.get("failure") is None
            own.append(
                {
                    "name": cell["competitor"],
                    "kind": cell["kind"],
                    "role": role,
                    "raced": cell["forks"],
                    "enough": enough >= FEWEST_QUIET_FORKS,
                    "costs": [math.log(value) for value in pick(0)] if whole else [],
                    "ratios": pick(1) if whole and cell["kind"] != "baseline" else [],
                }
            )
        scale = robust_scale([row["ratios"] for row in own])
        for row in own:
            row["ratios"] = [value for value, keep in zip(row["ratios"], kept(row["ratios"], scale)) if keep]
        control = next((row for row in own if row["kind"] == "aa-control"), None)
        if control and control["ratios"]:
            middle, low, high = interval(evidence(control["ratios"], []), 0.95)
            is_off = (low > 0 or high < 0) and abs(middle) <= MOST_OFFSET
            floors[role] = max(LEAST_FLOOR, math.expm1((high - low) / 2 if is_off else max(-low, high)))
            for row in own:
                if is_off and row is not control:
                    row["ratios"] = [value - middle for value in row["ratios"]]
        rows += own
    return {"rows": rows, "floors": floors}


def peers(group, row, key):
    return [o[key] for o in group["rows"] if o is not row and o["role"] == row["role"] and o[key]]


def usual_error(groups):
    errors = []
    for group in groups:
        for row in group["rows"]:
            if row["ratios"] and row["enough"]:
                _, low, high = interval(evidence(row["ratios"], peers(group, row, "ratios")), 0.95)
                errors.append((high - low) / 2)
    return median(errors) if errors else math.nan


def table(groups, forks_of):
    """Of each row of one table: median cost, and ratio with its interval."""
    prepared = of_any = [prepare(group, forks, "any") for group, forks in zip(groups, forks_of)]
    rows = [row for group in prepared for row in group["rows"]]
    if sum(row["enough"] for row in rows) > len(rows) / 2:
        quiet = [prepare(group, forks, "quiet") for group, forks in zip(groups, forks_of)]
        if usual_error(quiet) <= QUIET_MAY_COST * usual_error(prepared):
            prepared = quiet
    # A row is of one state: the table's, in the groups that have enough of that, else of all slices.
    by_name = defaultdict(lambda: {True: [], False: []})
    for group, of_all in zip(prepared, of_any):
        for row, whole in zip(group["rows"], of_all["rows"]):
            is_own = prepared is not of_any and row["enough"]
            by_name[row["name"], row["role"]][is_own].append((group, row) if is_own else (of_all, whole))
    by_name = {key: places[True] or places[False] for key, places in by_name.items()}
    first = next(cell["competitor"] for cell in groups[0]["cells"] if cell["kind"] == "aa-control")
    judged = [key for key, places in by_name.items() if key[0] != first and any(row["ratios"] for _, row in places)]
    looks = max(group["looks"] for group in groups)
    share = min(ROW_ERROR, TABLE_ERROR / max(1, len(judged))) / max(1, looks)
    figures = {}
    for (name, role), places in by_name.items():
        costs = [value for _, row in places for value in row["costs"]]
        if not costs:
            continue
        others = [peer for group, row in places for peer in peers(group, row, "costs")]
        costs = [value for value, keep in zip(costs, kept(costs, robust_scale([costs, *others]))) if keep]
        figure = {"median": math.exp(fmean(costs))}
        if (name, role) in judged:
            ratios = [value for _, row in places for value in row["ratios"]]
            seen = evidence(ratios, [peer for group, row in places for peer in peers(group, row, "ratios")])
            floor = max(group["floors"][role] for group, _ in places if role in group["floors"])
            raced = max(row["raced"] for _, row in places)
            middle, low, high = interval(seen, 1 - share)
            left = sum(1 for look in LOOKS[:looks] if look >= raced)
            if verdict(math.exp(low), math.exp(high), floor) in ("cannot tell", "no power") and left > 1:
                middle, low, high = interval(seen, 1 - left * share)
            figure |= {"ratio": math.exp(middle), "low": math.exp(low), "high": math.exp(high)}
        figures[name, role] = figure
    return figures


# What the tables print.
def printed(pages):
    """By scenario, workers and row: what the columns Median and Ratio say. Races of one worker count have no heading of it."""
    shown = {}
    for page in pages:
        scenario, workers, columns = None, None, None
        for line in open(page, encoding="utf8"):
            if line.startswith("#"):
                columns = None
                title = re.match(r"#+ ([\w-]+/[\w-]+)\b", line)
                count = re.match(r"#+ (?:Not competing, )?(\d+) workers?\b", line)
                if title:
                    scenario, workers = title[1], None
                if count:
                    workers = int(count[1])
            cells = [cell.strip().strip("*") for cell in line.strip().strip("|").split("|")]
            if line.startswith("| Competitor"):
                columns = cells
            elif line.startswith("|") and columns and not set(line) <= set("|:- \n"):
                row = dict(zip(columns, cells))
                time = next((row[column] for column in columns if column.startswith("Median")), None)
                if time and "Ratio" in row:
                    name = re.sub(r" \(.*\)$", "", row["Competitor"])
                    key = (scenario, workers, name, row.get("Role", ""))
                    shown.setdefault(key, (time, row["Ratio"]))
    return shown


def agrees(value, text):
    """Whether a figure is what is printed, to the printed digit."""
    text = text.replace(",", "")
    digits = len(text.partition(".")[2])
    return abs(value - float(text)) <= 0.5 * 10**-digits + 2e-4 * abs(value)


# The file of slices.
def raced_forks(path, tables):
    """Of each line: the crews that did not fail, and the group that they raced in with its forks, if that is in the record."""
    for line in gzip.open(path, "rt", encoding="utf8"):
        fork = json.loads(line)
        crews = [crew for crew in fork["crews"] if crew.get("failure") is None]
        names = {crew["name"] for crew in crews}
        found = None
        for group, forks in tables.get((fork["primitive"], fork["scenario"], fork["workers"]), []):
            kinds = {cell["competitor"]: cell["kind"] for cell in group["cells"]}
            if names <= set(kinds) and any(kinds[name] == "rival" for name in names):
                found = group, forks
                break
        yield crews, found


def full_speeds(path, tables):
    """Of each line: the tag at full speed that its quiet slices are told by, None where no slice of it is quiet.

    It is the least of the run so far. Where that has fallen by over a twentieth, it was another state's: at a look, and when
    the group ends, forks are told by what is known then, and a group that ended before has no quiet slices. The file is read
    for that alone, and again for the slices, because those of a run do not fit into memory together.
    """
    least, known, lines_of = math.inf, [], defaultdict(list)

    def renew(lines, reference):
        for line in lines:
            if reference < SAME_FULL_SPEED * known[line]:
                known[line] = reference

    for line, (crews, found) in enumerate(raced_forks(path, tables)):
        tags = [quantile(worker["tagNs"], 0.02) for crew in crews for worker in crew["workers"] if worker["tagNs"]]
        least = min([least, *tags])
        known.append(least)
        if found:
            looks, own = found[0]["looks"], lines_of[id(found[0])]
            own.append(line)
            if looks > 1 and len(own) in LOOKS:
                renew(own, least)
    for lines in lines_of.values():
        at_end = known[lines[-1]]
        renew(lines, at_end)
        if least < SAME_FULL_SPEED * at_end:
            for line in lines:
                known[line] = None
    return known


def main(record_path, slices_path, *pages):
    record = json.load(open(record_path, encoding="utf8"))
    tables = defaultdict(list)
    for group in record["groups"]:
        tables[group["primitive"], group["scenario"], group["workers"]].append((group, []))
    references = full_speeds(slices_path, tables)
    for (crews, found), reference in zip(raced_forks(slices_path, tables), references):
        if found:
            group, forks = found
            cells = {cell["competitor"]: cell for cell in group["cells"]}
            contestants = [crew for crew in crews if cells[crew["name"]]["kind"] in CONTESTANTS]
            sliced = {
                crew["name"]: crew_slices(crew, group["roles"], group["oversubscribed"], reference) for crew in contestants
            }
            base = next((name for name in sliced if cells[name]["kind"] == "baseline"), None)
            forks.append(
                {
                    "rows": {
                        name: {
                            role: {
                                quiet: digest(own, None if name == base else sliced.get(base), role, quiet)
                                for quiet in (False, True)
                            }
                            for role in set(group["roles"])
                        }
                        for name, own in sliced.items()
                    }
                }
            )
    shown = printed(pages)
    compared = wrong = 0
    for (primitive, scenario, workers), found in tables.items():
        if not all(forks for _, forks in found):
            print(f"{primitive}/{scenario} at {workers}: no slices")
            continue
        figures = table([group for group, _ in found], [forks for _, forks in found])
        for (name, role), figure in figures.items():
            place = f"{primitive}/{scenario}"
            own = "" if role == "worker" else role
            texts = shown.get((place, workers, name, own)) or shown.get((place, None, name, own))
            if texts is None:
                continue
            time, ratio = texts
            parts = re.match(r"([\d.,]+) \(([\d.,]+)-([\d.,]+)\)", ratio)
            checks = [(figure["median"], re.match(r"[\d.,]+", time)[0])] if re.match(r"[\d.,]+", time) else []
            if parts and "ratio" in figure:
                checks += zip((figure["ratio"], figure["low"], figure["high"]), parts.groups())
            for value, text in checks:
                compared += 1
                if not agrees(value, text):
                    wrong += 1
                    print(f"{primitive}/{scenario}/{name} at {workers}: {value:.6g}, printed {text}")
    print(f"{compared} figures recomputed, {wrong} otherwise than printed")
    return 1 if wrong or compared == 0 else 0


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit("usage: recompute.py RECORD SLICES PAGE...")
    sys.exit(main(*sys.argv[1:]))
