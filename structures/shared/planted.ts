import assert from "node:assert/strict";
import { it } from "node:test";
import { competitorsOf } from "../catalog.ts";
import { assertBroken } from "./broken.ts";
import { mutatedIn } from "./mutated.ts";

/** A fault of one real file, and the law that has to find it in a competitor that imports the file. */
export interface Planted<Law extends string = string> {
  /** Competitor. */
  readonly name: string;
  /** Path within structures. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly breaks: Law;
}

/**
 * Tests that a model finds each fault by the law it breaks, and that each of its laws finds one: a law that no fault
 * breaks may be one that asks nothing. `explore` returns one sentence for each broken law, beginning with its name.
 */
export function findsFaults<Competitor, Law extends string, Fault extends Planted<Law>>(
  primitive: string,
  laws: readonly Law[],
  faults: Readonly<Record<string, Fault>>,
  explore: (mutant: Competitor, fault: Fault) => readonly string[],
): void {
  for (const [what, fault] of Object.entries(faults)) {
    const { name, file, from, to, breaks } = fault;
    it(`${name}: ${what} breaks ${breaks}`, async () => {
      const { url } = competitorsOf(primitive).find((entry) => entry.name === name)!;
      const broken = explore(await mutatedIn<Competitor>(file, url, [from, to]), fault);
      assertBroken(breaks, broken);
    });
  }

  it("every law finds a fault", () => {
    const broken = new Set(Object.values(faults).map(({ breaks }) => breaks));
    assert.deepEqual([...broken].sort(), [...laws].sort());
  });
}
