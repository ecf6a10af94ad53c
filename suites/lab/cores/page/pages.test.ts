import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { competitorsOf } from "../../../../structures/catalog.ts";
import { golden, goldenCases } from "../../../engine/golden.trials.ts";
import { isPictureFile } from "../../pictures/charts.ts";
import { TONES } from "../../pictures/dark.ts";
import { assertWhole, LABELS } from "../../pictures/races.synthetic.ts";
import { retiredOf } from "../../store/retired.ts";
import { checkCores } from "../record.ts";
import misses from "./misses.json" with { type: "json" };
import { coresPage } from "./pages.ts";
import { isCoresPicture } from "./pictures.ts";
import { SYNTHETIC_CORES } from "./scaling.synthetic.ts";
import { leadersAt, scalingsOf, shownOf, turnoversOf } from "./scaling.ts";
import { coresChoice, coresFigures, coresSection, drawCoresSection, shownIn } from "./section.ts";

const CORES = { file: "2026-11-26-0123456.json.gz", record: checkCores(SYNTHETIC_CORES, "made up") };
const { cells } = CORES.record;

/** The same with other parts. */
const withPart = (part: Partial<typeof CORES.record>) => ({ ...CORES, record: { ...CORES.record, ...part } });

/** The scaling of a primitive on the first machine that has more cores. */
function scalingOf(primitive: string) {
  return scalingsOf(CORES.record).find((scaling) => scaling.primitive === primitive)!;
}

/** Without bands, and with operations too few for a percentile. */
const few = withPart({
  cells: cells.map(({ band: _, ...cell }) =>
    cell.nominal === undefined
      ? cell
      : { ...cell, nominal: { ...cell.nominal, perWorker: cell.nominal.perWorker.map(() => 10) } },
  ),
});
const unmeasured = withPart({ cells: cells.map(({ measuredNs: _, ...cell }) => cell) });

describe("how structures scale when simulated", () => {
  it("has the machines with more than two cores, and the structures that were checked and kept their laws", () => {
    assert.deepEqual(
      scalingsOf(CORES.record).map(({ primitive, machine }) => `${primitive} ${machine.name}`),
      ["pick server", "pick sockets", "locks server", "locks sockets"],
    );
    const [first] = scalingOf("pick").structures;
    assert.deepEqual(first!.points.at(-1)?.throughput, (1000 * 128) / 3);
  });

  it("has what was measured with one worker and two beside it, of the workers whose operations count", () => {
    const measured = (record: typeof CORES.record) =>
      scalingsOf(record)[0]!.structures[0]!.measured.map(({ throughput }) => Math.round(throughput));
    assert.deepEqual(measured(CORES.record), [340, 680]);
    const ofOne = cells.map((cell) =>
      cell.nominal === undefined ? cell : { ...cell, nominal: { ...cell.nominal, perWorker: [100] } },
    );
    assert.deepEqual(measured(withPart({ cells: ofOne }).record), [340, 340]);
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

describe("pages of what is simulated", () => {
  const labels = { ...LABELS, variants: new Set(["test-and-set"]) };
  const section = (cores: typeof CORES, primitive: string, known = {}) =>
    coresSection(cores, primitive, known).join("\n");
  const { title, byCompetitor } = coresFigures(CORES, "locks")!;
  const texts = {
    "the page": coresPage(CORES),
    "where nothing was measured": coresPage(unmeasured)
      .split("## The simulated machines")[0]!
      .split("--candidate ../my-lock.ts")[1]!,
    pick: section(CORES, "pick"),
    locks: section(CORES, "locks"),
    "locks, with a variant that leads nowhere": section(CORES, "locks", { labels }),
    "locks without bands and with few operations": section(few, "locks"),
    "a choice, where no leader of two workers is one of 64": coresChoice(CORES, "locks")!,
    "figures for the page of all results": [title, ...byCompetitor].join("\n"),
  };

  it("are whole", (test) => goldenCases(test, "testdata/cores.md", texts));

  it("call it simulated in every heading, column and item of figures, and judge nothing", () => {
    /** Without code and links, which name structures and files. */
    const prose = (text: string) => text.replaceAll(/`[^`]*`/g, "").replaceAll(/\]\([^)]*\)/g, "]");
    for (const text of Object.values(texts)) {
      assert.doesNotMatch(
        prose(text),
        /\b(faster|slower|winner|wins|beats|cannot tell)\b|\| *\**same\** *\|/i,
      );
      assert.doesNotMatch(text, /NaN|undefined|Infinity/);
    }
    for (const text of [texts.pick, texts.locks]) {
      for (const [heading] of text.matchAll(/^##.*$/gm)) assert.match(heading, /\(simulated\)$/);
      for (const [item] of text.matchAll(/^- .*$/gm)) assert.match(item, /\(simulated\)/);
      for (const [, columns] of text.matchAll(/^\| Structure +(\|.*)\|$/gm))
        for (const column of columns!.split("|").slice(1)) assert.match(column, /simulated/);
    }
    assert.match(texts["the page"], /^# .*\(simulated\)$/m);
  });

  it("say nothing where there is nothing to say", () => {
    assert.deepEqual(coresSection(CORES, "draws"), []);
    assert.deepEqual(coresSection(unmeasured, "pick"), []);
    assert.equal(coresChoice(CORES, "pick"), undefined);
    assert.equal(coresChoice(CORES, "locks", { labels }), undefined);
    assert.equal(coresFigures(CORES, "timers"), undefined);
    const lowerBounds = new Set(scalingOf("locks").structures.map(({ competitor }) => competitor));
    assert.deepEqual(coresSection(CORES, "locks", { labels: { ...LABELS, lowerBounds } }), []);
  });

  it("an explanation of a miss is of a structure that there is, or was when it was simulated", () => {
    for (const name of Object.keys(misses)) {
      const [primitive, , competitor] = name.split("/");
      const known = [...competitorsOf(primitive!).map((entry) => entry.name), ...retiredOf(primitive!)];
      assert.ok(known.includes(competitor!), name);
    }
  });
});

describe("pictures of what is simulated", () => {
  it("have no solid line, a ground of their own, and the same bytes whenever they are drawn", async (test) => {
    const drawn = await drawCoresSection(CORES, "pick");
    assert.deepEqual(await drawCoresSection(structuredClone(CORES), "pick"), drawn);
    for (const [file, svg] of drawn) {
      assert.ok(isCoresPicture(file) && !isPictureFile(file), file);
      assertWhole(svg);
      const lines = [...svg.matchAll(/<path [^>]*stroke="([^"]+)"[^>]*>/g)].filter(
        ([tag, colour]) => colour === TONES.ink.light && tag.includes('stroke-width="1.25"'),
      );
      assert.equal(lines.length, 8);
      for (const [tag] of lines) assert.match(tag, / stroke-dasharray="/);
      assert.match(svg, new RegExp(`fill="${TONES.paleBlueGround.light}"`));
    }
    golden(test, "testdata/scaling.svg", drawn[0]![1]);
  });
});
