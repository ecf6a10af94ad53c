import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, it } from "node:test";
import { Deadline } from "./deadline.ts";

describe("the end of a run", () => {
  const stop = new AbortController();

  it("is past its budget, and has what runs then end", async () => {
    const deadline = new Deadline(10, stop.signal);
    // Nothing else keeps this process, and a timer of the deadline's does not.
    const waiting = setInterval(() => {}, 1000);
    await once(deadline.ending, "abort");
    clearInterval(waiting);
    assert.ok(deadline.overdue.aborted && deadline.leftMs < 0);
    assert.throws(() => deadline.refuseOverdue("a look at each task"), {
      message:
        "a look at each task takes longer than --budget 0.0 s: narrow it with --group TEXT or --task TEXT, or give a longer one",
    });
  });

  it("is none where no time was given", () => {
    const { leftMs, askedMs, overdue } = new Deadline(undefined, stop.signal);
    assert.deepEqual([leftMs, askedMs, overdue.aborted], [Number.POSITIVE_INFINITY, undefined, false]);
  });

  it("is that of an interrupted run, too, which is no fault of its budget", () => {
    const interrupted = AbortSignal.abort();
    const deadline = new Deadline(60_000, interrupted);
    assert.ok(deadline.ending.aborted && !deadline.overdue.aborted);
    deadline.refuseOverdue("a look at each task");
  });
});
