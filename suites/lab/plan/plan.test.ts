import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { before, describe, it } from "node:test";
import fc from "fast-check";
import { competitorsOf, type Entry } from "../../../structures/catalog.ts";
import { LOOKS } from "../../engine/judge/verdict.ts";
import { mostWorkers, WORKER_COUNTS } from "../../engine/measure/plan/crews.ts";
import { forkSeed, PROFILES } from "../../engine/measure/plan/plan.ts";
import { roundOrders } from "../../engine/measure/plan/rounds.ts";
import { FEWEST_FORKS, MOST_FORKS, weightOf } from "../../engine/measure/plan/timing.ts";
import { type Overview, type Simulation, simulation } from "../../shared/vocabulary.ts";
import { likely, nearestFirst, UsageError } from "../command/usage.ts";
import type { LabPlan } from "../kinds/plan.ts";
import { absentEverywhere, syntheticRequest } from "../request.synthetic.ts";
import { checkFilters } from "../request.ts";
import { startOrReason } from "../runtimes/runtimes.ts";
import { NO_CONTENDER } from "../schema/contenders.ts";
import { MOST_CONTENDING } from "../suites.ts";
import type { Request } from "./asked.ts";
import { allCells, chosenCells, matches } from "./cells.ts";
import { makePlan } from "./make-plan.ts";

let request: Request;
before(async () => {
  request = await syntheticRequest({ profile: PROFILES.standard });
});

const planOf = (changes: Partial<Request> = {}) => makePlan({ ...request, ...changes });
/** The same, of what one filter chooses. */
const only = (filter: string, changes: Partial<Request> = {}) => planOf({ filters: [filter], ...changes });

function entryOf(primitive: string, name: string): Entry {
  return competitorsOf(primitive).find((entry) => entry.name === name)!;
}

/** What is known of competitors, where something else is said of one. */
function describedAs({ url }: Entry, changed: (own: Described) => Described): Request["described"] {
  return new Map([...request.described, [url, changed(request.described.get(url)!)]]);
}
type Described = Parameters<typeof absentEverywhere>[0];
const varying = (variantOf: string) => (own: Described) => ({ ...own, variantOf });

const namesOf = (crews: readonly { readonly name: string; readonly kind: string }[], ...kinds: string[]) =>
  crews.filter(({ kind }) => kinds.includes(kind)).map(({ name }) => name);

describe("the order of slices", () => {
  const crewsOf = (contestants: number, own: number) => [
    { kind: "baseline" as const },
    ...Array.from({ length: contestants }, () => ({ kind: "rival" as const })),
    ...Array.from({ length: own }, () => ({ kind: "control" as const })),
  ];

  it("has every contestant once a round, the baseline among them, and every round reversed by the next", () => {
    const [contestants, own, pairs] = [
      fc.integer({ min: 1, max: 9 }),
      fc.nat(3),
      fc.integer({ min: 1, max: 20 }),
    ];
    const property = fc.property(contestants, own, pairs, fc.nat(), (contestants, own, pairs, seed) => {
      const rounds = roundOrders(crewsOf(contestants, own), 2 * pairs, seed);
      assert.equal(rounds.length, 2 * pairs);
      for (const [index, order] of rounds.entries()) {
        const raced = order.filter((crew) => crew <= contestants);
        assert.deepEqual(raced.toSorted(), [...Array(contestants + 1).keys()].toSorted());
        if (index % 2 === 1) assert.deepEqual(order, rounds[index - 1]!.toReversed());
      }
    });
    fc.assert(property);
  });

  it("gives no crew a place of its own", () => {
    const crews = crewsOf(5, 0);
    const rounds = roundOrders(crews, 4000, 3);
    const places = crews.map((_, crew) =>
      crews.map((__, place) => rounds.filter((order) => order[place] === crew).length),
    );
    // Of 4,000 rounds, 2,000 of them drawn, a sixth each; 5 deviations of 19 and their reverses.
    for (const count of places.flat()) assert.ok(Math.abs(count - 4000 / 6) < 190, String(places));
  });

  it("has the engine's own crews in two rounds of every four", () => {
    const crews = crewsOf(4, 1);
    const controls = (order: readonly number[]) =>
      order.filter((crew) => crews[crew]!.kind === "control").length;
    assert.deepEqual(roundOrders(crews, 8, 1).map(controls), [1, 1, 0, 0, 1, 1, 0, 0]);
  });

  it("is the same for the same seed and another for another", () => {
    const crews = crewsOf(8, 2);
    assert.deepEqual(roundOrders(crews, 40, 7), roundOrders(crews, 40, 7));
    assert.notDeepEqual(roundOrders(crews, 40, 7), roundOrders(crews, 40, 8));
  });
});

describe("a plan", () => {
  it("is a pure function of the request", () => assert.deepEqual(planOf(), planOf()));

  it("gives every fork of every group its own workload, and the same one for the same seed", () => {
    const seeds = [0, 1, 2].flatMap((group) => [0, 1, 2, 3, 4].map((fork) => forkSeed(42, group, fork)));
    assert.equal(new Set(seeds).size, seeds.length);
    assert.equal(forkSeed(42, 1, 2), seeds[7]);
    for (const seed of seeds) assert.ok(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32);
  });

  it("has baseline, A/A control, control and the empty operation in every group, and stays within 64 threads", () => {
    const workers = Array.from({ length: mostWorkers(2) }, (_, index) => index + 1);
    for (const { crews } of planOf({ all: true, workers }).groups) {
      for (const own of ["baseline", "aa-control", "control", "empty"])
        assert.equal(namesOf(crews, own).length, 1, own);
      const threads = crews.reduce((sum, crew) => sum + crew.workers, 0);
      // Node's own threads come on top.
      assert.ok(threads + 8 <= 64, `${threads} crew threads`);
    }
  });

  it("races every competitor exactly once where a scenario needs several groups", () => {
    const { groups } = only("pick/uniform-8", { all: true, workers: [8] });
    assert.ok(groups.length > 1);
    const everybody = competitorsOf("pick").map(({ name }) => name);
    assert.deepEqual(
      groups.flatMap(({ crews }) => namesOf(crews, "rival")).sort(),
      everybody.filter((name) => name !== "shuffled-round-robin"),
    );
  });

  it("leaves out competitors that do not take part, and says why; the baseline always takes part", () => {
    const { groups } = only("pick/uniform-7", { workers: [1] });
    const absent = new Map(groups[0]!.absent.map(({ competitor, reason }) => [competitor, reason]));
    assert.match(absent.get("shuffled-round-robin-mask") ?? "", /power of two/);
    assert.equal(absent.get("shuffled-round-robin"), undefined);
    for (const { crews } of groups) {
      assert.equal(crews[0]!.name, "shuffled-round-robin");
      assert.ok(!crews.some(({ name }) => absent.has(name)));
    }
  });

  it("leaves out competitors that cannot run here, and races ones whose claims it does not know", () => {
    const reasons = (described: Request["described"]) =>
      only("pick/uniform-8", { all: true, workers: [1], described }).groups[0]!.absent.map(
        ({ reason }) => reason,
      );
    assert.deepEqual(reasons(describedAs(entryOf("pick", "cas-ring"), absentEverywhere)), [
      "no such thing here",
    ]);
    assert.deepEqual(reasons(new Map()), []);
  });

  it("leaves out the baseline of a survey, too, where its runtime or what it needs is missing", () => {
    const lacking = describedAs(entryOf("ownership", "flat-sorted-arrays"), absentEverywhere);
    const cases: readonly [filter: string, changes: Partial<Request>, line: string][] = [
      [
        "connections/fleet-on-bun",
        { startOf: (name: string) => startOrReason(name, tmpdir()) },
        "connections/fleet-on-bun/nobody does not take part: bun is not installed: npm run runtimes installs it",
      ],
      [
        "ownership/collectors-nats",
        { described: lacking },
        "ownership/collectors-nats/flat-sorted-arrays does not take part: no such thing here",
      ],
    ];
    for (const [filter, changes, line] of cases) {
      assert.deepEqual(only(filter, changes).surveys, []);
      assert.throws(() => checkFilters({ ...request, filters: [filter], ...changes }), new UsageError(line));
    }
  });

  it("races variants where they are asked for, and elsewhere says that they are variants", () => {
    const described = describedAs(entryOf("slots", "two-choices"), varying("per-worker-random"));
    const absenceIn = (changes: Partial<Request>) =>
      planOf({ described, workers: [1], ...changes })
        .groups.find(({ scenario }) => scenario === "connect-600")!
        .absent.find(({ competitor }) => competitor === "two-choices")?.reason;
    for (const filters of [["slots"], []])
      assert.equal(absenceIn({ filters }), "a variant, which races with --all");
    assert.equal(absenceIn({ filters: ["slots"], all: true }), undefined);
    assert.equal(absenceIn({ filters: ["slots/connect-600"] }), undefined);
  });

  it("has the shortest table first, whole, and the others in their order", () => {
    const flow = ["flat-slots", "flat-sorted-arrays", "ring-of-ranges"].map(
      (name) => `ownership/flow/${name}`,
    );
    const cases: readonly [filters: readonly string[], tables: readonly string[]][] = [
      [
        ["locks/short-section", "draws/bound-7"],
        ["bound-7/1", "short-section/1", "short-section/2"],
      ],
      [
        [...flow, "ownership/one-writer/seqlock-slots/2w"],
        ["one-writer/2", "flow/1"],
      ],
    ];
    for (const [filters, tables] of cases) {
      const planned = planOf({ filters }).groups.map(({ scenario, workers }) => `${scenario}/${workers}`);
      assert.deepEqual([...new Set(planned)], tables);
    }
  });

  it("knows how much memory the racing crews of a group may need", () => {
    const [known] = only("timers/refresh-1m/hashed-wheel").groups;
    const racing = known!.crews.filter(({ url }) => url !== undefined).length;
    const perWorker = known!.race.bytesPerWorker!(undefined, known!.race.params.full);
    assert.ok(racing > 0 && perWorker > 1_000_000);
    assert.ok(
      known!.bytes > 0 && known!.bytes < racing * perWorker,
      "typed arrays take less than the unknown",
    );
    const [unknown] = only("timers/refresh-1m/hashed-wheel", { described: new Map() }).groups;
    assert.equal(unknown!.bytes, racing * perWorker);
  });

  it("surveys each competitor in as many processes as the profile says, or fewer where the survey says", () => {
    const forksOf = (name: string, profile: Request["profile"]) =>
      only(`timers/${name}`, { profile }).surveys.map(({ forks }) => forks);
    assert.deepEqual(forksOf("steady-100k", PROFILES.standard), [PROFILES.standard.surveys]);
    assert.deepEqual(forksOf("steady-100k", PROFILES.full), [PROFILES.full.surveys]);
    assert.deepEqual(forksOf("steady-1m", PROFILES.full), [1]);
  });

  it("counts the memory of each worker of a tail, and says whether it has more workers than cores", () => {
    const bytesOf = (name: string) => only(`ownership/${name}/seqlock-slots`).surveys[0]!.bytes;
    assert.ok(bytesOf("tail-2") > 0);
    assert.equal(bytesOf("tail-4"), 2 * bytesOf("tail-2"));
    for (const [cores, oversubscribed] of [
      [4, false],
      [2, true],
    ] as const)
      assert.equal(only("locks/tail-4", { cores }).surveys[0]!.oversubscribed, oversubscribed);
  });

  it("surveys those alone that a survey names, in its order", () => {
    const [planned] = only("timers/polling-100k").surveys;
    assert.ok(planned!.survey.kind === "survey");
    assert.deepEqual(
      planned!.entries.map(({ name }) => name),
      planned!.survey.competitors,
    );
    assert.deepEqual(planned!.absent, []);
  });

  it("offers workers above the cores, and above what makes sense, only where asked", () => {
    const cases: readonly [changes: Partial<Request>, counts: readonly number[]][] = [
      [{}, [1, 2]],
      [{ all: true }, [1, 2, 4, 8]],
      [{ profile: PROFILES.full }, [1, 2, 4, 8]],
      [{ workers: [4] }, [4]],
      [{ filters: ["pick/uniform-8/cas-ring/8w"] }, [8]],
      [{ filters: ["draws"], workers: [1, 2], all: true }, [1]],
    ];
    for (const [changes, counts] of cases) {
      const { groups } = only("pick", changes);
      assert.deepEqual(new Set(groups.map(({ workers }) => workers)), new Set(counts));
    }
  });

  it("gives crews with more workers than cores long slices and marks them", () => {
    const { groups } = only("pick/uniform-8", { workers: [2, 4] });
    const marks = groups.map(({ workers, oversubscribed }) => `${workers} ${oversubscribed}`);
    assert.deepEqual([...new Set(marks)], ["2 false", "4 true"]);
    for (const { oversubscribed, sliceUs } of groups) assert.ok(!oversubscribed || sliceUs >= 20_000);
  });

  it("races large objects apart from what can be moved, few in a process, the baseline in both", () => {
    const { groups } = only("timers/refresh-100k", { workers: [1] });
    assert.deepEqual([...new Set(groups.map(({ placement }) => placement))].sort(), ["arena", "own"]);
    for (const { placement, crews, rampUs } of groups) {
      assert.equal(crews[0]!.name, "hashed-wheel");
      const words = crews.filter((crew) => crew.url !== undefined && crew.placement === "arena");
      if (placement === "own") assert.deepEqual(words, []);
      assert.ok(placement === "arena" || rampUs >= 1000, "objects are not run warm");
    }
    const small = only("timers/refresh-1k", { workers: [1] }).groups;
    assert.ok(small.every(({ placement }) => placement === "arena"));
  });

  it("races from the judge's first look to its last", () => {
    assert.equal(FEWEST_FORKS, LOOKS[0]);
    assert.equal(MOST_FORKS, LOOKS.at(-1));
    for (const { forks } of planOf().groups) assert.equal(forks, MOST_FORKS);
  });

  it("shares its time out by cells, and only what is asked for exactly has no budget", () => {
    const { groups, budgetMs } = planOf();
    assert.equal(planOf({ budgetMs: 60_000 }).budgetMs, 60_000);
    const cells = groups.reduce((sum, group) => sum + weightOf(group), 0);
    assert.equal(budgetMs, 1000 * PROFILES.standard.secondsPerCell * cells);
    const exactly = { forks: 1, rounds: 2 };
    const exact = planOf({ profile: { ...PROFILES.quick, exactly } });
    assert.equal(exact.budgetMs, Number.POSITIVE_INFINITY);
    for (const { forks, rounds } of exact.groups) assert.deepEqual({ forks, rounds }, exactly);
  });

  it("brings a lone competitor its baseline", () => {
    const [{ crews }] = only("pick/uniform-8/cas-ring/2w").groups as [LabPlan["groups"][number]];
    const names = "shuffled-round-robin shuffled-round-robin~aa1 cas-ring ~control ~control-alone ~empty";
    assert.equal(crews.map(({ name }) => name).join(" "), names);
  });
});

describe("contenders", async () => {
  const { contenders } = (await import("../../pick/scenarios/uniform-8.ts")).default;
  const everybody = competitorsOf("pick").map(({ name }) => name);
  const other = competitorsOf("pick").find(({ name }) => !contenders.includes(name))!;
  const chosenIn = (changes: Partial<Request>) => {
    const { groups } = planOf({ workers: [1], ...changes });
    const own = groups.filter(({ scenario }) => scenario === "uniform-8");
    const leftOut = own[0]!.absent.filter(({ reason }) => reason === NO_CONTENDER);
    return {
      racing: new Set(own.flatMap(({ crews }) => namesOf(crews, "baseline", "rival"))),
      leftOut: leftOut.map(({ competitor }) => competitor),
    };
  };

  it("race alone where none is named, and the plan says which ones it leaves out", () => {
    for (const filters of [[], ["pick"], ["pick/uniform-8"], ["pick/uniform-8/"]]) {
      const { racing, leftOut } = chosenIn({ filters });
      assert.deepEqual(racing, new Set(contenders));
      assert.deepEqual(
        leftOut,
        everybody.filter((name) => !racing.has(name)),
      );
    }
  });

  it("have all others beside them with --all, and the ones that are named by themselves", () => {
    for (const filters of [[], ["pick"], ["pick/uniform-8"]])
      assert.deepEqual(chosenIn({ filters, all: true }), { racing: new Set(everybody), leftOut: [] });
    const named = chosenIn({ filters: [`pick/uniform-8/${other.name}`] });
    assert.deepEqual(named, { racing: new Set(["shuffled-round-robin", other.name]), leftOut: [] });
    const both = chosenIn({ filters: ["pick", `pick/uniform-8/${other.name}/1w`] });
    assert.deepEqual(both.racing, new Set([...contenders, other.name]));
    assert.ok(!both.leftOut.includes(other.name));
  });

  it("have a candidate beside them, which was asked for", () => {
    const candidates = new Map([["pick", [{ name: "newcomer", url: "file:///newcomer.ts" }]]]);
    assert.deepEqual(
      chosenIn({ filters: ["pick"], candidates }).racing,
      new Set([...contenders, "newcomer"]),
    );
  });

  it("may be variants, and others are no contenders whatever they vary, or whether they can take part", () => {
    const ring = entryOf("pick", contenders[1]!);
    assert.ok(chosenIn({ described: describedAs(ring, varying("cas-ring")) }).racing.has(ring.name));
    const variant = describedAs(other, varying("cas-ring"));
    assert.ok(chosenIn({ filters: ["pick/uniform-8"], described: variant }).leftOut.includes(other.name));
    const unable = describedAs(other, absentEverywhere);
    assert.ok(!chosenIn({ described: unable }).leftOut.includes(other.name));
  });

  it("are named wherever more rivals take part in a headline race than a reader has time for", () => {
    const { groups } = planOf({ filters: [] });
    const byTable = Map.groupBy(groups, ({ scenario, workers }) => `${scenario}/${workers}`);
    for (const [table, own] of byTable) {
      const rivals = own.flatMap(({ crews }) => namesOf(crews, "rival"));
      assert.ok(rivals.length <= MOST_CONTENDING, `${table} has ${rivals.length}`);
    }
  });
});

describe("a plan of simulations", () => {
  const described = {
    title: "made up",
    headline: true,
    params: { full: {}, smoke: {} },
    baseline: "locked-random",
    metrics: {},
    run: () => ({ metrics: {}, series: {} }),
    law: () => undefined,
  };
  const answer: Overview = { title: "Answer", columns: [] };
  const planned = (
    more: Partial<Simulation<unknown, unknown>>,
    changes: Partial<Request> = {},
    overview = answer,
  ) => {
    const scenarios = [
      simulation({ ...described, scenario: "all" }),
      simulation({ ...described, scenario: "some", ...more }),
    ];
    return planOf({
      suites: [{ suite: { primitive: "pick", scenarios, overview }, url: "file:///none" }],
      ...changes,
    });
  };
  const namesIn = ({ entries }: LabPlan["simulations"][number]) => entries.map(({ name }) => name);

  it("has only the competitors that the scenario names, in its order, and does not mention the others", () => {
    const competitors = ["locked-random", "shuffled-round-robin", "cas-ring"];
    const candidates = new Map([["pick", [{ name: "outsider", url: "file:///outsider.ts" }]]]);
    const [all, some] = planned({ competitors }, { candidates }).simulations;
    assert.ok(namesIn(all!).includes("outsider") && namesIn(all!).length > 4);
    assert.deepEqual(namesIn(some!), competitors);
    assert.deepEqual(some!.absent, []);
  });

  it("has a variant where a scenario names it, and no row for it in the overview", () => {
    const described = describedAs(entryOf("pick", "cas-ring"), varying("cas-ring-scattered"));
    const { simulations, overviews } = planned({ competitors: ["locked-random", "cas-ring"] }, { described });
    assert.deepEqual(
      simulations.map((one) => namesIn(one).includes("cas-ring")),
      [false, true],
    );
    assert.equal(overviews[0]?.overview, answer);
    assert.ok(overviews[0]?.variants.includes("cas-ring"));
    assert.ok(!overviews[0]?.variants.includes("locked-random"));
  });

  it("is refused where a scenario or the overview names what there is not, or a scenario not its baseline", () => {
    const column = { title: "Peak", unit: "", digits: 0 };
    const showing = (shown: { scenario: string } & ({ metric: string } | { workers: number })) => () =>
      planned({ metrics: { peak: column } }, {}, { ...answer, columns: [{ ...column, ...shown }] });
    assert.equal(showing({ scenario: "some", metric: "peak" })().overviews.length, 1);
    const cases: readonly [make: () => LabPlan, message: string][] = [
      [
        () => planned({ competitors: ["locked-random", "cas-rang"] }),
        'some: no competitor is named "cas-rang"',
      ],
      [
        () => planned({ competitors: ["cas-ring"] }),
        'some: its baseline "locked-random" is not among its competitors',
      ],
      [showing({ scenario: "none", metric: "peak" }), 'overview, "Peak": no scenario is named "none"'],
      [showing({ scenario: "some", metric: "low" }), 'overview, "Peak": some has no metric "low"'],
      [showing({ scenario: "some", workers: 1 }), 'overview, "Peak": some is not raced at 1w'],
    ];
    for (const [make, message] of cases) assert.throws(make, { message: `suite pick, ${message}` });
  });

  it("runs from the request's seed first, then from others, at smoke size from two at most", () => {
    const seedsOf = (...given: Parameters<typeof planned>) => planned(...given).simulations[1]!.seeds;
    const seeds = seedsOf({ seeds: 20 });
    assert.deepEqual([seeds.length, new Set(seeds).size, seeds[0]], [20, 20, request.seed]);
    for (const seed of seeds) assert.ok(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32);
    assert.deepEqual(seedsOf({ seeds: 3 }), seeds.slice(0, 3));
    assert.deepEqual(seedsOf({ seeds: 20 }, { size: "smoke" }), seeds.slice(0, 2));
    for (const size of ["full", "smoke"] as const) assert.deepEqual(seedsOf({}, { size }), [request.seed]);
  });
});

describe("filters", () => {
  const scenariosOf = (changes: Partial<Request>) =>
    new Set(chosenCells({ ...request, ...changes }).map(({ scenario }) => scenario));

  it("match whole leading parts of a cell's name", () => {
    const cell = "pick/uniform-8/cas-ring/2w";
    for (const filter of ["pick", "pick/uniform-8/", cell]) assert.ok(matches(cell, filter), filter);
    for (const filter of ["pick/uniform", "ck"]) assert.ok(!matches(cell, filter), filter);
  });

  it("without one, exactly the headline scenarios are chosen", () => {
    const all = new Set(allCells(request).map(({ scenario }) => scenario));
    assert.deepEqual(scenariosOf({}), new Set([...all].filter(({ headline }) => headline)));
  });

  it("a primitive alone means its headline scenarios, all of them with --all; a scenario's name means itself", () => {
    const headlines = [...scenariosOf({ filters: ["pick"] })];
    assert.ok(headlines.length > 0 && headlines.every(({ headline }) => headline));
    const all = [...scenariosOf({ filters: ["pick"], all: true })];
    const other = all.find(({ headline }) => !headline);
    assert.ok(other !== undefined && all.length > headlines.length);
    assert.deepEqual(scenariosOf({ filters: [`pick/${other.scenario}`] }), new Set([other]));
  });

  it("suggestions come nearest first", () => {
    assert.equal(nearestFirst(["locks", "timers", "pick"], "pik")[0], "pick");
    assert.deepEqual(likely(["profile", "list", "all", "publish"], "lsit"), ["list"]);
    assert.deepEqual(likely(["precision", "resume", "profile", "publish"], "pr"), ["profile", "precision"]);
    assert.deepEqual(likely(["profile", "list"], "frobnicate"), []);
  });
});

it("every suite can be planned whole, with its overview where it has one, and no two share a name", () => {
  const { overviews } = planOf({ all: true });
  const having = request.suites.filter(({ suite }) => suite.overview !== undefined);
  assert.equal(overviews.length, having.length);
  // Otherwise the worker count is one that hardly any record has.
  for (const { workers = 1 } of overviews.flatMap(({ overview }) => overview.columns))
    assert.ok(WORKER_COUNTS.includes(workers), String(workers));
  const names = allCells({ ...request, all: true }).map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
});
