import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Discovered, type Mutant, mutantsIn, sampleOf } from "./mutants.ts";
import { mutationPage } from "./mutation-page.ts";
import { faulty } from "./plant.ts";

describe("what Stryker found", () => {
  const SOURCE = 'const a = b + 1 &&\n  "text";\nif (a) { go(); }\n';
  const found = (line: number, column: number, length: number, mutatorName: string, replacement: string) =>
    ({
      location: { start: { line, column }, end: { line, column: column + length } },
      mutatorName,
      replacement,
    }) satisfies Discovered;
  const made = (...mutants: Discovered[]) =>
    mutantsIn("f.ts", SOURCE, mutants).map((mutant) => faulty(SOURCE, mutant));

  it("is put in its place, as one operand", () => {
    assert.deepEqual(made(found(1, 11, 5, "ArithmeticOperator", "b - 1")), [
      'const a = (b - 1) &&\n  "text";\nif (a) { go(); }\n',
    ]);
    assert.deepEqual(made(found(3, 8, 9, "BlockStatement", "{}")), [
      'const a = b + 1 &&\n  "text";\nif (a) {}\n',
    ]);
  });

  it("is left out where it is a text, or no syntax", () => {
    assert.deepEqual(
      made(found(2, 3, 6, "StringLiteral", '""'), found(3, 1, 2, "ConditionalExpression", "x")),
      [],
    );
  });
});

describe("a sample", () => {
  const mutant = (file: string, from: number) => ({ file, from }) as Mutant;
  const mutants = [
    ...Array.from({ length: 5 }, (_, from) => mutant("structures/pick/a.ts", from)),
    ...Array.from({ length: 3 }, (_, from) => mutant("structures/locks/b.ts", from)),
  ];

  it("takes the given number from each folder in turn, or all", () => {
    const areas = sampleOf(mutants, 4, 1).map(({ file }) => file.split("/")[1]);
    assert.deepEqual(areas, ["pick", "locks", "pick", "locks", "pick", "locks", "pick"]);
    assert.equal(new Set(sampleOf(mutants, 5, 1)).size, mutants.length);
  });

  it("is the same for the same seed, and begins as a larger one", () => {
    assert.deepEqual(sampleOf(mutants, 2, 7), sampleOf(mutants, 4, 7).slice(0, 4));
    const seeds = Array.from({ length: 20 }, (_, seed) => JSON.stringify(sampleOf(mutants, 1, seed)));
    assert.ok(new Set(seeds).size > 1);
  });
});

it("the page counts what fails, hangs and survives, and shows what survives", () => {
  const one = { line: 7, from: 0, to: 5, mutator: "m", was: "a |\n  b", replacement: "(a)" };
  const page = mutationPage({
    startedAt: "2026-11-22T12:00:00.000Z",
    commit: "0123456789ab",
    command: "npm run mutate",
    stryker: "stryker@1",
    seed: 3,
    mutants: { locks: 20, pick: 100 },
    tried: [
      { ...one, file: "structures/pick/a.ts", ended: "killed", by: "a" },
      { ...one, file: "structures/pick/a.ts", ended: "hung" },
      { ...one, file: "structures/pick/a.ts", ended: "survived" },
    ],
  });
  assert.match(page, /\| pick +\| +100 \| +3 \| +1 \| +1 \| +1 \| +67 \(21-94\) \|/);
  assert.match(page, /\| locks +\| +20 \| +0 \| +0 \| +0 \| +0 \| +- \|/);
  assert.ok(page.includes("| pick/a.ts:7 | `a \\| b`"), page);
});
