import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { before, describe, it } from "node:test";
import fc from "fast-check";
import { competitorsOf, type Entry } from "../../../structures/catalog.ts";
import { LOOKS } from "../../engine/judge/verdict.ts";
import { mostWorkers, WORKER_COUNTS } from "../../engine/measure/plan/crews.ts";
import { forkSeed, type Plan, PROFILES, type Request } from "../../engine/measure/plan/plan.ts";
import { roundOrders } from "../../engine/measure/plan/rounds.ts";
import { FEWEST_FORKS, MOST_FORKS, weightOf } from "../../engine/measure/plan/timing.ts";
import { type Overview, type Simulation, simulation } from "../../engine/suite.ts";
import { likely, nearestFirst, UsageError } from "../command/usage.ts";
import { absentEverywhere, syntheticRequest } from "../request.synthetic.ts";
import { checkFilters } from "../request.ts";
import { startOrReason } from "../runtimes/runtimes.ts";
import { NO_CONTENDER } from "../schema/contenders.ts";
import { MOST_CONTENDING } from "../suites.ts";
import { allCells, chosenCells, matches } from "./cells.ts";
import { makePlan } from "./make-plan.ts";

let request: Request;
before(async () => {
  request = await syntheticRequest({ profile: PROFILES.standard });
});

describe("the order of slices", () => {
  const crewsOf = (contestants: number, own: number) => [
    { kind: "baseline" as const },
    ...Array.from({ length: contestants }, () => ({ kind: "rival" as const })),
    ...Array.from({ length: own }, () => ({ kind: "control" as const })),
  ];

  const kindsAt = (kinds: ReturnType<typeof crewsOf>, order: readonly number[]) =>
    order.map((crew) => kinds[crew]!.kind);

  it("has every contestant once a round, the baseline among them, and every round reversed by the next", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 0, max: 3 }),
        fc.integer({ min: 1, max: 20 }),
        fc.nat(),
        (contestants, own, pairs, seed) => {
          const rounds = roundOrders(crewsOf(contestants, own), 2 * pairs, seed);
          assert.equal(rounds.length, 2 * pairs);
          for (const [index, order] of rounds.entries()) {
            const raced = order.filter((crew) => crew <= contestants);
            assert.deepEqual(raced.toSorted(), [...Array(contestants + 1).keys()].toSorted());
            if (index % 2 === 1) assert.deepEqual(order, rounds[index - 1]!.toReversed());
          }
        },
      ),
    );
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
    assert.deepEqual(
      roundOrders(crews, 8, 1).map(
        (order) => kindsAt(crews, order).filter((kind) => kind === "control").length,
      ),
      [1, 1, 0, 0, 1, 1, 0, 0],
    );
  });

  it("is the same for the same seed and another for another", () => {
    const crews = crewsOf(8, 2);
    assert.deepEqual(roundOrders(crews, 40, 7), roundOrders(crews, 40, 7));
    assert.notDeepEqual(roundOrders(crews, 40, 7), roundOrders(crews, 40, 8));
  });
});

describe("a plan", () => {
  it("is a pure function of the request", () => assert.deepEqual(makePlan(request), makePlan(request)));

  it("gives every fork of every group its own workload, and the same one for the same seed", () => {
    const seeds = [0, 1, 2].flatMap((group) => [0, 1, 2, 3, 4].map((fork) => forkSeed(42, group, fork)));
    assert.equal(new Set(seeds).size, seeds.length);
    assert.equal(forkSeed(42, 1, 2), seeds[7]);
    for (const seed of seeds) assert.ok(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32);
  });

  it("has baseline, A/A control, control and the empty operation in every group, and stays within 64 threads", () => {
    const workers = Array.from({ length: mostWorkers(2) }, (_, index) => index + 1);
    for (const { crews } of makePlan({ ...request, all: true, workers }).groups) {
      const kinds = crews.map(({ kind }) => kind);
      for (const own of ["baseline", "aa-control", "control", "empty"] as const)
        assert.equal(kinds.filter((kind) => kind === own).length, 1, own);
      const threads = crews.reduce((sum, crew) => sum + crew.workers, 0);
      // Node's own threads come on top.
      assert.ok(threads + 8 <= 64, `${threads} crew threads`);
    }
  });

  it("races every competitor exactly once where a scenario needs several groups", () => {
    const plan = makePlan({ ...request, filters: ["pick/uniform-8"], all: true, workers: [8] });
    assert.ok(plan.groups.length > 1);
    const rivals = plan.groups.flatMap(({ crews }) =>
      crews.filter(({ kind }) => kind === "rival").map(({ name }) => name),
    );
    const expected = competitorsOf("pick")
      .map(({ name }) => name)
      .filter((name) => name !== "shuffled-round-robin");
    assert.deepEqual(rivals.sort(), expected);
  });

  it("leaves out competitors that do not take part, and says why; the baseline always takes part", () => {
    const { groups } = makePlan({ ...request, filters: ["pick/uniform-7"], workers: [1] });
    const absent = new Map(groups[0]!.absent.map(({ competitor, reason }) => [competitor, reason]));
    assert.match(absent.get("shuffled-round-robin-mask") ?? "", /power of two/);
    assert.equal(absent.get("shuffled-round-robin"), undefined);
    for (const { crews } of groups) {
      assert.equal(crews[0]!.name, "shuffled-round-robin");
      assert.deepEqual(
        crews.filter(({ name }) => absent.has(name)),
        [],
      );
    }
  });

  it("leaves out competitors that cannot run here, and races ones whose claims it does not know", () => {
    const [ring] = competitorsOf("pick").filter(({ name }) => name === "cas-ring");
    const unable = absentEverywhere(request.described.get(ring!.url)!);
    const changed = { ...request, filters: ["pick/uniform-8"], all: true, workers: [1] };
    const reasons = (described: Request["described"]) =>
      makePlan({ ...changed, described }).groups[0]!.absent.map(({ reason }) => reason);
    assert.deepEqual(reasons(new Map([...request.described, [ring!.url, unable]])), ["no such thing here"]);
    assert.deepEqual(reasons(new Map()), []);
  });

  it("leaves out everybody, the baseline too, where the runtime that a survey takes is not installed", () => {
    const asked = {
      ...request,
      filters: ["connections/fleet-on-bun"],
      startOf: (name: string) => startOrReason(name, tmpdir()),
    };
    assert.deepEqual(makePlan(asked).surveys, []);
    const line =
      "connections/fleet-on-bun/nobody does not take part: bun is not installed: npm run runtimes installs it";
    assert.throws(() => checkFilters(asked), new UsageError(line));
  });

  it("leaves out the baseline of a survey where the machine lacks what it needs", () => {
    const [arrays] = competitorsOf("ownership").filter(({ name }) => name === "flat-sorted-arrays");
    const unable = absentEverywhere(request.described.get(arrays!.url)!);
    const described = new Map([...request.described, [arrays!.url, unable]]);
    const asked = { ...request, described, filters: ["ownership/collectors-nats"] };
    assert.deepEqual(makePlan(asked).surveys, []);
    const line = "ownership/collectors-nats/flat-sorted-arrays does not take part: no such thing here";
    assert.throws(() => checkFilters(asked), new UsageError(line));
  });

  it("races variants where they are asked for, and elsewhere says that they are variants", () => {
    const [choices] = competitorsOf("slots").filter(({ name }) => name === "two-choices");
    const variant = { ...request.described.get(choices!.url)!, variantOf: "per-worker-random" };
    const described = new Map([...request.described, [choices!.url, variant]]);
    const absenceIn = (changes: Partial<Request>) =>
      makePlan({ ...request, described, workers: [1], ...changes })
        .groups.find(({ scenario }) => scenario === "connect-600")!
        .absent.find(({ competitor }) => competitor === "two-choices")?.reason;
    assert.equal(absenceIn({ filters: ["slots"] }), "a variant, which races with --all");
    assert.equal(absenceIn({ filters: [] }), "a variant, which races with --all");
    assert.equal(absenceIn({ filters: ["slots"], all: true }), undefined);
    assert.equal(absenceIn({ filters: ["slots/connect-600"] }), undefined);
  });

  it("has the shortest table first, whole, and the others in their order", () => {
    const tablesOf = (filters: readonly string[]) => [
      ...new Set(
        makePlan({ ...request, filters }).groups.map(({ scenario, workers }) => `${scenario}/${workers}`),
      ),
    ];
    assert.deepEqual(tablesOf(["locks/short-section", "draws/bound-7"]), [
      "bound-7/1",
      "short-section/1",
      "short-section/2",
    ]);
    const names = ["flat-slots", "flat-sorted-arrays", "ring-of-ranges"];
    const flow = names.map((name) => `ownership/flow/${name}`);
    assert.deepEqual(tablesOf([...flow, "ownership/one-writer/seqlock-slots/2w"]), [
      "one-writer/2",
      "flow/1",
    ]);
  });

  it("knows how much memory the racing crews of a group may need", () => {
    const [group] = makePlan({ ...request, filters: ["timers/refresh-1m/hashed-wheel"] }).groups;
    const racing = group!.crews.filter(({ url }) => url !== undefined).length;
    const perWorker = group!.race.bytesPerWorker!(undefined, group!.race.params.full);
    assert.ok(racing > 0 && perWorker > 1_000_000);
    assert.ok(
      group!.bytes > 0 && group!.bytes < racing * perWorker,
      "typed arrays take less than the unknown",
    );
    const unknown = makePlan({
      ...request,
      described: new Map(),
      filters: ["timers/refresh-1m/hashed-wheel"],
    });
    assert.equal(unknown.groups[0]!.bytes, racing * perWorker);
  });

  it("surveys each competitor in as many processes as the profile says, or fewer where the survey says", () => {
    const forksOf = (name: string, profile: Request["profile"]) =>
      makePlan({ ...request, profile, filters: [`timers/${name}`] }).surveys.map(({ forks }) => forks);
    assert.deepEqual(forksOf("steady-100k", PROFILES.standard), [PROFILES.standard.surveys]);
    assert.deepEqual(forksOf("steady-100k", PROFILES.full), [PROFILES.full.surveys]);
    assert.deepEqual(forksOf("steady-1m", PROFILES.full), [1]);
  });

  it("counts the memory of each worker of a tail", () => {
    const bytesOf = (name: string) =>
      makePlan({ ...request, filters: [`ownership/${name}/seqlock-slots`] }).surveys[0]!.bytes;
    assert.ok(bytesOf("tail-2") > 0);
    assert.equal(bytesOf("tail-4"), 2 * bytesOf("tail-2"));
  });

  it("says of a tail whether it has more workers than there are cores", () => {
    const surveyOf = (name: string, cores: number) =>
      makePlan({ ...request, cores, filters: [`locks/${name}`] }).surveys[0]!;
    assert.equal(surveyOf("tail-4", 4).oversubscribed, false);
    assert.equal(surveyOf("tail-4", 2).oversubscribed, true);
  });

  it("surveys those alone that a survey names, in its order", () => {
    const [planned] = makePlan({ ...request, filters: ["timers/refreshed-1m"] }).surveys;
    const names = planned!.entries.map(({ name }) => name);
    assert.ok(planned!.survey.kind === "survey");
    assert.deepEqual(names, planned!.survey.competitors);
    assert.deepEqual(planned!.absent, []);
  });

  it("offers no more workers than make sense", () => {
    const { groups } = makePlan({ ...request, filters: ["draws"], workers: [1, 2], all: true });
    assert.deepEqual(new Set(groups.map(({ workers }) => workers)), new Set([1]));
  });

  it("gives crews with more workers than cores long slices and marks them", () => {
    const plan = makePlan({ ...request, filters: ["pick/uniform-8"], workers: [2, 4] });
    assert.deepEqual(
      [...new Set(plan.groups.map(({ workers, oversubscribed }) => `${workers} ${oversubscribed}`))],
      ["2 false", "4 true"],
    );
    for (const { oversubscribed, sliceUs } of plan.groups) assert.ok(!oversubscribed || sliceUs >= 20_000);
  });

  it("offers workers above the cores only where asked", () => {
    const counts = (changes: Partial<Request>) =>
      new Set(makePlan({ ...request, filters: ["pick"], ...changes }).groups.map(({ workers }) => workers));
    assert.deepEqual(counts({}), new Set([1, 2]));
    assert.deepEqual(counts({ all: true }), new Set([1, 2, 4, 8]));
    assert.deepEqual(counts({ profile: PROFILES.full }), new Set([1, 2, 4, 8]));
    assert.deepEqual(counts({ workers: [4] }), new Set([4]));
    assert.deepEqual(counts({ filters: ["pick/uniform-8/cas-ring/8w"] }), new Set([8]));
  });

  it("races large objects apart from what can be moved, few in a process, the baseline in both", () => {
    const { groups } = makePlan({ ...request, filters: ["timers/refresh-100k"], workers: [1] });
    const placements = new Map(groups.map((group) => [group.placement, group]));
    assert.deepEqual([...placements.keys()].sort(), ["arena", "own"]);
    for (const { placement, crews, rampUs } of groups) {
      assert.equal(crews[0]!.name, "hashed-wheel");
      const words = crews.filter((crew) => crew.url !== undefined && crew.placement === "arena");
      if (placement === "own") assert.deepEqual(words, []);
      assert.ok(placement === "arena" || rampUs >= 1000, "objects are not run warm");
    }
    const small = makePlan({ ...request, filters: ["timers/refresh-1k"], workers: [1] }).groups;
    assert.ok(small.every(({ placement }) => placement === "arena"));
  });

  it("races from the judge's first look to its last", () => {
    assert.equal(FEWEST_FORKS, LOOKS[0]);
    assert.equal(MOST_FORKS, LOOKS.at(-1));
    for (const { forks } of makePlan(request).groups) assert.equal(forks, MOST_FORKS);
  });

  it("shares its time out by cells, and only what is asked for exactly has no budget", () => {
    const plan = makePlan(request);
    assert.equal(makePlan({ ...request, budgetMs: 60_000 }).budgetMs, 60_000);
    const cells = plan.groups.reduce((sum, group) => sum + weightOf(group), 0);
    assert.equal(plan.budgetMs, 1000 * PROFILES.standard.secondsPerCell * cells);
    const exactly = { forks: 1, rounds: 2 };
    const exact = makePlan({ ...request, profile: { ...PROFILES.quick, exactly } });
    assert.equal(exact.budgetMs, Number.POSITIVE_INFINITY);
    for (const { forks, rounds } of exact.groups) assert.deepEqual({ forks, rounds }, exactly);
  });

  it("brings a lone competitor its baseline", () => {
    const [group] = makePlan({ ...request, filters: ["pick/uniform-8/cas-ring/2w"] }).groups;
    assert.deepEqual(
      group!.crews.map(({ name }) => name),
      [
        "shuffled-round-robin",
        "shuffled-round-robin~aa1",
        "cas-ring",
        "~control",
        "~control-alone",
        "~empty",
      ],
    );
  });
});

describe("contenders", async () => {
  const { contenders } = (await import("../../pick/scenarios/uniform-8.ts")).default;
  const [other] = competitorsOf("pick").filter(({ name }) => !contenders.includes(name)) as [Entry];
  const chosenIn = (changes: Partial<Request>) => {
    const { groups } = makePlan({ ...request, workers: [1], ...changes });
    const own = groups.filter(({ scenario }) => scenario === "uniform-8");
    const racing = own.flatMap(({ crews }) =>
      crews.flatMap(({ name, kind }) => (isRacing(kind) ? [name] : [])),
    );
    const { absent } = own[0]!;
    const leftOut = absent.filter(({ reason }) => reason === NO_CONTENDER);
    return { racing: new Set(racing), leftOut: leftOut.map(({ competitor }) => competitor) };
  };
  const isRacing = (kind: string) => kind === "baseline" || kind === "rival";
  const everybody = competitorsOf("pick").map(({ name }) => name);

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
    for (const filters of [[], ["pick"], ["pick/uniform-8"]]) {
      const { racing, leftOut } = chosenIn({ filters, all: true });
      assert.deepEqual(racing, new Set(everybody));
      assert.deepEqual(leftOut, []);
    }
    const named = chosenIn({ filters: [`pick/uniform-8/${other.name}`] });
    assert.deepEqual(named, { racing: new Set(["shuffled-round-robin", other.name]), leftOut: [] });
    const both = chosenIn({ filters: ["pick", `pick/uniform-8/${other.name}/1w`] });
    assert.deepEqual(both.racing, new Set([...contenders, other.name]));
    assert.ok(!both.leftOut.includes(other.name));
  });

  it("have a candidate beside them, which was asked for", () => {
    const candidate = { name: "newcomer", url: "file:///newcomer.ts" };
    const { racing } = chosenIn({ filters: ["pick"], candidates: new Map([["pick", [candidate]]]) });
    assert.deepEqual(racing, new Set([...contenders, "newcomer"]));
  });

  it("may be variants, and others are no contenders whatever they vary", () => {
    const describedAs = ({ url }: Entry) =>
      new Map([...request.described, [url, { ...request.described.get(url)!, variantOf: "cas-ring" }]]);
    const [ring] = competitorsOf("pick").filter(({ name }) => name === contenders[1]) as [Entry];
    assert.ok(chosenIn({ described: describedAs(ring) }).racing.has(ring.name));
    const { leftOut } = chosenIn({ filters: ["pick/uniform-8"], described: describedAs(other) });
    assert.ok(leftOut.includes(other.name));
  });

  it("exclude the competitors that cannot take part, and say why", () => {
    const unable = absentEverywhere(request.described.get(other.url)!);
    const described = new Map([...request.described, [other.url, unable]]);
    assert.ok(!chosenIn({ described }).leftOut.includes(other.name));
  });

  it("are named wherever more rivals take part in a headline race than a reader has time for", () => {
    const { groups } = makePlan({ ...request, filters: [] });
    const byTable = Map.groupBy(groups, ({ scenario, workers }) => `${scenario}/${workers}`);
    for (const [table, own] of byTable) {
      const rivals = own.flatMap(({ crews }) => crews.filter(({ kind }) => kind === "rival"));
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
  const planOf = (
    more: Partial<Simulation<unknown, unknown>>,
    changes: Partial<Request> = {},
    overview = answer,
  ) => {
    const scenarios = [
      simulation({ ...described, scenario: "all" }),
      simulation({ ...described, scenario: "some", ...more }),
    ];
    const suites = [{ suite: { primitive: "pick", scenarios, overview }, url: "file:///none" }];
    return makePlan({ ...request, suites, ...changes });
  };
  const someOf = (...given: Parameters<typeof planOf>) => planOf(...given).simulations[1]!;
  const namesIn = ({ entries }: Plan["simulations"][number]) => entries.map(({ name }) => name);

  it("has only the competitors that the scenario names, in its order, and does not mention the others", () => {
    const competitors = ["locked-random", "shuffled-round-robin", "cas-ring"];
    const outsider = { name: "outsider", url: "file:///outsider.ts" };
    const plan = planOf({ competitors }, { candidates: new Map([["pick", [outsider]]]) });
    const [all, some] = plan.simulations;
    assert.ok(namesIn(all!).includes("outsider") && namesIn(all!).length > 4);
    assert.deepEqual(namesIn(some!), competitors);
    assert.deepEqual(some!.absent, []);
  });

  it("has a variant where a scenario names it, and no row for it in the overview", () => {
    const [ring] = competitorsOf("pick").filter(({ name }) => name === "cas-ring");
    const variant = { ...request.described.get(ring!.url)!, variantOf: "cas-ring-scattered" };
    const described = new Map([...request.described, [ring!.url, variant]]);
    const { simulations, overviews } = planOf({ competitors: ["locked-random", "cas-ring"] }, { described });
    assert.ok(!namesIn(simulations[0]!).includes("cas-ring"));
    assert.ok(namesIn(simulations[1]!).includes("cas-ring"));
    assert.equal(overviews[0]?.overview, answer);
    assert.ok(overviews[0]?.variants.includes("cas-ring"));
    assert.ok(!overviews[0]?.variants.includes("locked-random"));
  });

  it("is refused where a scenario names none, or not its baseline", () => {
    assert.throws(
      () => planOf({ competitors: ["locked-random", "cas-rang"] }),
      /^Error: suite pick, some: no competitor is named "cas-rang"$/,
    );
    assert.throws(
      () => planOf({ competitors: ["cas-ring"] }),
      /^Error: suite pick, some: its baseline "locked-random" is not among its competitors$/,
    );
  });

  it("is refused where the overview shows what no scenario has", () => {
    const column = { title: "Peak", unit: "", digits: 0 };
    const planWith = (shown: { scenario: string } & ({ metric: string } | { workers: number })) =>
      planOf({ metrics: { peak: column } }, {}, { ...answer, columns: [{ ...column, ...shown }] });
    assert.equal(planWith({ scenario: "some", metric: "peak" }).overviews.length, 1);
    const where = 'suite pick, overview, "Peak": ';
    assert.throws(() => planWith({ scenario: "none", metric: "peak" }), {
      message: `${where}no scenario is named "none"`,
    });
    assert.throws(() => planWith({ scenario: "some", metric: "low" }), {
      message: `${where}some has no metric "low"`,
    });
    assert.throws(() => planWith({ scenario: "some", workers: 1 }), {
      message: `${where}some is not raced at 1w`,
    });
  });

  it("runs from the request's seed first, then from others, at smoke size from two at most", () => {
    const { seeds } = someOf({ seeds: 20 });
    assert.equal(seeds.length, 20);
    assert.equal(new Set(seeds).size, 20);
    assert.equal(seeds[0], request.seed);
    for (const seed of seeds) assert.ok(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32);
    assert.deepEqual(someOf({ seeds: 3 }).seeds, seeds.slice(0, 3));
    assert.deepEqual(someOf({ seeds: 20 }, { size: "smoke" }).seeds, seeds.slice(0, 2));
    assert.deepEqual(someOf({}).seeds, [request.seed]);
    assert.deepEqual(someOf({}, { size: "smoke" }).seeds, [request.seed]);
  });
});

describe("filters", () => {
  it("match whole leading parts of a cell's name", () => {
    assert.ok(matches("pick/uniform-8/cas-ring/2w", "pick"));
    assert.ok(matches("pick/uniform-8/cas-ring/2w", "pick/uniform-8/"));
    assert.ok(matches("pick/uniform-8/cas-ring/2w", "pick/uniform-8/cas-ring/2w"));
    assert.ok(!matches("pick/uniform-8/cas-ring/2w", "pick/uniform"));
    assert.ok(!matches("pick/uniform-8/cas-ring/2w", "ck"));
  });

  it("without one, exactly the headline scenarios are chosen", () => {
    const chosen = new Set(chosenCells(request).map(({ scenario }) => scenario));
    const headlines = new Set(
      allCells(request)
        .map(({ scenario }) => scenario)
        .filter(({ headline }) => headline),
    );
    assert.deepEqual(chosen, headlines);
  });

  it("a primitive alone means its headline scenarios, all of them with --all; a scenario's name means itself", () => {
    const scenarios = (changes: Partial<Request>) =>
      new Set(chosenCells({ ...request, ...changes }).map(({ scenario }) => scenario));
    const headlines = [...scenarios({ filters: ["pick"] })];
    assert.ok(headlines.length > 0 && headlines.every(({ headline }) => headline));
    const all = [...scenarios({ filters: ["pick"], all: true })];
    const [other] = all.filter(({ headline }) => !headline);
    assert.ok(other !== undefined && all.length > headlines.length);
    assert.deepEqual(scenarios({ filters: [`pick/${other.scenario}`] }), new Set([other]));
  });

  it("suggestions come nearest first", () => {
    assert.equal(nearestFirst(["locks", "timers", "pick"], "pik")[0], "pick");
    assert.deepEqual(likely(["profile", "list", "all", "publish"], "lsit"), ["list"]);
    assert.deepEqual(likely(["precision", "resume", "profile", "publish"], "pr"), ["profile", "precision"]);
    assert.deepEqual(likely(["profile", "list"], "frobnicate"), []);
  });
});

it("every suite can be planned whole, with its overview where it has one", () => {
  const { overviews } = makePlan({ ...request, all: true });
  const having = request.suites.filter(({ suite }) => suite.overview !== undefined);
  assert.equal(overviews.length, having.length);
  // Otherwise the worker count is one that hardly any record has.
  for (const { workers = 1 } of overviews.flatMap(({ overview }) => overview.columns)) {
    assert.ok(WORKER_COUNTS.includes(workers), String(workers));
  }
});

it("no two suites or scenarios share a name", () => {
  const names = allCells({ ...request, all: true }).map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
});
