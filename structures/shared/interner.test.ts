import assert from "node:assert/strict";
import { isIPv6 } from "node:net";
import { suite, test } from "node:test";
import fc from "fast-check";
import { itRefusesAsWritten } from "../interleave/calls.trials.ts";
import { Interner, MOST_NAMES, NameTable } from "./interner.ts";

suite("interner", () => {
  test("ids are dense, in the order of first hearing, and stay", () => {
    const interner = new Interner(3);
    assert.deepEqual(
      ["b", "a", "b", "", "a"].map((name) => interner.idOf(name)),
      [0, 1, 0, 2, 1],
    );
    assert.equal(interner.size, 3);
    assert.deepEqual(
      [0, 1, 2].map((id) => interner.nameOf(id)),
      ["b", "a", ""],
    );
  });

  test("to look for a name does not add it", () => {
    const interner = new Interner(1);
    assert.equal(interner.find("10.0.0.1"), undefined);
    assert.equal(interner.size, 0);
    interner.idOf("10.0.0.1");
    assert.equal(interner.find("10.0.0.1"), 0);
    assert.equal(interner.find("::ffff:10.0.0.1"), 0);
  });

  test("a name too many is a RangeError that changes nothing", () => {
    const interner = new Interner(1);
    interner.idOf("a");
    assert.throws(() => interner.idOf("b"), /^RangeError: no id is left for the name "b": all 1 are given$/);
    assert.equal(interner.size, 1);
    assert.equal(interner.find("b"), undefined);
    assert.equal(interner.idOf("a"), 0);
  });

  itRefusesAsWritten(
    "what was not given is refused",
    new URL("testdata/interner.txt", import.meta.url),
    () => {
      const interner = new Interner(2);
      const table = new NameTable(2);
      interner.idOf("a");
      table.learn(0, "10.0.0.1");
      return { Interner, MOST_NAMES, interner, table };
    },
  );

  test("a name is forgotten when its last use has ended, and its id is given again when that is allowed", () => {
    const interner = new Interner(2);
    const [old, young] = [interner.idOf("old", 10), interner.idOf("young", 20)];
    assert.equal(interner.idOf("old", 5), old, "an end before the latest changes nothing");
    assert.deepEqual(interner.forget(9), []);
    assert.deepEqual(interner.forget(10), [old]);
    assert.deepEqual([interner.size, interner.find("old")], [1, undefined]);
    assert.throws(() => interner.nameOf(old), RangeError);
    assert.throws(
      () => interner.idOf("new"),
      /^RangeError: .+ "new": all 2 are given, 1 of them to be reused$/,
    );
    assert.deepEqual(interner.forget(10), []);
    interner.reuse([old]);
    assert.throws(() => interner.reuse([old]), /^RangeError: id 0 is none that was forgotten/);
    assert.throws(() => interner.reuse([young]), RangeError);
    assert.equal(interner.idOf("new"), old);
    assert.equal(interner.idOf("young", 40), young);
    assert.deepEqual(interner.forget(39), []);
    assert.deepEqual(interner.forget(Number.MAX_VALUE), [young]);
    assert.equal(interner.nameOf(old), "new", "a name without an end is kept");
  });

  test("a thread that learns ids has the same names, and no others", () => {
    const interner = new Interner(2);
    const table = new NameTable(2);
    const id = interner.idOf("::ffff:10.0.0.1", 10);
    table.learn(id, "::ffff:10.0.0.1");
    table.learn(id, "10.0.0.1");
    assert.deepEqual([table.nameOf(id), table.find("10.0.0.1"), table.size], ["10.0.0.1", id, 1]);
    table.unlearn(interner.forget(10));
    assert.deepEqual([table.size, table.find("10.0.0.1")], [0, undefined]);
    assert.throws(() => table.nameOf(id), RangeError);
    table.learn(id, "another");
    assert.equal(table.nameOf(id), "another");
  });

  test("a year of workload ids, with new ones every hour, needs the ids of two hours", () => {
    const HOUR_MS = 3_600_000;
    const NEW_EACH_HOUR = 100;
    const interner = new Interner(2 * NEW_EACH_HOUR);
    let known = 0;
    for (let hour = 0; hour < 365 * 24; hour++) {
      for (let workload = 0; workload < NEW_EACH_HOUR; workload++) {
        const name = `workload-${hour}-${workload}`;
        assert.equal(interner.nameOf(interner.idOf(name, (hour + 1) * HOUR_MS)), name);
      }
      known = Math.max(known, interner.size);
      interner.reuse(interner.forget(hour * HOUR_MS));
    }
    assert.equal(known, 2 * NEW_EACH_HOUR);
    assert.equal(interner.find("workload-0-0"), undefined);
  });

  const SAME: Record<string, string[]> = {
    "10.0.0.1": ["::ffff:10.0.0.1", "::FFFF:a00:1", "0:0:0:0:0:ffff:10.0.0.1"],
    "::a00:1": ["::10.0.0.1", "0::10.0.0.1", "0:0:0:0:0:0:a00:1"],
    "::1": ["0:0:0:0:0:0:0:1", "0000::0001", "::0.0.0.1"],
    "::": ["0::0", "::0.0.0.0"],
    "2001:db8::1:0:0:1": ["2001:0DB8:0:0:1:0:0:1", "2001:db8:0:0:1::1"],
    "64:ff9b::a00:1": ["64:ff9b::10.0.0.1"],
    "fe80::1%eth0": ["FE80:0::1%eth0"],
    "fe80::1%eth-0.7": ["FE80::0001%eth-0.7"],
  };
  test("the spellings of one address are one name, reported in its canonical form", () => {
    for (const [canonical, spellings] of Object.entries(SAME)) {
      for (const spelling of [...spellings, canonical]) {
        const interner = new Interner(1);
        assert.equal(interner.nameOf(interner.idOf(spelling)), canonical, spelling);
        for (const other of [...spellings, canonical]) assert.equal(interner.idOf(other), 0, other);
      }
    }
  });

  test("what only looks like the same address is another name", () => {
    const names = [
      "10.0.0.1",
      "10.1",
      "10.0.1",
      "167772161",
      "0xa.0.0.1",
      "010.0.0.1",
      "10.0.0.01",
      "::ffff:010.0.0.1",
      "::ffff:0xa.0.0.1",
      " 10.0.0.1",
      "10.0.0.1/32",
      "::a00:1",
      "::ffff:a00:1%eth0",
      "::ffff:0:10.0.0.1",
      "[::1]",
      "::1",
      "::1%",
      "::1%lo",
      "::1%LO",
      "::1%lo%",
      "Host",
      "host",
    ];
    const interner = new Interner(names.length);
    assert.deepEqual(
      names.map((name) => interner.idOf(name)),
      names.map((_, index) => index),
    );
  });

  test("any address comes out as one that is spelled canonically, and is the same one", () => {
    fc.assert(
      fc.property(fc.ipV6(), (spelling) => {
        const interner = new Interner(1);
        const canonical = interner.nameOf(interner.idOf(spelling));
        assert.equal(new URL(`http://[${spelling}]`).hostname, bracketed(canonical));
      }),
      { seed: 1, numRuns: 2000 },
    );
  });
});

/** How URLs write an address, by an implementation of their own. */
function bracketed(canonical: string): string {
  return isIPv6(canonical) ? `[${canonical}]` : new URL(`http://[::ffff:${canonical}]`).hostname;
}
