import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { competitorsOf, type Entry, primitives } from "../../structures/catalog.ts";
import { PROFILES } from "../../suites/engine/measure/plan/plan.ts";
import { budgetOf } from "../../suites/engine/measure/plan/timing.ts";
import type { Request } from "../../suites/lab/plan/asked.ts";
import { absentEverywhere, syntheticRequest } from "../../suites/lab/request.synthetic.ts";
import { compareProfile, groupOf, selectPairs } from "./plan.ts";

let head: Request;
let base: Request;
before(async () => {
  const competitors = new Map(primitives().map((primitive) => [primitive, competitorsOf(primitive)]));
  // As if from another folder: the same names under other URLs, which say the same of themselves.
  const elsewhere = (url: string) => `${url}?base`;
  head = await syntheticRequest({
    workers: [1, 2],
    profile: compareProfile("compare", "full"),
    competitors,
  });
  base = {
    ...head,
    competitors: mapEntries(competitors, ({ name, url }) => ({ name, url: elsewhere(url) })),
    described: new Map([...head.described].map(([url, known]) => [elsewhere(url), known])),
  };
});

function mapEntries(competitors: ReadonlyMap<string, readonly Entry[]>, change: (entry: Entry) => Entry) {
  return new Map([...competitors].map(([primitive, entries]) => [primitive, entries.map(change)]));
}

const onlyChanged =
  (...names: string[]) =>
  ({ name }: Entry) =>
    names.includes(name);
const namesOf = ({ pairs }: ReturnType<typeof selectPairs>) => pairs.map(({ cell }) => cell.name);

describe("which cells race", () => {
  it("without a filter those of the changed competitors alone, in headline scenarios", () => {
    const selection = selectPairs(base, head, onlyChanged("cas-ring"));
    const names = namesOf(selection);
    assert.ok(names.includes("pick/uniform-8/cas-ring/1w") && names.includes("pick/uniform-8/cas-ring/2w"));
    assert.ok(
      names.every((name) => /\/cas-ring\/[12]w$/.test(name)),
      names.join(),
    );
    assert.ok(selection.pairs.every(({ cell }) => cell.scenario.headline));
    assert.ok(selection.unchanged.includes("pick/two-choices"));
    assert.ok(!selection.unchanged.includes("pick/cas-ring"));
    assert.deepEqual([selection.added, selection.removed], [[], []]);
  });

  it("nothing of a competitor that no headline race has, which is reported", () => {
    const changed = onlyChanged("dense-timeline", "hash-slot", "cas-ring");
    const { pairs, unraced } = selectPairs(base, head, changed);
    assert.deepEqual(unraced.toSorted(), ["heartbeats/hash-slot", "ownership/dense-timeline"]);
    assert.ok(pairs.every(({ cell }) => cell.entry.name === "cas-ring"));
    const filters = ["pick"];
    assert.deepEqual(selectPairs({ ...base, filters }, { ...head, filters }, changed).unraced, []);
  });

  it("of a variant that has changed too, though a bench would ask for --all", () => {
    assert.deepEqual(
      namesOf(selectPairs(base, { ...head, workers: [1] }, onlyChanged("cas-ring-scattered"))).slice(0, 1),
      ["pick/uniform-8/cas-ring-scattered/1w"],
    );
  });

  it("with a filter what it names, changed or not", () => {
    const filters = ["pick/uniform-8/cas-ring/2w"];
    const names = namesOf(
      selectPairs({ ...base, filters }, { ...head, filters }, onlyChanged("two-choices")),
    );
    assert.deepEqual(names, filters);
  });

  it("nothing that only one of the two has, which is reported apart", () => {
    const without = (request: Request, name: string): Request => ({
      ...request,
      competitors: new Map(
        [...request.competitors!].map(([primitive, entries]) => [
          primitive,
          entries.filter((entry) => entry.name !== name),
        ]),
      ),
    });
    const { pairs, added, removed } = selectPairs(
      without(base, "cas-ring"),
      without(head, "lemire"),
      () => false,
    );
    assert.deepEqual([pairs, added, removed], [[], ["pick/cas-ring"], ["draws/lemire"]]);
  });

  it("nothing in which either does not take part", () => {
    const url = base.competitors!.get("pick")!.find(({ name }) => name === "cas-ring")!.url;
    const without = (request: Request, ring: string) => ({
      ...request,
      described: new Map([...request.described, [ring, absentEverywhere(request.described.get(ring)!)]]),
    });
    const { pairs, added } = selectPairs(without(base, url), head, onlyChanged("cas-ring"));
    assert.deepEqual(pairs, []);
    assert.ok(added.includes("pick/uniform-8/cas-ring"), added.join());
    const own = head.competitors!.get("pick")!.find(({ name }) => name === "cas-ring")!.url;
    const gone = selectPairs(base, without(head, own), onlyChanged("cas-ring"));
    assert.deepEqual(gone.pairs, []);
    assert.ok(gone.removed.includes("pick/uniform-8/cas-ring"), gone.removed.join());
  });

  it("no simulation and no survey", () => {
    const all = { all: true };
    const { pairs } = selectPairs({ ...base, ...all }, { ...head, ...all }, () => true);
    assert.ok(pairs.length > 100);
    assert.ok(pairs.every(({ cell }) => cell.scenario.kind === "race"));
  });
});

describe("the group of a pair", () => {
  const groupsOf = (filters: readonly string[], names = { base: "1a2b3c4", head: "working-tree" }) => {
    const change = { filters, all: true };
    const to = { ...head, ...change };
    return selectPairs({ ...base, ...change }, to, () => false).pairs.map((pair) => groupOf(pair, names, to));
  };
  const RING = ["pick/uniform-8/cas-ring"];

  it("has base, its A/A control, head, and what the engine brings along, in the same memory", () => {
    const [alone, contended, ...others] = groupsOf(RING);
    assert.deepEqual(others, []);
    const [from, to] = ["cas-ring@1a2b3c4", "cas-ring@working-tree"];
    assert.deepEqual(
      contended!.crews.map(({ name, kind, workers, placement }) => [name, kind, workers, placement]),
      [
        [from, "baseline", 2, "arena"],
        [`${from}~aa1`, "aa-control", 2, "arena"],
        [to, "rival", 2, "arena"],
        ["~control", "control", 2, "arena"],
        ["~control-alone", "control-alone", 1, "arena"],
        ["~empty", "empty", 1, "arena"],
      ],
    );
    const [baseline, again, rival] = contended!.crews.map(({ url }) => url);
    assert.ok(baseline!.endsWith("/cas-ring.ts?base"));
    assert.equal(again, baseline);
    assert.ok(rival!.endsWith("/cas-ring.ts"));
    assert.ok(!alone!.crews.some(({ kind }) => kind === "control-alone"));
    assert.deepEqual([contended!.precision, contended!.rows, contended!.absent], [0.01, 1, []]);
    assert.equal(budgetOf(head.profile, [contended!]), 60_000);
  });

  it("has crews of different names even for one revision against itself", () => {
    for (const { crews } of groupsOf(RING, { base: "1a2b3c4", head: "1a2b3c4" }))
      assert.equal(new Set(crews.map(({ name }) => name)).size, crews.length);
  });

  it("knows what memory it needs", () => {
    const largest = groupsOf(["timers"]).toSorted((a, b) => b.bytes - a.bytes)[0]!;
    const bytes = largest.race.bytesPerWorker!(undefined, largest.race.params.full);
    assert.ok(largest.bytes >= 3 * bytes && bytes > 1e6, "base, its A/A control and head");
  });
});

describe("profiles", () => {
  it("are a bench's profiles and one of comparing's own; smoke size uses none of them", () => {
    assert.equal(compareProfile("quick", "full"), PROFILES.quick);
    assert.equal(compareProfile("compare", "smoke").name, "smoke");
    for (const name of ["quik", "toString"])
      assert.throws(() => compareProfile(name, "smoke"), /is unknown.*compare/);
  });
});
