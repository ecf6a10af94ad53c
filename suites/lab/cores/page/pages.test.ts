import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { competitorsOf } from "../../../../structures/catalog.ts";
import { isPictureFile } from "../../pictures/charts.ts";
import { TONES } from "../../pictures/dark.ts";
import { assertWhole, STANDINGS, textsOf } from "../../pictures/races.synthetic.ts";
import { checkCores } from "../record.ts";
import { EXPLANATIONS } from "./misses.ts";
import { coresPage, drawCoresPage } from "./pages.ts";
import { isCoresPicture } from "./pictures.ts";
import { SYNTHETIC_CORES } from "./scaling.synthetic.ts";
import { leadersAt, scalingsOf, shownOf, turnoversOf } from "./scaling.ts";
import { coresChoice, coresFigures, coresSection, drawCoresSection, shownIn } from "./section.ts";
import { shapesOf } from "./shapes.ts";

const CORES = { file: "2026-11-26-0123456.json.gz", record: checkCores(SYNTHETIC_CORES, "made up") };
const page = coresPage(CORES);
const [pick, locks] = ["pick", "locks"].map((primitive) => coresSection(CORES, primitive).join("\n")) as [
  string,
  string,
];

/** The scaling of a primitive on the first machine that has more cores. */
function scalingOf(primitive: string) {
  return scalingsOf(CORES.record).find((scaling) => scaling.primitive === primitive)!;
}

/** Without code and links, which name structures and files. */
function prose(text: string): string {
  return text.replaceAll(/`[^`]*`/g, "").replaceAll(/\]\([^)]*\)/g, "]");
}

describe("how structures scale when simulated", () => {
  it("has the machines with more than two cores, and the structures that were checked and kept their laws", () => {
    assert.deepEqual(
      scalingsOf(CORES.record).map(({ primitive, machine }) => `${primitive} ${machine.name}`),
      ["pick server", "pick sockets", "locks server", "locks sockets"],
    );
    const { structures, without } = scalingOf("pick");
    assert.equal(structures[0]?.competitor, "per-worker-round-robin-reshuffled");
    assert.deepEqual(structures[0].points.at(-1)?.throughput, (1000 * 128) / 3);
    assert.deepEqual(
      [...without].map(([why, names]) => [why.split(":")[0]!.slice(0, 33), ...names]),
      [
        ["its simulated time at two workers", "locked-random-mcs-spin-then-park"],
        ["not measured at two workers, so t", "ticket-hash"],
        ["broke a law when simulated", "wasm-round-robin"],
        ["it takes messages", "least-loaded"],
      ],
    );
  });

  it("has what was measured with one worker and two beside it, of the workers whose operations count", () => {
    const measured = (record: typeof CORES.record) =>
      scalingsOf(record)[0]!.structures[0]!.measured.map(({ workers, throughput }) => [
        workers,
        Math.round(throughput),
      ]);
    assert.deepEqual(measured(CORES.record), [
      [1, 340],
      [2, 680],
    ]);
    const cells = CORES.record.cells.map((cell) =>
      cell.nominal === undefined ? cell : { ...cell, nominal: { ...cell.nominal, perWorker: [100] } },
    );
    assert.deepEqual(measured({ ...CORES.record, cells }), [
      [1, 340],
      [2, 340],
    ]);
  });

  it("names all leaders whose bands overlap, the highest first", () => {
    assert.deepEqual(leadersAt(scalingOf("locks"), 2), ["test-and-set"]);
    assert.deepEqual(leadersAt(scalingOf("locks"), 64), ["mcs-spin-then-park", "futex-three-state"]);
    assert.deepEqual(leadersAt(scalingOf("locks"), 3), []);
  });

  it("turns over where bands are apart on both sides alone", () => {
    assert.deepEqual(turnoversOf(scalingOf("locks"), 2, 64), [
      { competitor: "mcs-spin-then-park", passes: ["test-and-set"] },
      { competitor: "futex-three-state", passes: ["test-and-set"] },
    ]);
    assert.deepEqual(turnoversOf(scalingOf("locks"), 2, 8), []);
    assert.deepEqual(turnoversOf(scalingOf("locks"), 64, 2), [
      { competitor: "test-and-set", passes: ["mcs-spin-then-park", "futex-three-state"] },
    ]);
  });

  it("shows what is named, then what differs most, in the order of the ends", () => {
    const { structures } = scalingOf("pick");
    const shown = (named: string[], most: number) =>
      shownOf({ structures }, named, most).map(({ competitor }) => competitor);
    assert.deepEqual(shown(["cas-ring", "per-worker-random"], 2), ["per-worker-random", "cas-ring"]);
    // The other end, rather than the one beside it.
    assert.deepEqual(shown([], 2), [
      "per-worker-round-robin-reshuffled",
      "locked-random-test-and-test-and-set",
    ]);
    assert.equal(shown([], 99).length, structures.length);
    const answered = shownIn(scalingOf("pick"), { answer: "Take `two-choices`, not `npm-other`." });
    assert.ok(answered.some(({ competitor }) => competitor === "two-choices"));
  });
});

describe("shapes that others published", () => {
  const machines = [{ ...CORES.record.machines[1]!, name: "epyc-milan-x" }];
  const cells = CORES.record.cells.filter(({ machine }) => machine !== "sockets");
  const renamed = cells.map((cell) =>
    cell.machine === "server" ? { ...cell, machine: "epyc-milan-x" } : cell,
  );
  const record = { ...CORES.record, machines: [...CORES.record.machines, ...machines], cells: renamed };
  const [shapes, ...others] = shapesOf(record);

  it("are of machines and structures that were simulated, and say what has no simulated ratio", () => {
    assert.deepEqual(others, []);
    assert.equal(shapes!.published.name, "database-lock-opteron");
    const shown = shapes!.claims.filter(({ isShown }) => isShown !== undefined);
    assert.deepEqual(
      shown.map(({ claim, isShown, isMissed }) => [claim.of.competitor, claim.of.threads, isShown, isMissed]),
      [
        ["ticket", 64, true, true],
        ["test-and-set", 64, true, false],
        ["futex-three-state", 8, true, false],
        ["futex-three-state", 64, true, false],
      ],
    );
    assert.deepEqual(shapesOf(CORES.record), []);
  });

  it("stand on the page with the published and the simulated ratio, and how many of these keep within bounds", () => {
    const text = coresPage({ ...CORES, record });
    assert.match(text, /Of 4 simulated ratios\n4 keep within them\.$/m);
    assert.match(
      text,
      /^\| `ticket` has with 64 threads at most 0\.7 .* † +\| +0\.358 \| +0\.\d+ \| yes +\|$/m,
    );
    assert.match(text, /^\| `mcs-spinning` has .* – \| – +\|$/m);
    assert.match(text, /^\| spinlock +\| test-and-set +\| +8 \| +0\.26 \| +6\.06 \|$/m);
    assert.doesNotMatch(page, /## Published/);
  });

  it("are drawn side by side: theirs solid, ours dashed", async () => {
    const drawn = new Map(await drawCoresPage({ ...CORES, record }));
    const svg = drawn.get("simulated-shape-database-lock-opteron.svg")!;
    assertWhole(svg);
    const lines = [...svg.matchAll(/<path [^>]*stroke-width="1.25"[^>]*>/g)].map(([tag]) => tag);
    const isDashed = (tag: string) => tag.includes("stroke-dasharray");
    assert.equal(lines.filter((tag) => !isDashed(tag)).length, 6);
    assert.equal(lines.filter(isDashed).length, 4);
    assert.ok(textsOf(svg).includes("simulated") && textsOf(svg).includes("3: ticket (ticket) †"));
  });
});

describe("pages of what is simulated", () => {
  it("call it simulated in every heading, column and item of figures, and judge nothing", () => {
    for (const text of [pick, locks, page, coresChoice(CORES, "locks")!]) {
      assert.doesNotMatch(
        prose(text),
        /\b(faster|slower|winner|wins|beats|cannot tell)\b|\| *\**same\** *\|/i,
      );
      assert.doesNotMatch(text, /NaN|undefined|Infinity/);
    }
    for (const section of [pick, locks]) {
      for (const [heading] of section.matchAll(/^##.*$/gm)) assert.match(heading, /\(simulated\)$/);
      for (const [item] of section.matchAll(/^- .*$/gm)) assert.match(item, /\(simulated\)/);
      for (const [, columns] of section.matchAll(/^\| Structure +(\|.*)\|$/gm)) {
        for (const column of columns!.split("|").slice(1)) assert.match(column, /simulated/);
      }
    }
    assert.match(page, /^# .*\(simulated\)$/m);
  });

  it("a primitive's section has a picture for each machine, who leads, what turns over, and who has no figure", () => {
    assert.deepEqual(
      [...locks.matchAll(/ src="([^"]*)"/g)].map(([, file]) => file),
      ["simulated-short-section-server.svg", "simulated-short-section-sockets.svg"],
    );
    assert.match(locks, /^- With 2 workers \(simulated\) `test-and-set` leads\.$/m);
    assert.match(
      locks,
      /^- With 32 and 64 workers \(simulated\) `mcs-spin-then-park` leads; its band overlaps with that of `futex-three-state`\.$/m,
    );
    assert.match(
      locks,
      /^- Between 2 and 64 workers \(simulated\), of the structures in the picture, `mcs-spin-then-park` and `futex-three-state` pass `test-and-set`\.$/m,
    );
    assert.match(locks, /^\| mcs-spin-then-park +\| +9\.09\s\(7\.58‑10\.9\) \|/m);
    assert.match(locks, /^\| test-and-set +\| +81,960 \| +163,920 \| +245,880 \| +1\.00 \| +1 \| +0\.5 \|$/m);
    assert.match(locks, /^No simulated figure: `ticket` \(its simulated time .* 1\.5\)\.$/m);
    assert.deepEqual(coresSection(CORES, "draws"), []);
  });

  it("a figure without a band says so, and a percentile that few operations lie beyond has none", () => {
    const cells = CORES.record.cells.map(({ band: _, ...cell }) =>
      cell.nominal === undefined
        ? cell
        : { ...cell, nominal: { ...cell.nominal, perWorker: cell.nominal.perWorker.map(() => 10) } },
    );
    const [text] = coresSection({ ...CORES, record: { ...CORES.record, cells } }, "locks");
    assert.match(text!, /^\| mcs-spin-then-park +\| +9\.09\s\(no\sband\) \|/m);
    assert.match(text!, /^\| test-and-set +\| +81,960 \| +163,920 \| +– \|/m);
  });

  it("a bound, an oracle or a variant leads nowhere, and is in the tables alone", () => {
    const standings = { ...STANDINGS, variants: new Set(["test-and-set"]) };
    const text = coresSection(CORES, "locks", { standings }).join("\n");
    assert.deepEqual(
      text.split("\n").filter((line) => line.includes("test-and-set")).length,
      // Two tables for each of two machines.
      4,
    );
    assert.equal(coresChoice(CORES, "locks", { standings }), undefined);
    const all = new Set(scalingOf("locks").structures.map(({ competitor }) => competitor));
    assert.deepEqual(coresSection(CORES, "locks", { standings: { ...STANDINGS, floors: all } }), []);
  });

  it("a choice changes where no leader of two workers is one of 64", () => {
    assert.equal(coresChoice(CORES, "pick"), undefined);
    assert.match(
      coresChoice(CORES, "locks")!,
      /^With more cores \(simulated\), .* `mcs-spin-then-park` and `futex-three-state` in short-section with 64 workers, where `test-and-set` leads with 2 \(on the machine server and the machine sockets\)\. \[.*\]\(locks\/README\.md#with-more-cores-simulated\)\.$/,
    );
  });

  it("the page of all results has the figures with the most workers on the first machine", () => {
    const { title, byCompetitor } = coresFigures(CORES, "locks")!;
    assert.equal(
      title,
      "short-section on the machine server (simulated) with 64 workers, operations per us of all together",
    );
    assert.match(byCompetitor.get("mcs-spin-then-park")!, /^9\.88\s\(8\.23.11\.9\)$/);
    assert.ok(!coresFigures(CORES, "pick")!.byCompetitor.has("wasm-round-robin"), "it broke a law");
    assert.equal(coresFigures(CORES, "timers"), undefined);
  });

  it("the machines' page has goals, the check, the misses and every cost with its range and source", () => {
    assert.match(page, /^\| within a factor of 1\.5: at least 90\.0 % +\| +81\.8 % \| \*\*not met\*\* \|$/m);
    assert.match(page, /^\| locks\/short-section, 2 workers +\| +4 \| +0 \|/m);
    assert.match(
      page,
      /^\| pick\/uniform-8\/locked-random-mcs-spin-then-park +\| .* 4 \| Eight lines travel .* \|$/m,
    );
    assert.match(page, /^\| `upgradeShare` .* 5‑20 \| share \| chosen \|$/m);
    assert.match(page, /Commit: 0123456789abcdef\n/);
    assert.match(page, /`npm run cores -- --publish`/);
    assert.doesNotMatch(page, /## Planted/);
  });

  it("the machines' page has planted faults where the record has them, and the sentence of a broken law", () => {
    const planted = [
      {
        fault: "lost wake-up",
        machine: "server",
        workers: 64,
        honest: { nsPerOperation: 314, transfersPerOperation: 2 },
        faulty: { broken: "everyWorkerFinishes: all sleep", transfersPerOperation: 3 },
      },
    ];
    const planting = coresPage({ ...CORES, record: { ...CORES.record, planted } });
    assert.match(planting, /^## Planted faults \(simulated\)\n/m);
    assert.match(
      planting,
      /^\| lost wake-up +\| +64 \| +314 \| +everyWorkerFinishes: all sleep \| +2 \| +3 \|$/m,
    );
  });

  it("says so where nothing can be compared", () => {
    const cells = CORES.record.cells.map(({ measuredNs: _, ...cell }) => cell);
    const bare = { ...CORES, record: { ...CORES.record, cells } };
    assert.match(coresPage(bare), /Nothing was measured at two workers that was simulated\./);
    assert.deepEqual(coresSection(bare, "pick"), []);
  });

  it("an explanation of a miss is of a structure that there is", () => {
    for (const name of Object.keys(EXPLANATIONS)) {
      const [primitive, , competitor] = name.split("/");
      assert.ok(
        competitorsOf(primitive!).some((entry) => entry.name === competitor),
        name,
      );
    }
  });
});

describe("pictures of what is simulated", () => {
  it("say so, have no solid line, a ground of their own, and the same bytes whenever they are drawn", async () => {
    const drawn = await drawCoresSection(CORES, "pick");
    assert.deepEqual(await drawCoresSection(structuredClone(CORES), "pick"), drawn);
    for (const [file, svg] of drawn) {
      assert.ok(isCoresPicture(file) && !isPictureFile(file), file);
      assertWhole(svg);
      const texts = textsOf(svg);
      assert.ok(texts.includes("pick/uniform-8 with more cores (simulated)"));
      assert.ok(texts.some((text) => text.startsWith("Simulated: operations per us")));
      assert.ok(texts.some((text) => text.startsWith("Simulated, not measured.")));
      const lines = [...svg.matchAll(/<path [^>]*stroke="([^"]+)"[^>]*>/g)].filter(
        ([tag, colour]) => colour === TONES.ink.light && tag.includes('stroke-width="1.25"'),
      );
      assert.equal(lines.length, 8);
      for (const [tag] of lines) assert.match(tag, / stroke-dasharray="/);
      assert.match(svg, new RegExp(`fill="${TONES.paleBlueGround.light}"`));
    }
  });

  it("the check's picture names the misses alone, and has hollow points where costs were fitted", async () => {
    const [[file, svg]] = (await drawCoresPage(CORES)) as [[string, string]];
    assert.ok(isCoresPicture(file));
    assertWhole(svg);
    const texts = textsOf(svg);
    assert.ok(texts.includes("locked-random-mcs-spin-then-park") && texts.includes("ticket"));
    assert.ok(!texts.includes("cas-ring"));
    const points = [...svg.matchAll(/<path aria-label="([^:"]+): simulated[^>]* fill="([^"]+)"/g)];
    assert.equal(points.length, 13);
    assert.deepEqual(
      points.filter(([, , fill]) => fill === TONES.paper.light).map(([, name]) => name),
      CORES.record.fitted,
    );
  });
});
