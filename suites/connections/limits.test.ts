import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limitsHere, roomFor } from "./limits.ts";

const PROCESSES = { servers: 2, clients: 3 };

describe("the room for connections", () => {
  it("is what was asked for where there are descriptors and ports", () => {
    assert.deepEqual(roomFor(20_000, PROCESSES, { openFiles: 20_000, ports: 28_232, addresses: 100 }), {
      taken: 20_000,
    });
  });

  it("is what descriptors suffice for, in one line", () => {
    assert.deepEqual(roomFor(20_000, PROCESSES, { openFiles: 1_024, ports: 28_232, addresses: 100 }), {
      taken: 1_848,
      shortage:
        "ulimit -n is 1024 for each of 2 server and 3 client processes: takes 1848 of 20000 connections",
    });
    assert.equal(roomFor(10, PROCESSES, { openFiles: 50, ports: 28_232, addresses: 100 }).taken, 0);
  });

  it("is what ports suffice for where there is one address", () => {
    assert.deepEqual(roomFor(20_000, PROCESSES, { openFiles: 20_000, ports: 16_384, addresses: 1 }), {
      taken: 16_384,
      shortage: "the one source address has 16384 ports: takes 16384 of 20000 connections",
    });
  });

  it("is found on this machine", () => {
    const { openFiles, ports, addresses } = limitsHere();
    assert.ok(openFiles > 100 && ports > 1_000 && addresses >= 1);
  });
});
