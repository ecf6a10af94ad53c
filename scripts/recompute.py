#!/usr/bin/env python3
"""Recomputes published figures from raw slices, by the words of the method and by none of the lab's code.

    python3 scripts/recompute.py [--repeats FOLDER] RECORD SLICES PAGE...
    python3 scripts/recompute.py --repeats FOLDER

RECORD is a record of method 5, SLICES the file of its slices (*.slices.ndjson.gz, beside the local record also of a published
one), PAGE the pages with its tables. Of every race that has slices and a table it compares the median, the ratio and both ends
of the ratio's interval with what the table prints, to the printed digit, and ends with 1 if one differs, or none was compared.

FOLDER has the whole runs that were repeated, and what the lab learnt from them, which is computed from their records and
compared. With it intervals of ratios are those for another run, and without it those of the run itself.

It does what suites/engine/METHOD.md says of method 5, and needs the standard library alone.
"""

import functools
import glob
import gzip
import json
import math
import os
import re
import sys
from collections import Counter, defaultdict
from statistics import fmean, median, stdev

MOST_LATE_NS = 1_000_000
STEP, SMOOTHED, VALLEY, FALLEN = 0.02, 3, 1 / 2, 1 / 20
DENSE_SPEED, DENSE_DISTANCE = 1 / 4, 1 / 10
STATES, FEWEST_OF_STATE = ("quiet", "far", "any"), 20
LONG_SLICE_US = 2_000
FEWEST_PROCESSES = 4
FEWEST_OF_GROUP, LEAST_SHARE_OF_GROUP, LEAST_APART, GAP_DEVIATIONS = 3, 0.1, math.log(1.1), 5
FEWEST_TO_HALVE, TELLS_APART = 8, 0.9
LEVEL_LEAVES_OUT, FIGURE_CONFIDENCE = 0.03, 0.99
REGIME_VARIANCE, REGIME_FREEDOM = math.log(1.1) ** 2, 100
LEAST_OUTLIER, OUTLIER_SCALES, PROCESSES_PER_OUTLIER = math.log(1.01), 5, 6
LOOKS = [4, 6, 8, 12, 16, 24, 32, 48, 64]
ROW_ERROR, TABLE_ERROR = 0.004, 0.05
LEAST_FLOOR, POWERLESS_FLOOR, SAME_WITHIN = 0.003, 0.1, 0.03
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


@functools.cache
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


@functools.cache
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


def opened(path):
    """A text file, which may be compressed by gzip."""
    return (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf8")


# Slices to the quartiles of each fork.
def crew_slices(crew, roles, oversubscribed, states):
    """Of each slice that counts: its state, and for each role its cost, operations and time."""
    workers = crew["workers"]
    start = lambda worker, at: 0 if oversubscribed else worker["startNs"][at]
    seen = []
    for at in range(len(crew["rounds"])):
        starts = [start(worker, at) for worker in workers]
        ends = [worker["endNs"][at] for worker in workers]
        late = max(max(starts) - min(starts), max(ends) - min(ends))
        if late > MOST_LATE_NS and not oversubscribed:
            continue
        costs = {}
        for role in set(roles):
            work = [
                (
                    worker["operations"][at],
                    worker["endNs"][at] - start(worker, at) - (worker.get("preparingNs") or defaultdict(int))[at],
                )
                for worker, own in zip(workers, roles)
                if own == role
            ]
            rates = [operations / time for operations, time in work]
            cost = len(rates) / sum(rates) if sum(rates) > 0 else math.inf
            costs[role] = (cost, *map(sum, zip(*work)))
        seen.append(("any" if oversubscribed else state_of(crew, at, *states), costs))
    return seen


def state_of(crew, at, full_speed, distances, renamed):
    tags = [worker["tagNs"][at] for worker in crew["workers"] if worker["tagNs"]]
    if full_speed is None or not tags or max(tags) > full_speed[2]:
        return "any"
    if "handoverNs" not in crew or not distances:
        return renamed["quiet"]
    names = [name for name, mode in zip(("quiet", "far"), distances) if is_in(mode, crew["handoverNs"][at])]
    return renamed[names[0]] if names else "any"


# The states of the machine: (mean at the peak, lower and upper edge) of the dense peaks of a distribution.
def is_in(mode, reading):
    return mode[1] <= reading < mode[2]


def modes(readings, dense):
    steps = Counter()
    totals = defaultdict(float)
    for reading, times in readings:
        if reading > 0:
            steps[math.floor(math.log(reading) / STEP)] += times
            totals[math.floor(math.log(reading) / STEP)] += times * reading
    if not steps:
        return []
    places = range(min(steps) - 2 * SMOOTHED, max(steps) + 2 * SMOOTHED + 1)
    window = lambda place: range(place - SMOOTHED, place + SMOOTHED + 1)
    height = {place: sum(steps[near] for near in window(place)) for place in places}
    highest = max(height.values())

    def is_peak(place):
        for by in (-1, 1):
            at = place + by
            while height.get(at, 0) >= VALLEY * height[place]:
                if height[at] > height[place] or (by < 0 and height[at] == height[place]):
                    return False
                at += by
        return True

    peaks = [place for place in places if height[place] >= dense * highest and is_peak(place)]
    found = []
    for peak, below, above in zip(peaks, [-math.inf, *peaks], [*peaks[1:], math.inf]):
        low = high = peak
        while low - 1 > (below + peak) / 2 and height.get(low - 1, 0) >= FALLEN * height[peak]:
            low -= 1
        while high + 1 <= (peak + above) / 2 and height.get(high + 1, 0) >= FALLEN * height[peak]:
            high += 1
        mean = sum(totals[near] for near in window(peak)) / height[peak]
        found.append((mean, math.exp(low * STEP), math.exp((high + 1) * STEP)))
    return found


def versions_of(crew, roles):
    """By role, the versions of the code that its workers ran; none where one is not known."""
    of = defaultdict(set)
    for role, version in zip(roles, crew.get("compiled") or []):
        of[role].add(version)
    return {role: "/".join(sorted(own)) for role, own in of.items() if "" not in own}


def digest(own, role, state):
    """(slices, lower quartile, median, mean) of what one crew cost in one fork."""
    slices = [of[role] for seen, of in own if state in ("any", seen) and math.isfinite(of[role][0])]
    if not slices:
        return None
    costs, operations, times = zip(*slices)
    return len(costs), quantile(costs, 0.25), median(costs), sum(times) / sum(operations)


# The judge.
def scatter(values):
    return (stdev(values) ** 2, len(values) - 1) if len(values) > 1 else (0.0, 0)


def median_of_variance(freedom):
    return (1 - 2 / (9 * freedom)) ** 3


def evidence(values, peers, fewest=FEWEST_PROCESSES):
    if len(values) < fewest:
        return fmean(values), 0.0, 0
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
    middle, squared_error, freedom, _ = seen
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
    limit = max(LEAST_OUTLIER, OUTLIER_SCALES * max(scale, robust_scale([values])))
    near = [abs(value - middle) <= limit for value in values]
    return near if near.count(False) <= len(values) // PROCESSES_PER_OUTLIER else [True] * len(values)


def weighing(values, scale):
    return [value for value, keep in zip(values, kept(values, scale)) if keep]


def gap_in(values):
    """The ends of the widest gap between values; none if it is none."""
    order = sorted(values)
    cut = max(range(1, len(order)), key=lambda place: order[place] - order[place - 1])
    low, high = order[:cut], order[cut:]
    within = sum((value - fmean(own)) ** 2 for own in (low, high) for value in own) / (len(order) - 2)
    is_apart = high[0] - low[-1] > GAP_DEVIATIONS * math.sqrt(within) and fmean(high) - fmean(low) >= LEAST_APART
    return (low[-1], high[0]) if is_apart else None


def by_gap(values):
    """The places of the two groups that values fall into, the lower one first; none if they are one. Each half divides the other."""
    if len(values) < FEWEST_TO_HALVE:
        return None
    gaps = [gap_in(values[half::2]) for half in (0, 1)]
    if None in gaps:
        return None
    middles = [sum(gap) / 2 for gap in gaps]
    if not all(gap[0] < middle < gap[1] for gap, middle in zip(gaps, reversed(middles))):
        return None
    high = [place for place, value in enumerate(values) if value > middles[1 - place % 2]]
    low = [place for place in range(len(values)) if place not in high]
    fewest = max(FEWEST_OF_GROUP, LEAST_SHARE_OF_GROUP * len(values))
    return (low, high) if min(len(low), len(high)) >= fewest else None


def by_version(values, versions):
    """The places of two groups of versions, the lower ones first: the clearest of all divisions, if chance seldom has it."""
    of = defaultdict(list)
    for place, version in enumerate(versions):
        of[version].append(place)
    at = lambda places: [values[place] for place in places]
    own = sorted((seen for name, seen in of.items() if name and len(seen) >= FEWEST_OF_GROUP), key=lambda seen: fmean(at(seen)))
    found = None
    for cut in range(1, len(own)):
        sides = sum(own[:cut], []), sum(own[cut:], [])
        low, high = map(at, sides)
        freedom = len(low) + len(high) - 2
        within = sum((value - fmean(side)) ** 2 for side in (low, high) for value in side) / freedom
        error, apart = math.sqrt(within * (1 / len(low) + 1 / len(high))), fmean(high) - fmean(low)
        t = apart / error if error else math.inf if apart else 0.0
        if found is None or t > found[0]:
            found = t, freedom, apart, sides
    if found is None or found[2] < LEAST_APART:
        return None
    return found[3] if found[0] > student_quantile(1 - ROW_ERROR / (2 ** len(own) - 2), found[1]) else None


def by_code(values, versions):
    """By the versions of the row, or else of its baseline."""
    return by_version(values, [own for own, _ in versions]) or by_version(values, [base for _, base in versions])


def tells_apart(low, high):
    """Whether something measured beside them distinguishes two groups of processes: private code, or the share of quiet slices."""
    for key, differ in (("private", lambda a, b: max(a / b, b / a) >= 1.1), ("quiet", lambda a, b: abs(a - b) >= 0.2)):
        ones, others = ([fork[key] for fork in own if fork[key] is not None] for own in (low, high))
        if not ones or not others:
            continue
        larger = fmean((other > one) + (other == one) / 2 for one in ones for other in others)
        if max(larger, 1 - larger) >= TELLS_APART and differ(median(ones), median(others)):
            return True
    return False


def by_distance(quiet, far):
    """The places of processes that saw near cores, and of those that saw far ones; of both, in the smaller group so far."""
    near = [place for place, value in enumerate(quiet) if value is not None and far[place] is None]
    distant = [place for place, value in enumerate(far) if value is not None and quiet[place] is None]
    for place in range(len(quiet)):
        if quiet[place] is not None and far[place] is not None:
            (near if len(near) <= len(distant) else distant).append(place)
    return (near, distant) if min(len(near), len(distant)) >= FEWEST_OF_GROUP else None


def verdict(low, high, floor):
    if high < 1 / (1 + floor):
        return "faster"
    if low > 1 + floor:
        return "slower"
    if low >= 1 / (1 + SAME_WITHIN) and high <= 1 + SAME_WITHIN:
        return "same"
    return "no power" if floor > POWERLESS_FLOOR else "cannot tell"


DECIDED = ("faster", "slower", "same")


def verdict_at(seen, groups, floor, confidence):
    """Of a row, by what its groups say together where it has two."""

    def ends(one):
        return [math.exp(end) for end in interval(one, confidence)[1:]]

    if groups:
        (low, high), (below, above) = map(ends, groups)
        one, other = verdict(low, high, floor), verdict(below, above, floor)
        if one == other and one in DECIDED:
            return one
        if (one in DECIDED or other in DECIDED) and one != other and high < below:
            return "depends"
    return verdict(*ends(seen), floor)


def figures_in(fork, names, role, at):
    """(state, figures) in the first state of which a fork has enough slices of all these crews."""
    for state in STATES:
        seen = [fork["rows"].get(name, {}).get(role, {}).get(state) for name in names]
        if all(seen) and all(entry[0] >= (1 if state == "any" else FEWEST_OF_STATE) for entry in seen):
            return state, [entry[at] for entry in seen]
    return None


def level_of(group):
    """Which figure of a digest ratios are of."""
    is_of_means = group["sliceUs"] >= LONG_SLICE_US and not group["oversubscribed"]
    return 3 if is_of_means else 1 if group["workers"] == 1 else 2


def ratios_in(forks, name, base, role, at):
    """Log ratios of a row by fork, with their states, and those of the quiet and of the far slices."""
    known = [(fork, found) for fork in forks if (found := figures_in(fork, (name, base), role, at))]

    def of(state):
        rows = [[fork["rows"].get(each, {}).get(role, {}).get(state) for each in (name, base)] for fork, _ in known]
        return [
            math.log(own[at] / other[at])
            if own and other and min(own[0], other[0]) >= FEWEST_OF_STATE
            else None
            for own, other in rows
        ]

    return {
        "values": [math.log(own / other) for _, (_, (own, other)) in known],
        "states": [state for _, (state, _) in known],
        "processes": [fork for fork, _ in known],
        "versions": [[fork["versions"].get(each, {}).get(role) for each in (name, base)] for fork, _ in known],
        "quiet": of("quiet"),
        "far": of("far"),
    }


NO_RATIOS = {"values": [], "states": [], "processes": [], "versions": [], "quiet": [], "far": []}


def with_means(group, forks, row, base):
    """A rival by means, where its level leaves out over 3 % more than the baseline's."""
    at = level_of(group)
    if row["kind"] != "rival" or at == 3 or group["oversubscribed"] or not row["ratios"]["values"]:
        return
    means = ratios_in(forks, row["name"], base, row["role"], 3)
    apart = [mean - own for mean, own in zip(means["values"], row["ratios"]["values"])]
    _, low, high = interval((*evidence(apart, []), len(apart)), FIGURE_CONFIDENCE)
    if low > math.log1p(LEVEL_LEAVES_OUT) or high < -math.log1p(LEVEL_LEAVES_OUT):
        row["ratios"] = means


def prepare(group, forks):
    """Rows of a group, by role: logarithms of costs and ratios, by fork."""
    rows, scales = [], {}
    cells = [cell for cell in group["cells"] if cell["kind"] in CONTESTANTS]
    base = next((cell["competitor"] for cell in cells if cell["kind"] == "baseline"), None)
    for role in dict.fromkeys(group["roles"]):
        own = []
        for cell in cells:
            name, whole = cell["competitor"], cell.get("failure") is None
            costs = [
                (place, math.log(found[1][0]))
                for place, fork in enumerate(forks)
                if whole and (found := figures_in(fork, (name,), role, 2))
            ]
            own.append(
                {
                    "name": name,
                    "kind": cell["kind"],
                    "role": role,
                    "raced": cell["forks"],
                    "forks": [place for place, _ in costs],
                    "costs": [cost for _, cost in costs],
                    "ratios": ratios_in(forks, name, base, role, level_of(group)) if whole and name != base else NO_RATIOS,
                }
            )
        scales[role] = robust_scale([row["ratios"]["values"] for row in own])
        for row in own:
            with_means(group, forks, row, base)
        rows += own
    return {"group": group, "rows": rows, "scales": scales}


def stray(group, role):
    """What the A/A control of a group shows; none where it has no ratio."""
    row = next((row for row in group["rows"] if row["kind"] == "aa-control" and row["role"] == role), None)
    if row is None or not row["ratios"]["values"]:
        return None
    return evidence(weighing(row["ratios"]["values"], group["scales"][role]), ratio_peers(group, row))


def floor_of(groups):
    """Of a scenario: how far controls stray beyond chance (DerSimonian and Laird, about a mean of 0)."""
    strays = [found for group in groups for role in group["scales"] if (found := stray(group, role))]
    known = [(middle, error) for middle, error, _ in strays if error > 0]
    beyond = sum(middle**2 / error - 1 for middle, error in known)
    weights = sum(1 / error for _, error in known)
    pooled = math.sqrt(max(0, beyond / weights)) if weights else 0
    return max(LEAST_FLOOR, math.expm1(max([pooled, *(abs(middle) for middle, error, _ in strays if error == 0)])))


def in_any_regime(seen):
    """With more workers than cores: as far as regimes of the scheduler move it, with the freedom of Welch and Satterthwaite."""
    middle, error, freedom, count = seen
    if freedom == 0:
        return seen
    total = error + REGIME_VARIANCE
    return middle, total, max(1, math.floor(total**2 / (error**2 / freedom + REGIME_VARIANCE**2 / REGIME_FREEDOM))), count


def peers(group, row, values_of):
    others = [values_of(o) for o in group["rows"] if o is not row and o["role"] == row["role"]]
    return [values for values in others if values]


def ratio_peers(group, row):
    scale = group["scales"][row["role"]]
    return peers(group, row, lambda other: weighing(other["ratios"]["values"], scale))


def evidence_of(places):
    """(of the row, of its two groups or none)."""
    joined = {key: [value for _, row in places for value in row["ratios"][key]] for key in NO_RATIOS}
    others = [peer for group, row in places for peer in ratio_peers(group, row)]
    values, groups = joined["values"], None
    distances = by_distance(joined["quiet"], joined["far"]) if len(values) >= FEWEST_PROCESSES else None
    versions = by_code(values, joined["versions"]) if len(values) >= FEWEST_PROCESSES and not distances else None
    parts = None if distances or versions else by_gap(values)
    if distances:
        two = [[joined[key][place] for place in own] for key, own in zip(("quiet", "far"), distances)]
        groups = sorted(two, key=fmean)
        near = [value for value, state in zip(values, joined["states"]) if state != "far"]
        values = near if len(near) >= FEWEST_PROCESSES else values
    elif versions:
        groups = [[values[place] for place in own] for own in versions]
    elif parts:
        if tells_apart(*([joined["processes"][place] for place in own] for own in parts)):
            groups = [[values[place] for place in own] for own in parts]
    else:
        values = weighing(values, max(group["scales"][row["role"]] for group, row in places))
    seen = [
        (*evidence(values, others), len(values)),
        *((*evidence(own, others, FEWEST_OF_GROUP), len(own)) for own in groups or []),
    ]
    return seen[0], seen[1:] or None


def cost_peers(places):
    return [peer for group, row in places for peer in peers(group, row, lambda other: other["costs"])]


def usual(costs, others):
    return fmean(weighing(costs, robust_scale([costs, *others])))


def adjustment(by_name, role, places):
    """How much more the baseline cost in all processes of a table than in those of a row."""
    rows = [place for of in by_name.values() for place in of if place[1]["kind"] == "baseline" and place[1]["role"] == role]
    raced = {(id(group), fork) for group, row in places for fork in row["forks"]}
    known = [((id(group), fork) in raced, cost) for group, row in rows for fork, cost in zip(row["forks"], row["costs"])]
    beside, others = [cost for is_beside, cost in known if is_beside], cost_peers(rows)
    return usual([cost for _, cost in known], others) - usual(beside, others) if beside else 0.0


def table(prepared, floor):
    """Of each row of one table: median cost, and ratio with its interval."""
    by_name = defaultdict(list)
    groups = [group["group"] for group in prepared]
    for group in prepared:
        for row in group["rows"]:
            by_name[row["name"], row["role"]].append((group, row))
    first = next(cell["competitor"] for cell in groups[0]["cells"] if cell["kind"] == "aa-control")
    judged = [
        key for key, places in by_name.items() if key[0] != first and any(row["ratios"]["values"] for _, row in places)
    ]
    looks = max(group["looks"] for group in groups)
    share = min(ROW_ERROR, TABLE_ERROR / max(1, len(judged))) / max(1, looks)
    figures = {}
    for (name, role), places in by_name.items():
        costs = [value for _, row in places for value in row["costs"]]
        if not costs:
            continue
        figure = {"median": math.exp(usual(costs, cost_peers(places)) + adjustment(by_name, role, places))}
        if (name, role) in judged:
            own_error, parts = evidence_of(places)
            is_crowded = groups[0]["oversubscribed"]
            seen = in_any_regime(own_error) if is_crowded else own_error
            two = [in_any_regime(part) for part in parts] if is_crowded and parts else parts
            raced = max(row["raced"] for _, row in places)
            confidence = 1 - share
            left = sum(1 for look in LOOKS[:looks] if look >= raced)
            if verdict_at(seen, two, floor, confidence) not in DECIDED and left > 1:
                confidence = 1 - left * share
            depends = two and verdict_at(seen, two, floor, confidence) == "depends"
            figure |= {"shown": parts if depends else [own_error], "kind": places[0][1]["kind"]}
            figure["verdict"] = verdict_at(seen, two, floor, confidence)
            figure["ratios"] = [[math.exp(end) for end in interval(one, confidence)] for one in (two if depends else [seen])]
        figures[name, role] = figure
    return figures


def as_factor(value, low, high):
    """To the digits that are printed of a row with more workers than cores."""
    shown = (float(f"{value:.1g}") / value) ** 2
    digits = 2 if shown > high / value or shown < low / value else 1
    return [float(f"{end:.{kept}g}") for end, kept in zip((value, low, high), (digits, 2, 2))]


# Another run.
ABOVE, SHARED, MINUTES_APART = 4, 0.25, 2


def between_processes(seen):
    return seen[1] * seen[3]


def rivals(figures):
    """What is seen of each rival that has an error, but of those that depend."""
    return {
        key: figure["shown"][0]
        for key, figure in figures.items()
        if figure.get("kind") == "rival" and figure["verdict"] != "depends" and figure["shown"][0][2] > 0
    }


def digests_of(group):
    """The forks of a record's group, as slices come to them."""
    forks = defaultdict(lambda: {"rows": defaultdict(lambda: defaultdict(dict)), "versions": defaultdict(dict)})
    for cell in group["cells"]:
        for role, states in cell["roles"].items():
            for fork, version in enumerate(states.get("compiled", [])):
                if version:
                    forks[fork]["versions"][cell["competitor"]][role] = version
            for state, own in states.items():
                if not isinstance(own, dict) or "costNs" not in own:
                    continue
                cost = own["costNs"]
                for at, fork in enumerate(cost["forks"]):
                    digest = cost["counts"][at], cost["p25"][at], cost["p50"][at], cost["mean"][at]
                    forks[fork]["rows"][cell["competitor"]][role][state] = digest
    return [forks[fork] for fork in sorted(forks)]


def learnt(folder):
    """By scenario, workers and oversubscription: (times, freedom, times by row); the scenario is none for other tables."""
    seen = defaultdict(lambda: defaultdict(list))
    for run, path in enumerate(sorted(glob.glob(os.path.join(folder, "*.json.gz")))):
        record = json.load(opened(path))
        tables = defaultdict(list)
        for group in record["groups"]:
            tables[group["primitive"], group["scenario"], group["workers"], group["oversubscribed"]].append(group)
        prepared = {
            key: [prepare(group, [{**fork, **beside(group, fork["rows"])} for fork in digests_of(group)]) for group in groups]
            for key, groups in tables.items()
        }
        host = record["machine"]["slug"], record["methodVersion"]
        for key, groups in prepared.items():
            primitive, scenario, *workers = key
            alike = [group for other, own in prepared.items() if other[:2] == key[:2] for group in own]
            figures = table(groups, floor_of(alike))
            for row, own in rivals(figures).items():
                seen[(f"{primitive}/{scenario}", *workers)][row].append((host, run, own, processes_of(figures)))
    known, by_workers = {}, defaultdict(list)
    for key, rows in seen.items():
        scatters = {row: scatter_of_runs(own) for row, own in rows.items()}
        scatters = {row: scatter for row, scatter in scatters.items() if scatter[2] > 0 and scatter[1] > 0}
        if scatters:
            freedom = sum(f for _, _, f in scatters.values())
            between = sum(f * v for v, _, f in scatters.values()) / freedom
            times = between / fmean(processes for _, processes, _ in scatters.values())
            of = {(host, run) for row in scatters for host, run, *_ in rows[row]}
            known[key] = times, SHARED * freedom, scatters, of
            by_workers[key[1:]].append(key)
    found = {}
    for workers, keys in by_workers.items():
        usual_times = fmean(max(0.0, known[key][0]) for key in keys)
        found[(None, *workers)] = usual_times, freedom_of(set().union(*(known[key][3] for key in keys))), {}
        for key in keys:
            times, freedom, scatters, of = known[key]
            own = moderated(times, freedom, usual_times)
            rows = {row: moderated(v / processes, f, own) for row, (v, processes, f) in scatters.items()}
            found[key] = own, freedom_of(of), rows
    joined = {
        (key, row, host[0]): factors
        for key in found
        if key[0] and key[2]
        for row, sightings in seen[key].items()
        for host, factors in joined_runs(key, row, sightings, found[key]).items()
    }
    return found, joined


def scatter_of_runs(sightings):
    """(variance between the runs of a host by one method, beyond their errors, variance between processes, freedom)."""
    squares = explained = freedom = 0
    for host in {host for host, *_ in sightings}:
        own = [seen for where, _, seen, _ in sightings if where == host]
        middle = fmean(seen[0] for seen in own)
        squares += sum((seen[0] - middle) ** 2 for seen in own)
        explained += (len(own) - 1) * fmean(seen[1] for seen in own)
        freedom += len(own) - 1
    processes = fmean(between_processes(seen) for _, _, seen, _ in sightings)
    return (squares - explained) / freedom if freedom else 0.0, processes, freedom


def freedom_of(runs):
    return len(runs) - len({host for host, _ in runs})


def moderated(times, freedom, above):
    return max(0.0, (freedom * times + ABOVE * above) / (freedom + ABOVE))


def for_another_run(figures, key, known):
    """The ratios of rivals with the interval for another run, where the table's workers were repeated."""
    lent = known.get(key) or known.get((None, *key[1:]))
    if lent is None:
        return
    processes = processes_of(figures)
    for row, figure in figures.items():
        if figure.get("kind") != "rival":
            continue
        for place, seen in enumerate(figure["shown"]):
            if seen[2] > 0:
                between, freedom = between_of(seen, row, lent, processes, key[2])
                figure["ratios"][place] = of_another(seen[0], seen[1:3], (between, freedom), 2)


def processes_of(figures):
    of_table = [between_processes(seen) for seen in rivals(figures).values()]
    return fmean(of_table) if of_table else 0.0


def between_of(seen, row, lent, processes, is_crowded):
    """(variance between runs, freedom) of a row, by what it borrows."""
    times, freedom, rows = lent
    between = rows.get(row, times) * (between_processes(seen) + processes) / 2
    if not is_crowded:
        return between, freedom
    both = freedom + MINUTES_APART
    return (freedom * between + MINUTES_APART * REGIME_VARIANCE) / both, both


def of_another(middle, own, between, count):
    error, spread = own[0] + between[0], own[0] ** 2 / own[1] + between[0] ** 2 / between[1]
    freedom = max(1, math.floor(error**2 / spread)) if spread else own[1]
    reach = student_quantile(0.975, freedom) * math.sqrt(count * error)
    return [math.exp(end) for end in (middle, middle - reach, middle + reach)]


def joined_runs(key, row, sightings, lent):
    """By host and method: the factors of a row with more workers than cores that its runs say together."""
    found = {}
    for host in {host for host, *_ in sightings}:
        own = [(seen, processes) for where, _, seen, processes in sightings if where == host]
        if len(own) > 1:
            between = [between_of(seen, row, lent, processes, True) for seen, processes in own]
            errors = fmean(seen[1] for seen, _ in own), sum(seen[2] for seen, _ in own)
            middle = fmean(seen[0] for seen, _ in own)
            of_runs = fmean(variance for variance, _ in between), between[0][1]
            found[host] = as_factor(*of_another(middle, errors, of_runs, 1 + 1 / len(own)))
    return found


def compare_learnt(folder, known, joined):
    """(figures compared, those otherwise than the lab's file has them)."""
    with open(os.path.join(folder, "between-runs.json"), encoding="utf8") as file:
        filed = json.load(file)
    pairs = []
    for entry in filed["workers"]:
        pairs.append((known[None, entry["workers"], entry["oversubscribed"]][0], entry["times"]))
    for entry in filed["tables"]:
        times, freedom, rows = known[entry["scenario"], entry["workers"], entry["oversubscribed"]]
        pairs += [(times, entry["times"]), (freedom, entry["freedom"])]
        for cell, of_row in entry["rows"].items():
            _, _, name, _, *role = cell.split("/")
            of = [value for (own, in_role), value in rows.items() if own == name and (not role or role[0] == in_role)]
            pairs.append((of[0], of_row))
    pairs += joined_pairs(os.path.join(folder, "README.md"), joined)
    wrong = [(value, other) for value, other in pairs if abs(value - other) > 1e-3 * abs(value) + 1e-9]
    for value, other in wrong:
        print(f"{folder}: {value:.6g}, in its file {other}")
    return len(pairs), len(wrong)


def joined_pairs(page, joined):
    """The factors of joined runs, each with the one that the page of repeats prints."""
    pairs, of = [], None
    for line in open(page, encoding="utf8"):
        if line.startswith("#"):
            of = re.match(r"### (\S+), (\d+) workers?: \d+ runs of (\S+)", line)
        shown = re.search(r"about ([\d.,]+) \(([\d.,]+)-([\d.,]+)\)", line) if of else None
        if shown:
            name, role = re.match(r"\| ([\w-]+)(?: \(([\w-]+)\))? ", line).groups()
            rows = [
                factors
                for ((scenario, workers, _), (own, in_role), host), factors in joined.items()
                if (scenario, str(workers), host, own) == (*of.groups(), name) and role in (None, in_role)
            ]
            pairs += zip(rows[0], (float(end.replace(",", "")) for end in shown.groups()))
    return pairs


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


def states_of_groups(path, tables):
    """Of each group, by id: full speed of each (runtime, workers), the distances of cores, and what its states are called.

    A group is sorted by all that the run had read when it ended. Where a later group shows that what passed for full speed was not, it has no
    states; where what passed for near was far, it has far slices.
    """
    tags, handovers, last = defaultdict(Counter), Counter(), {}
    for line, (_, found) in enumerate(raced_forks(path, tables)):
        last[id(found and found[0])] = line
    known = {}
    for line, (crews, found) in enumerate(raced_forks(path, tables)):
        runtimes = {cell["competitor"]: cell.get("runtime") for cell in found[0]["cells"]} if found else {}
        for crew in crews:
            own = tags[runtimes.get(crew["name"]), len(crew["workers"])]
            own.update(map(max, zip(*(worker["tagNs"] for worker in crew["workers"]))))
            handovers.update(crew.get("handoverNs", []))
        if not found or last[id(found[0])] != line:
            continue
        speeds = {key: (modes(own.items(), DENSE_SPEED) or [None])[0] for key, own in tags.items()}
        distances = modes(handovers.items(), DENSE_DISTANCE)[:2]
        known[id(found[0])] = [found[0], speeds, distances, {"quiet": "quiet", "far": "far"}]
        for state in known.values():
            group, own, near, renamed = state
            workers = group["workers"]
            if any(own[key][0] >= speeds[key][2] for key in own if key[1] == workers and own[key]):
                state[3] = {"quiet": "any", "far": "any"}
            elif near and renamed["quiet"] == "quiet" and near[0][0] >= distances[0][2]:
                is_far = len(distances) > 1 and is_in(distances[1], near[0][0])
                state[3] = {"quiet": "far" if is_far else "any", "far": "any"}
    return known


def beside(group, rows):
    """What was measured beside the rows of a process: the cost of private code, and the share of quiet slices."""
    control = next((cell["competitor"] for cell in group["cells"] if cell["kind"] == "control"), None)
    first = next(cell["competitor"] for cell in group["cells"] if cell["kind"] in CONTESTANTS)
    private = rows.get(control, {}).get("worker", {}).get("any")
    states = rows.get(first, {}).get(group["roles"][0], {})
    count = lambda state: states[state][0] if states.get(state) else 0
    return {
        "private": private[2] if private else None,
        "quiet": count("quiet") / count("any") if count("any") else None,
    }


def main(*words):
    folder = words[1] if words[0] == "--repeats" else None
    known, joined = learnt(folder) if folder else ({}, {})
    learnt_from, wrong = compare_learnt(folder, known, joined) if folder else (0, 0)
    if folder:
        print(f"{learnt_from} figures of repeated runs recomputed, {wrong} otherwise than in their file")
    rest = words[2:] if folder else words
    return max(int(wrong > 0), recomputed(known, *rest) if rest else 0)


def recomputed(between_runs, record_path, slices_path, *pages):
    record = json.load(opened(record_path))
    tables = defaultdict(list)
    for group in record["groups"]:
        tables[group["primitive"], group["scenario"], group["workers"]].append((group, []))
    known = states_of_groups(slices_path, tables)
    for crews, found in raced_forks(slices_path, tables):
        if found:
            group, forks = found
            _, speeds, distances, renamed = known[id(group)]
            cells = {cell["competitor"]: cell for cell in group["cells"]}
            shown = (*CONTESTANTS, "control")
            crews = [crew for crew in crews if cells[crew["name"]]["kind"] in shown]
            roles_of = {
                crew["name"]: ["worker"] * len(crew["workers"])
                if cells[crew["name"]]["kind"] == "control"
                else group["roles"]
                for crew in crews
            }
            sliced = {
                crew["name"]: crew_slices(
                    crew,
                    roles_of[crew["name"]],
                    group["oversubscribed"],
                    (speeds.get((cells[crew["name"]].get("runtime"), len(crew["workers"]))), distances, renamed),
                )
                for crew in crews
            }
            rows = {
                name: {role: {state: digest(own, role, state) for state in STATES} for role in set(roles_of[name])}
                for name, own in sliced.items()
            }
            versions = {crew["name"]: versions_of(crew, roles_of[crew["name"]]) for crew in crews}
            forks.append({"rows": rows, "versions": versions, **beside(group, rows)})
    shown = printed(pages)
    compared = wrong = 0
    prepared = {key: [prepare(*one) for one in found] for key, found in tables.items() if all(forks for _, forks in found)}
    for key, found in tables.items():
        primitive, scenario, workers = key
        # The floor is of all worker counts of a scenario.
        alike = [other for other in tables if other[:2] == key[:2]]
        if any(other not in prepared for other in alike):
            print(f"{primitive}/{scenario} at {workers}: no slices")
            continue
        figures = table(prepared[key], floor_of([group for other in alike for group in prepared[other]]))
        is_crowded = any(group["oversubscribed"] for group, _ in found)
        for_another_run(figures, (f"{primitive}/{scenario}", workers, is_crowded), between_runs)
        for (name, role), figure in figures.items():
            place = f"{primitive}/{scenario}"
            own = "" if role == "worker" else role
            texts = shown.get((place, workers, name, own)) or shown.get((place, None, name, own))
            if texts is None:
                continue
            time, ratio = texts
            parts = re.findall(r"([\d.,]+) \(([\d.,]+)-([\d.,]+)\)", ratio)
            # A row that depends has a median of each of its groups, which are not recomputed.
            checks = [(figure["median"], time)] if re.fullmatch(r"[\d.,]+", time) else []
            for one, texts in zip(figure.get("ratios", []), parts):
                checks += zip(as_factor(*one) if is_crowded else one, texts)
            for value, text in checks:
                compared += 1
                if not agrees(value, text):
                    wrong += 1
                    print(f"{primitive}/{scenario}/{name} at {workers}: {value:.6g}, printed {text}")
    print(f"{compared} figures recomputed, {wrong} otherwise than printed")
    return 1 if wrong or compared == 0 else 0


if __name__ == "__main__":
    if len(sys.argv) < (3 if sys.argv[1:2] == ["--repeats"] else 4) or len(sys.argv) in (4, 5) and sys.argv[1] == "--repeats":
        sys.exit("usage: recompute.py [--repeats FOLDER] RECORD SLICES PAGE...")
    sys.exit(main(*sys.argv[1:]))
