import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { registerHooks } from "node:module";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { LocalOrigin } from "./parts/local-origin.ts";

/**
 * Balanced over real servers. With `HOTPATH_UNDICI=DIR`, a folder that npm has installed, it runs on the undici that is
 * there: `HOTPATH_UNDICI=/tmp/u8/node_modules/undici npm test -- structures/upstreams/undici.test.ts`.
 */
const folder = process.env.HOTPATH_UNDICI;
if (folder !== undefined) {
  const { href } = pathToFileURL(`${folder}/index.js`);
  registerHooks({
    resolve: (name, context, next) => next(name === "undici" ? href : name, context),
  });
}
const { buildConnector, fetch: undiciFetch, request } = await import("undici");
const { Balanced } = await import("./parts/balanced.ts");
type Options = ConstructorParameters<typeof Balanced>[1];

const TIMEOUT = new DOMException("The operation was aborted due to timeout", "TimeoutError");
/** Longer than any of these waits, and shorter than undici's own limits, by which what is stranded ends. */
const MOST_MS = 20_000;
/** In which one of three upstreams comes up but once in 10^10 times. */
const ENOUGH = 60;

describe("upstreams: Balanced over real servers", { timeout: MOST_MS }, () => {
  let origins: LocalOrigin[];
  const made: InstanceType<typeof Balanced>[] = [];

  const balanced = (options: Options = {}, of: readonly LocalOrigin[] = origins) => {
    const dispatcher = new Balanced(
      of.map(({ url }) => url),
      { by: "random", seed: 1, ...options },
    );
    made.push(dispatcher);
    return dispatcher;
  };
  /** Resolves to the answer's text, or to the error. */
  const ask = async (dispatcher: InstanceType<typeof Balanced>, options: object = {}) => {
    try {
      const { body } = await request("http://upstreams.test/", { dispatcher, ...options });
      return await body.text();
    } catch (error) {
      return error;
    }
  };
  const statsOf = (dispatcher: InstanceType<typeof Balanced>) => Object.values(dispatcher.stats);
  const failuresOf = (dispatcher: InstanceType<typeof Balanced>) =>
    statsOf(dispatcher).map(({ failures }) => failures);
  /** Asks until the first origin is asked, and calls `then` with what aborts that request. */
  const untilFirst = async (dispatcher: InstanceType<typeof Balanced>, reason: unknown, send = ask) => {
    const aborter = new AbortController();
    const abort = () => aborter.abort(reason);
    origins[0]!.once("received", abort);
    for (let count = 0; count < ENOUGH && !aborter.signal.aborted; count++)
      await send(dispatcher, { signal: aborter.signal });
    origins[0]!.off("received", abort);
    return aborter.signal.aborted;
  };

  before(async () => {
    origins = await Promise.all([LocalOrigin.open(), LocalOrigin.open(), LocalOrigin.open()]);
  });
  after(async () => {
    await Promise.all(made.map((dispatcher) => dispatcher.destroy()));
    await Promise.all(origins.map((origin) => origin.close()));
  });
  const every = (does: LocalOrigin["does"]) => {
    for (const origin of origins) origin.does = does;
  };

  it("one that answers with 503 at once is ejected", async () => {
    every("answers");
    origins[0]!.does = "refuses";
    const dispatcher = balanced({ by: "two-choices", eject: { forMs: 60_000 } });
    for (let count = 0; count < 300; count++) await ask(dispatcher);
    assert.deepEqual(failuresOf(dispatcher), [3, 0, 0]);
    assert.equal(statsOf(dispatcher)[0]!.requests, 3);
  });

  it("of two that failed alike, the one that serves again is found at once", async () => {
    every("refuses");
    const dispatcher = balanced({ eject: { forMs: 60_000 } }, origins.slice(0, 2));
    while (failuresOf(dispatcher).some((failures) => failures < 4)) await ask(dispatcher);
    origins[0]!.does = "answers";
    let refused = 0;
    for (let count = 0; count < 100; count++) if ((await ask(dispatcher)) === "") refused++;
    assert.ok(refused <= 1, `${refused} of 100 went to the one that refuses`);
  });

  const lost = () => Object.assign(new Error("aborted"), { code: "ECONNRESET" });
  const BODIES: Readonly<Record<string, () => unknown>> = {
    "a stream": () => {
      const body = new Readable({ read() {} });
      body.push("a");
      for (const origin of origins) origin.once("received", () => body.destroy(lost()));
      return body;
    },
    "an iterable": async function* () {
      const received = Promise.race(origins.map((origin) => once(origin, "received")));
      yield "a";
      await received;
      throw lost();
    },
    "a stream that fails before it is sent": () => {
      const body = new Readable({ read() {} });
      body.push("a");
      queueMicrotask(() => body.destroy(lost()));
      return body;
    },
  };
  for (const [what, bodyOf] of Object.entries(BODIES))
    it(`a client that leaves its upload, ${what}, ejects none`, async () => {
      every("answers");
      const dispatcher = balanced();
      for (let count = 0; count < 12; count++)
        assert.ok((await ask(dispatcher, { method: "POST", body: bodyOf() })) instanceof Error);
      for (const origin of origins) origin.removeAllListeners();
      assert.deepEqual(failuresOf(dispatcher), [0, 0, 0]);
    });

  const fetched = async (dispatcher: InstanceType<typeof Balanced>, options: object = {}) =>
    undiciFetch("http://upstreams.test/", { dispatcher, ...options } as object).then(
      (response) => response.text(),
      (error: unknown) => error,
    );
  for (const [by, send] of Object.entries({ request: ask, fetch: fetched })) {
    it(`one that stalls is ejected by limits that come as a signal, with ${by}`, async () => {
      every("answers");
      origins[0]!.does = "holds";
      const dispatcher = balanced({ eject: { forMs: 60_000 } });
      for (let count = 0; count < 3; count++) assert.ok(await untilFirst(dispatcher, TIMEOUT, send));
      assert.deepEqual(failuresOf(dispatcher), [3, 0, 0]);
      assert.equal(await untilFirst(dispatcher, TIMEOUT, send), false, "it is asked no more");
    });

    it(`and not by users who hang up, with ${by}`, async () => {
      every("answers");
      origins[0]!.does = "holds";
      const dispatcher = balanced();
      for (let count = 0; count < 6; count++) assert.ok(await untilFirst(dispatcher, undefined, send));
      assert.deepEqual(failuresOf(dispatcher), [0, 0, 0]);
    });
  }

  it("a trial that is aborted is followed by another at once", async () => {
    every("answers");
    origins[0]!.does = "holds";
    let nowMs = 0;
    const dispatcher = balanced({ eject: { failures: 1, forMs: 100, nowMs: () => nowMs } });
    assert.ok(await untilFirst(dispatcher, TIMEOUT));
    assert.equal(await untilFirst(dispatcher, undefined), false, "before its time is over");
    nowMs += 100;
    for (let trial = 0; trial < 3; trial++) assert.ok(await untilFirst(dispatcher, undefined));
    every("answers");
    assert.ok(await untilFirst(dispatcher, undefined));
  });

  it("what waits is served as soon as a trial brings an upstream back", async () => {
    every("holds");
    const [full, back] = origins as [LocalOrigin, LocalOrigin];
    let nowMs = 0;
    const eject = { failures: 1, forMs: 100, nowMs: () => nowMs };
    const dispatcher = balanced({ connections: 2, eject }, [full, back]);
    back.does = "cuts";
    while (!statsOf(dispatcher)[1]!.isEjected) {
      ask(dispatcher);
      await new Promise(setImmediate);
    }
    while (statsOf(dispatcher)[0]!.inFlight < 2) ask(dispatcher);
    back.does = "holds";
    nowMs += 100;
    const isTried = once(back, "received");
    const all = Array.from({ length: 7 }, () => ask(dispatcher));
    await isTried;
    assert.deepEqual(
      statsOf(dispatcher).map(({ inFlight }) => inFlight),
      [2, 1],
    );
    back.answer();
    assert.deepEqual(new Set(await Promise.all(all)), new Set(["served"]));
  });

  it("what waits is served past a request that may go to one full upstream only", async () => {
    every("holds");
    const [down, full, other] = origins as [LocalOrigin, LocalOrigin, LocalOrigin];
    const dispatcher = balanced({ connections: 1, eject: false });
    const refusals = async (...counts: readonly number[]) => {
      const areCome = () => counts.every((count, at) => failuresOf(dispatcher)[at]! >= count);
      while (!areCome()) await once(dispatcher, "connectionError");
    };
    const ports = [down, other].map(({ url }) => Number(new URL(url).port));
    await Promise.all([down.close(), other.close()]);
    const isFull = once(full, "received");
    ask(dispatcher);
    await isFull;
    const [before, , beforeOfOther] = failuresOf(dispatcher) as [number, number, number];
    const picky = ask(dispatcher);
    await refusals(before + 1, 0, beforeOfOther + 1);
    await other.listen(ports[1]!);
    const isHeld = once(other, "received");
    const held = ask(dispatcher);
    await isHeld;
    const [sofar] = failuresOf(dispatcher) as [number];
    const waiting = Array.from({ length: 6 }, () => ask(dispatcher));
    await refusals(sofar + 6);
    other.answer();
    assert.deepEqual(new Set(await Promise.all([held, ...waiting])), new Set(["served"]));
    full.answer();
    assert.equal(await picky, "served");
    await down.listen(ports[0]!);
  });

  it("a request that undici refuses at once blocks none of the next", async () => {
    every("answers");
    const dispatcher = balanced({ connections: 1 }, [origins[0]!]);
    for (const wrong of [
      { headers: { "x-a": "a\nb" } },
      { path: "/a b" },
      { path: "/?a", query: { b: 1 } },
      { body: 5 as unknown as string },
    ]) {
      // The second waits for a connection, and is refused when it gets one.
      const asked = ask(dispatcher);
      for (let count = 0; count < 2; count++)
        await assert.rejects(dispatcher.request({ origin: "", path: "/", method: "POST", ...wrong }));
      assert.deepEqual([await asked, await ask(dispatcher)], ["served", "served"]);
    }
    assert.deepEqual(failuresOf(dispatcher), [0]);
  });

  it("a drain ends at its limit: what was sent fails, and what was not goes elsewhere", async () => {
    every("holds");
    const dispatcher = balanced({ connections: 1 }, origins.slice(0, 2));
    const sent = Promise.all([once(origins[0]!, "received"), once(origins[1]!, "received")]);
    const first = [ask(dispatcher), ask(dispatcher)];
    await sent;
    const [{ url }] = origins as [LocalOrigin];
    await dispatcher.drain(url, { limitMs: 0 });
    const lost = await Promise.race(first);
    assert.equal((lost as Error).name, "DrainLimitError");
    assert.deepEqual(Object.keys(dispatcher.stats), [origins[1]!.url]);
    every("answers");
    for (const origin of origins) origin.answer();
    // It never connects to the first.
    const connector = buildConnector({});
    const connect: typeof connector = (given, callback) => {
      if (given.port !== new URL(url).port) connector(given, callback);
    };
    const unconnected = balanced({ connect }, origins.slice(0, 1));
    const unsent = ask(unconnected);
    unconnected.add(origins[1]!.url);
    await unconnected.drain(url, { limitMs: 0 });
    assert.equal(await unsent, "served");
  });

  it("a drain that nobody waits for goes on, and is in the statistics until it ends", async () => {
    every("holds");
    const dispatcher = balanced({}, origins.slice(0, 1));
    const received = once(origins[0]!, "received");
    const asked = ask(dispatcher);
    await received;
    const [{ url }] = origins as [LocalOrigin];
    const aborter = new AbortController();
    const drained = dispatcher.drain(url, { signal: aborter.signal });
    aborter.abort("no longer");
    await assert.rejects(drained, (reason) => reason === "no longer");
    const { inFlight, isDraining } = dispatcher.stats[url]!;
    assert.deepEqual([inFlight, isDraining], [1, true]);
    const again = dispatcher.drain(url);
    origins[0]!.answer();
    assert.equal(await asked, "served");
    await again;
    assert.deepEqual(dispatcher.stats, {});
  });

  it("an upgraded connection counts until it closes, by its client or by a drain's limit", async () => {
    const server = createServer().on("upgrade", (_request, socket) => {
      socket.on("error", () => {});
      socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n");
      socket.pipe(socket);
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    for (const options of [{}, { limitMs: 0 }]) {
      const dispatcher = new Balanced([origin]);
      const { socket } = await dispatcher.upgrade({ path: "/", protocol: "echo" });
      socket.on("error", () => {});
      const drained = dispatcher.drain(origin, options);
      assert.equal(dispatcher.stats[origin]!.inFlight, 1);
      if (options.limitMs === undefined) socket.resume().end();
      await drained;
      assert.equal(socket.destroyed, true);
      await dispatcher.close();
    }
    server.close();
  });
});
