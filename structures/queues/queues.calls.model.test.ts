import { describe, it } from "node:test";
import { loadCompetitors } from "../catalog.ts";
import { InterleavingError } from "../interleave/index.ts";
import { findsFaults } from "../shared/law-tests.ts";
import { writtenIn } from "../shared/mutants.ts";
import { checkQueue } from "./queues.calls.model.ts";
import type { QueuesCompetitor } from "./queues.contract.ts";
import { unexplored } from "./queues.model.ts";

const LAW = "callsAreLinearizable";
const faults = writtenIn<QueuesCompetitor, typeof LAW>(new URL("testdata/calls-faults.txt", import.meta.url));
const competitors = await loadCompetitors<QueuesCompetitor>("queues");

describe("queues: in every interleaving of two threads", () => {
  for (const { name, competitor } of competitors)
    for (const weak of unexplored(competitor) === undefined ? [false, true] : [])
      it(`${name}: calls are ${weak ? "sequentially consistent, where plain accesses are weak" : "linearizable"}`, () =>
        void checkQueue(competitor, weak));

  findsFaults("queues", [LAW], faults, (mutant) => {
    try {
      for (const weak of [false, true]) checkQueue(mutant, weak);
      return [];
    } catch (error) {
      if (!(error instanceof InterleavingError)) throw error;
      return [`${LAW}: ${error.message.split("\n")[0]}`];
    }
  });
});
