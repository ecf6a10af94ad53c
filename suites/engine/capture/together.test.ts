import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runInTurn } from "./together.ts";

/** A clock that is so much later each time it is read. */
function stepped(ms: number): () => number {
  let nowNs = 0;
  return () => {
    nowNs += 1e6 * ms;
    return nowNs;
  };
}

describe("tasks that run in turn before one is measured", () => {
  it("have turns of a millisecond each for a tenth of a second", async () => {
    const log: string[] = [];
    await runInTurn([{ run: () => log.push("a") }, { run: () => log.push("b") }], stepped(0.5));
    assert.deepEqual(log, Array.from({ length: 29 }, () => ["a", "a", "b", "b"]).flat());
  });

  it("have a turn each where they are slow", async () => {
    const log: string[] = [];
    await runInTurn([{ run: () => log.push("a") }, { run: () => log.push("b") }], stepped(300));
    assert.deepEqual(log, ["a", "b"]);
  });

  it("get arguments, and are awaited with their hooks", async () => {
    const log: string[] = [];
    const slowly = async (what: string) => {
      log.push(`${what} begins`);
      await Promise.resolve();
      log.push(`${what} ends`);
    };
    const run = (value: unknown) => slowly(`run ${value}`);
    const hooks = { beforeEach: () => slowly("before"), afterEach: () => slowly("after") };
    await runInTurn([{ run, parameters: [() => 7], ...hooks }], stepped(300));
    assert.deepEqual(
      log,
      ["before", "run 7", "after"].flatMap((what) => [`${what} begins`, `${what} ends`]),
    );
  });

  it("have no further turn once they throw", async () => {
    const log: string[] = [];
    const run = () => {
      log.push("a");
      throw new Error("not today");
    };
    await runInTurn([{ run }, { run: () => log.push("b") }], stepped(1));
    assert.equal(log.filter((name) => name === "a").length, 1);
    assert.ok(log.length > 10);
  });
});
