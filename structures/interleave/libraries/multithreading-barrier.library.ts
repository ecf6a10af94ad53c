import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Barrier } from "multithreading";
import { check } from "../index.ts";

/**
 * multithreading: its barrier, as far as it blocks a thread.
 *
 * Promise: the last thread to arrive releases all, again and again; "exactly one thread is guaranteed to be the leader per
 * cycle".
 * Visited completely: three threads once, and two threads twice.
 * Found: nothing. The forms that return promises are not in here.
 */
describe("the barrier of multithreading", () => {
  it("lets all pass, with one leader each time", () => {
    const pass = (barrier: Barrier) => barrier.blockingWait().isLeader;
    const twice = [pass, pass];
    for (const threads of [
      [pass, pass, pass],
      [twice, twice],
    ]) {
      const shared = new Int32Array(new SharedArrayBuffer(16));
      // Unlocked; how many threads there are; how many are still to come; the number of the cycle.
      shared.set([0, threads.length, threads.length, 0]);
      check({
        shared,
        attach: ({ buffer }) => new Barrier(undefined, buffer),
        threads,
        end(_, { results }) {
          for (const round of results[0]!.keys())
            assert.equal(results.filter((of) => of[round] === true).length, 1);
        },
      });
    }
  });
});
