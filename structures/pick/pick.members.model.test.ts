import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { competitorsOf, loadCompetitor } from "../catalog.ts";
import { findsFaults, type Planted } from "../shared/planted.ts";
import { contract, type PickCompetitor } from "./pick.contract.ts";
import { exploreMembers, type MembersModelLaw, membersModelLaws } from "./pick.members.model.ts";

const competitors = await Promise.all(
  competitorsOf("pick").map(async ({ name, url }) => {
    return { name, competitor: (await loadCompetitor(url, contract)) as PickCompetitor };
  }),
);

const versionedTable = { name: "versioned-table", file: "pick/competitors/versioned-table.ts" };
const faults: Readonly<Record<string, Planted<MembersModelLaw>>> = {
  "a table that is not looked at again once it was read": {
    ...versionedTable,
    from: "if (Atomics.load(memory, VERSION) === version) return version;",
    to: "return version;",
    breaks: "picksGoByOneTable",
  },
  "a version that is published before its table": {
    ...versionedTable,
    from: "  for (const [at, word] of words.entries())",
    to: "  Atomics.store(memory, VERSION, version);\n  for (const [at, word] of words.entries())",
    breaks: "picksGoByOneTable",
  },
  "one table for all versions": {
    ...versionedTable,
    from: "return { tables: [even, even + tableWords]",
    to: "return { tables: [even, even]",
    breaks: "picksGoByOneTable",
  },
  "a worker that is not asked": {
    ...versionedTable,
    from: "worker < setup.workers; worker++) {",
    to: "worker < setup.workers - 1; worker++) {",
    breaks: "settledIsTold",
  },
  "a worker that does not tell what it saw": {
    ...versionedTable,
    from: "Atomics.store(memory, SEEN + index, version);",
    to: "Atomics.store(memory, SEEN + index, 0);",
    breaks: "changesSettle",
  },
  "changes that do not keep each other out": {
    ...versionedTable,
    from: "if (Atomics.compareExchange(memory, CHANGING, 0, 1) !== 0)",
    to: "if (Atomics.load(memory, CHANGING) !== 0)",
    breaks: "changesAddUp",
  },
  "a reader that waits for a version that is gone": {
    ...versionedTable,
    from: "  for (;;) {\n    const version = Atomics.load(memory, VERSION);",
    to: "  const version = Atomics.load(memory, VERSION);\n  for (;;) {",
    breaks: "everyWorkerFinishes",
  },
  "a pick that waits for a change": {
    ...versionedTable,
    from: "if (Atomics.load(memory, VERSION) !== version) renew();",
    to: "while (Atomics.load(memory, CHANGING) === 1);\n        if (Atomics.load(memory, VERSION) !== version) renew();",
    breaks: "nobodyIsHeldUp",
  },
};

describe("pick: in every interleaving of workers and changes of members", () => {
  for (const { name, competitor } of competitors) {
    if (competitor.members === undefined) continue;
    it(`${name}: the laws hold`, () => {
      assert.deepEqual(exploreMembers(competitor), []);
    });
  }

  findsFaults("pick", membersModelLaws, faults, (mutant: PickCompetitor, { breaks }) =>
    exploreMembers(mutant, breaks),
  );
});
