import assert from "node:assert/strict";
import { getEventListeners, once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { Agent, request } from "undici";
import hashedWheel from "../../structures/timers/competitors/hashed-wheel.ts";
import { NodeTimers } from "../../structures/timers/parts/node-timers.ts";

const REQUESTS = 20_000;
const AT_ONCE = 200;
/** One request in this many is never answered. */
const LOST_ONE_IN = 100;
const DEADLINE_MS = 500;

describe("deadlines of real requests", () => {
  it("leave no timer and no listener, and end those alone that are not answered", async () => {
    const server = createServer((asked, answer) => {
      if (asked.url === "/") answer.end("answered");
    }).listen(0);
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const agent = new Agent({ connections: AT_ONCE });
    const timers = new NodeTimers(hashedWheel);
    const caller = new AbortController();
    const ends = { answered: 0, TimeoutError: 0 };
    let next = 0;
    const client = async () => {
      while (next < REQUESTS) {
        const isLost = next++ % LOST_ONE_IN === 0;
        using deadline = timers.deadline(DEADLINE_MS, { signal: caller.signal });
        const url = `http://127.0.0.1:${port}/${isLost ? "lost" : ""}`;
        try {
          const { body } = await request(url, { dispatcher: agent, signal: deadline.signal });
          await body.text();
          ends.answered++;
        } catch (error) {
          ends[(error as Error).name as "TimeoutError"]++;
        }
      }
    };
    try {
      await Promise.all(Array.from({ length: AT_ONCE }, client));
    } finally {
      await agent.destroy();
      server.closeAllConnections();
      server.close();
    }
    assert.deepEqual(ends, {
      answered: REQUESTS - REQUESTS / LOST_ONE_IN,
      TimeoutError: REQUESTS / LOST_ONE_IN,
    });
    assert.equal(timers.size, 0);
    assert.equal(getEventListeners(caller.signal, "abort").length, 0);
  });
});
