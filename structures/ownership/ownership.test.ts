import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { callsIn, itJudgesAsWritten, itRefusesAsWritten } from "../interleave/calls.trials.ts";
import { testLaws } from "../shared/law-tests.ts";
import flatSlots from "./competitors/flat-slots.ts";
import flatSortedArrays from "./competitors/flat-sorted-arrays.ts";
import seqlockSlots from "./competitors/seqlock-slots.ts";
import { LAWS_OF_LOGS } from "./examination/logs.ts";
import { LAWS_OF_CLAIMS, open, SMALL } from "./examination/searches.ts";
import {
  attributed,
  type ClaimsCompetitor,
  CONFLICT,
  inferred,
  isInferred,
  NO_EVIDENCE,
  type Ownership,
  type OwnershipCompetitor,
  privateOwnership,
} from "./ownership.contract.ts";
import { examination } from "./ownership.examination.ts";
import * as lawsModule from "./ownership.laws.ts";
import { mutants } from "./ownership.mutants.ts";
import { allocateStream, exportClaims, rebuild } from "./parts/stream.ts";

const competitors = await testLaws<OwnershipCompetitor>({
  primitive: "ownership",
  examination,
  mutants,
  laws: { ...LAWS_OF_CLAIMS, ...LAWS_OF_LOGS },
  examineMutant: (url, breaks) => examination.examine(url, breaks),
});

suite("the bytes that a structure reports are the bytes it has allocated and still refers to", () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const RESOURCES = 1_000;
  const CLAIMS = 5;
  /** Allocated so that a region can begin at a cache line, and not used. */
  const SLACK_BYTES = 1024;

  for (const { name, competitor } of competitors) {
    if (competitor.hears !== "claims" || competitor.needsLinear === true) continue;
    test(name, async (context) => {
      const { buffers, stop } = watchBuffers();
      try {
        const ownership = privateOwnership(competitor, {
          resources: RESOURCES,
          ranges: RESOURCES * CLAIMS,
          owners: CLAIMS,
          windowMs: 1_000,
        });
        for (let resource = 0; resource < RESOURCES; resource++) {
          for (let owner = 0; owner < CLAIMS; owner++) {
            ownership.claim(resource, owner, 100 * owner, 100 * owner + 50);
          }
        }
        // What was referred to in this turn of the event loop is not collected in it.
        await setImmediate();
        collect();
        const stated = ownership.bytes?.();
        if (stated === undefined) return context.skip("it lives in objects");
        const held = buffers.reduce((sum, buffer) => sum + (buffer.deref()?.byteLength ?? 0), 0);
        assert.ok(Math.abs(held - stated) <= SLACK_BYTES, `${stated} stated, ${held} held`);
      } finally {
        stop();
      }
    });
  }

  /** From now on, what typed arrays and buffers are made of. */
  function watchBuffers() {
    const buffers: WeakRef<ArrayBufferLike>[] = [];
    const seen = new WeakSet<ArrayBufferLike>();
    const kinds = { ArrayBuffer, SharedArrayBuffer, Uint8Array, Int32Array, Uint32Array, Float64Array };
    const watched = Object.entries(kinds).map(([kind, original]) => [
      kind,
      new Proxy<new (...args: never[]) => ArrayBufferLike | ArrayBufferView>(original, {
        construct(target, args) {
          const made = Reflect.construct(target, args);
          const buffer = ArrayBuffer.isView(made) ? made.buffer : made;
          if (!seen.has(buffer)) {
            seen.add(buffer);
            buffers.push(new WeakRef(buffer));
          }
          return made;
        },
      }),
    ]);
    Object.assign(globalThis, Object.fromEntries(watched));
    return { buffers, stop: () => Object.assign(globalThis, kinds) };
  }
});

itRefusesAsWritten("a capacity that cannot be", new URL("testdata/capacities.txt", import.meta.url), () => {
  const month = { ...SMALL, windowMs: 30 * 24 * 3_600_000 };
  return { privateOwnership, flatSlots, flatSortedArrays, seqlockSlots, SMALL, month };
});

test("policies break the laws of evidence, which is what they are here to show", async () => {
  for (const { name, competitor } of competitors) {
    if (competitor.hears !== "claims" || competitor.rule === "evidence") continue;
    assert.notEqual(LAWS_OF_CLAIMS.orderDoesNotMatter!(competitor), undefined, name);
  }
});

/** Laws on totals, which only a race has. */
const LAWS_OF_THE_RACE = new URL("testdata/laws.txt", import.meta.url);
itJudgesAsWritten("laws of the race, on numbers made by hand", LAWS_OF_THE_RACE, lawsModule);

/** The functions that laws are specified with; they are not laws. */
const SPECIFICATION = ["inference", "logged", "ruling"];

test("every law has a mutant, or numbers made by hand", () =>
  assert.deepEqual(
    Object.keys(lawsModule).sort(),
    [
      ...Object.keys({ ...LAWS_OF_CLAIMS, ...LAWS_OF_LOGS }),
      ...new Set(callsIn(LAWS_OF_THE_RACE).map((call) => call.split("(")[0]!)),
      ...SPECIFICATION,
    ].sort(),
  ));

test("an inferred owner is told from a known one, and from none", () => {
  for (const owner of [0, 1, 2 ** 30]) {
    assert.ok(isInferred(inferred(owner)));
    assert.equal(attributed(inferred(owner)), owner);
    assert.equal(attributed(owner), owner);
    assert.ok(!isInferred(owner));
  }
  for (const none of [NO_EVIDENCE, CONFLICT]) {
    assert.ok(!isInferred(none));
    assert.equal(attributed(none), none);
  }
});

suite("streams", () => {
  const [competitor] = competitors.flatMap(({ competitor }) =>
    competitor.hears === "claims" && competitor.rule === "evidence" ? [competitor] : [],
  ) as [ClaimsCompetitor];

  test("a stream is made in the order of resources and times, whatever its own", () => {
    const capacity = { ...SMALL, windowMs: 10_000, ranges: 10_000 };
    // Fewer than are sorted by insertion, and more.
    for (const count of [10, 2000]) {
      const stream = allocateStream(count);
      for (let at = 0; at < count; at++) {
        stream.resources[at] = at % 2;
        stream.owners[at] = at % 3;
        stream.starts[at] = (at * 7919) % 9999;
        stream.ends[at] = stream.starts[at]! + 1;
      }
      const ownership = open(competitor, capacity);
      const heard: (readonly [resource: number, start: number])[] = [];
      const listening: Ownership = Object.assign(Object.create(ownership), {
        claim(...claim: Parameters<typeof ownership.claim>) {
          heard.push([claim[0], claim[2]]);
          return ownership.claim(...claim);
        },
      });
      assert.equal(rebuild(listening, capacity, stream), count);
      assert.deepEqual(
        heard,
        heard.toSorted(([a, from], [b, other]) => a - b || from - other),
      );
      const direct = open(competitor, capacity);
      for (let at = 0; at < count; at++)
        direct.claim(stream.resources[at]!, stream.owners[at]!, stream.starts[at]!, stream.ends[at]!);
      for (const resource of [0, 1])
        assert.deepEqual(ownership.rangesOf(resource), direct.rangesOf(resource));
      const exported = exportClaims(ownership, capacity);
      assert.equal(exported.starts.length, ownership.rangesOf(0).length + ownership.rangesOf(1).length);
    }
  });

  test("a bad claim in a stream is refused as by claim", () => {
    const stream = allocateStream(1);
    stream.resources[0] = 7;
    stream.ends[0] = 1;
    assert.throws(() => rebuild(open(competitor, SMALL), SMALL, stream), /resource 7/);
  });
});
