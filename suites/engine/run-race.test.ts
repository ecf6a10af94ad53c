import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type DefinedRace, defineRace } from "./define-race.ts";
import races, { counting } from "./run-race.synthetic.ts";
import { type RaceOptions, runRace } from "./run-race.ts";

const MODULE = new URL("./run-race.synthetic.ts", import.meta.url);
const EXACTLY = { forks: 1, rounds: 2, warmUpSlices: 2 };
const [mixed, honest] = races as [DefinedRace, DefinedRace];

/** In one process for each table, with what was printed. */
async function raced(race: DefinedRace, options: RaceOptions) {
  let printed = "";
  const tables = { write: (text: string) => (printed += text) };
  const print = { tables, progress: { write: () => {} } };
  return { tables: await runRace(MODULE, race, { exactly: EXACTLY, print, ...options }), printed };
}

describe("a race of one module", () => {
  it("has a row for each competitor, and no number for one that breaks its law or throws", async () => {
    const { tables, printed } = await raced(mixed, { workers: [1] });
    const [{ rows, ...table }] = tables as [(typeof tables)[number]];
    assert.deepEqual([table.scenario, table.workers, table.baseline], ["good-and-bad", 1, "add"]);
    assert.equal(table.processes, 1);
    const row = (name: string) => rows.find(({ competitor }) => competitor === name)!;
    assert.equal(row("add").verdict, "baseline");
    assert.ok(row("add").ns!.low <= row("add").ns!.value && row("add").ns!.value <= row("add").ns!.high);
    assert.ok(row("add-again").ratio !== undefined);
    assert.match(row("forgets").noNumber!, /^countsAll: additions are missing/);
    assert.match(row("throws").noNumber!, /not today/);
    assert.equal(row("absent"), undefined);
    assert.match(printed, /^good-and-bad: 1 worker\n\ncompetitor +time /);
    assert.match(printed, /\nforgets has no number: countsAll: additions are missing\.\n/);
    assert.match(printed, /\nabsent: absent, it has no use here\.\n/);
    assert.doesNotMatch(printed, /No law/);
  });

  it("has a table for each worker count, with workers on threads of their own", async () => {
    const { tables } = await raced(honest, { workers: [2, 1] });
    assert.deepEqual(tables.map(({ workers }) => workers).toSorted(), [1, 2]);
    // A busy machine may keep a worker off its core in each slice.
    const fine = /^(?:no slice counts: .*)?$/;
    for (const { rows } of tables) for (const { noNumber = "" } of rows) assert.match(noNumber, fine);
  });

  it("loads competitors by a lab, where there is one", async () => {
    const module = JSON.stringify(MODULE.href);
    const code = `import races, { forgets } from ${module};
      export default { load: async (url) => (url.endsWith("/add") ? races[1].competitors.add : forgets) };`;
    const lab = `data:text/javascript,${encodeURIComponent(code)}`;
    const { tables } = await raced(honest, { workers: [1], lab });
    const again = tables[0]!.rows.find(({ competitor }) => competitor === "add-again")!;
    assert.match(again.noNumber!, /^countsAll/);
  });

  it("says that nothing was proved where there is no law", async () => {
    const { law: _, ...rest } = counting("honest", honest.competitors as never);
    const lawless = defineRace({ ...rest, params: undefined } as never);
    assert.match((await raced(lawless, { workers: [1] })).printed, /\nNo law was checked: /);
  });

  const { add } = honest.competitors as Record<string, never>;
  const refusals: readonly [string, DefinedRace | DefinedRace[], RaceOptions, RegExp][] = [
    ["no race", [], {}, /has no race: give what defineRace returns/],
    ["one competitor", counting("one", { add: add! }), {}, /one has 1 competitors: give two or more$/],
    ["a name", counting("a", { add: add!, "Add 2": add! }), {}, /the name "Add 2": use lower-case words/],
    ["a name twice", [honest, honest], {}, /has two races named honest: give each/],
    ["a baseline", { ...honest, baseline: "sum" }, {}, /the baseline "sum": name one of add, add-again$/],
    ["half a worker", honest, { workers: [0.5] }, /^Error: workers 0.5 is not a whole number: give 1 to /],
    ["too many workers", honest, { workers: [5000] }, /^Error: workers 5000 is out of range: give 1 to /],
    ["no time", honest, { seconds: 0 }, /^Error: seconds 0 is out of range: give 1 to 86400$/],
    ["a precision", honest, { precision: 1 }, /^Error: precision 1 is out of range: give 0.001 to 0.5$/],
    ["half a seed", honest, { seed: 0.5 }, /^Error: seed 0.5 is not a whole number: /],
    ["a seed", honest, { seed: -1 }, /^Error: seed -1 is out of range: give 0 to 4294967295$/],
    ["no workers left", { ...honest, minWorkers: 2 }, { workers: [1] }, /no race has any of these `workers`/],
  ];
  for (const [what, race, options, message] of refusals) {
    it(`is refused in one line before anything is raced: ${what}`, async () => {
      await assert.rejects(runRace(MODULE, race, { ...options, print: undefined }), (error: Error) => {
        assert.match(String(error), message);
        assert.ok(!String(error).includes("\n"));
        return true;
      });
    });
  }
});
