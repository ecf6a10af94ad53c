import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { competitorsOf, lawBrokenBy, mutantsOf } from "../catalog.ts";
import sourceWheel from "./competitors/source-wheel.ts";
import sourceWheelMended from "./competitors/source-wheel-mended.ts";
import { type ConnectionsCompetitor, contract } from "./connections.contract.ts";
import { examination } from "./connections.examination.ts";
import * as laws from "./connections.laws.ts";
import { VirtualLoop } from "./parts/virtual-loop.ts";

describe("connections: every competitor keeps every law", () => {
  for (const { name, url } of competitorsOf("connections")) {
    it(name, async () => assert.deepEqual(await examination.examine(url), []));
  }
});

describe("connections: every mutant is caught by the law it breaks, and by no other", async () => {
  for (const mutant of mutantsOf("connections")) {
    const breaks = await lawBrokenBy(mutant);
    it(mutant.name, async () => {
      const broken = await examination.examine(mutant.url);
      assert.deepEqual(
        broken.map((sentence) => sentence.split(":", 1)[0]),
        [breaks],
        broken.join("; "),
      );
    });
  }
});

it("connections: every law has a mutant", async () => {
  const broken = await Promise.all(mutantsOf("connections").map(lawBrokenBy));
  assert.deepEqual(
    Object.keys(laws).filter((law) => !broken.includes(law)),
    [],
  );
});

it("connections' oracle competes", () => {
  assert.ok(competitorsOf("connections").some(({ name }) => name === contract.oracle));
});

describe("the source's wheel", () => {
  /** Seconds after which a connection expires that opens halfway between two ticks and never sends. */
  function expiresAfter({ watch }: ConnectionsCompetitor, timeoutMs: number): number {
    const loop = new VirtualLoop();
    let afterMs = Number.NaN;
    const openMs = 500;
    const expired = () => {
      afterMs = loop.now() - openedMs;
    };
    const watcher = watch({ capacity: 1, timeoutMs, loop, expired });
    loop.run(openMs);
    const openedMs = loop.now();
    watcher.opened({ place: 0, ping() {} });
    loop.run(300_000);
    return Math.round(afterMs) / 1000;
  }

  it("as written closes half a second early, and in the 31st second once it is mended", () => {
    assert.deepEqual(
      [29.5, 30.5],
      [sourceWheel, sourceWheelMended].map((one) => expiresAfter(one, 30_000)),
    );
  });

  it("as written takes a lap too many for a timeout of one lap", () => {
    assert.deepEqual(
      [119.5, 60.5],
      [sourceWheel, sourceWheelMended].map((one) => expiresAfter(one, 60_000)),
    );
  });
});
