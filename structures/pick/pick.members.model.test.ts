import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadCompetitors } from "../catalog.ts";
import { findsFaults } from "../shared/law-tests.ts";
import { type Mutant, planted } from "../shared/mutants.ts";
import type { PickCompetitor } from "./pick.contract.ts";
import { exploreMembers, type MembersModelLaw, membersModelLaws } from "./pick.members.model.ts";

const competitors = await loadCompetitors<PickCompetitor>("pick");

const faults: Readonly<Record<string, Mutant<PickCompetitor, MembersModelLaw>>> = {
  "a table that is not looked at again once it was read": planted("versioned-table", "picksGoByOneTable", [
    "if (Atomics.load(memory, VERSION) === version) return version;",
    "return version;",
  ]),
  "a version that is published before its table": planted("versioned-table", "picksGoByOneTable", [
    "  for (const [at, word] of words.entries())",
    "  Atomics.store(memory, VERSION, version);\n  for (const [at, word] of words.entries())",
  ]),
  "one table for all versions": planted("versioned-table", "picksGoByOneTable", [
    "return { tables: [even, even + tableWords]",
    "return { tables: [even, even]",
  ]),
  "a worker that is not asked": planted("versioned-table", "settledIsTold", [
    "worker < setup.workers; worker++) {",
    "worker < setup.workers - 1; worker++) {",
  ]),
  "a worker that tells of a version that it has not read": planted("versioned-table", "settledIsTold", [
    "Atomics.store(memory, SEEN + index, version);",
    "Atomics.store(memory, SEEN + index, Atomics.load(memory, VERSION));",
  ]),
  "a worker that does not tell what it saw": planted("versioned-table", "changesSettle", [
    "Atomics.store(memory, SEEN + index, version);",
    "Atomics.store(memory, SEEN + index, 0);",
  ]),
  "changes that do not keep each other out": planted("versioned-table", "changesAddUp", [
    "if (Atomics.compareExchange(memory, CHANGING, 0, 1) !== 0)",
    "if (Atomics.load(memory, CHANGING) !== 0)",
  ]),
  "a reader that waits for a version that is gone": planted("versioned-table", "everyWorkerFinishes", [
    "  for (;;) {\n    const version = Atomics.load(memory, VERSION);",
    "  const version = Atomics.load(memory, VERSION);\n  for (;;) {",
  ]),
  "a pick that waits for a change": planted("versioned-table", "nobodyIsHeldUp", [
    "if (Atomics.load(memory, VERSION) !== version) renew();",
    "while (Atomics.load(memory, CHANGING) === 1);\n        if (Atomics.load(memory, VERSION) !== version) renew();",
  ]),
};

describe("pick: in every interleaving of workers and changes of members", () => {
  for (const { name, competitor } of competitors) {
    if (competitor.members === undefined) continue;
    it(`${name}: the laws hold`, () => {
      assert.deepEqual(exploreMembers(competitor), []);
    });
  }

  findsFaults("pick", membersModelLaws, faults, (mutant, { breaks }) => exploreMembers(mutant, breaks));
});
