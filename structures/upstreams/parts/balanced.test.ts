import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { Readable, Writable } from "node:stream";
import { after, before, describe, it, mock } from "node:test";
import { errors, getGlobalDispatcher, interceptors, RetryAgent, request, setGlobalDispatcher } from "undici";
import { itRefusesAsWritten } from "../../interleave/calls.trials.ts";
import hotColdProbes from "../../pick/competitors/hot-cold-probes.ts";
import versionedTable from "../../pick/competitors/versioned-table.ts";
import { faultsBreakLaws } from "../../shared/law-tests.ts";
import { mutatedModuleIn } from "../../shared/mutated.ts";
import * as laws from "./balanced.laws.ts";
import { Balanced, type BalancedOptions } from "./balanced.ts";
import { orcaReport } from "./load-report.ts";
import { LocalOrigin } from "./local-origin.ts";
import { ORIGINS, PlayedPool, playedLaws } from "./played-pools.ts";

/** Of so many a test takes seconds; a planted fault is found in far fewer. */
const HISTORIES = 2_000;
const HISTORIES_OF_FAULTS = 30;

describe("upstreams: Balanced keeps its laws over pools that are played", () => {
  it("in random histories, with handlers of either interface", async () => {
    assert.deepEqual(await playedLaws(Balanced, HISTORIES), []);
  });

  const FAULTS = new URL("../testdata/balanced-faults.txt", import.meta.url);
  faultsBreakLaws(FAULTS, laws, async ({ in: file, edits }) => {
    const url = import.meta.resolve("./balanced.ts");
    const { Balanced: mutant } = await mutatedModuleIn<{ Balanced: typeof Balanced }>(file!, url, ...edits);
    return await playedLaws(mutant, HISTORIES_OF_FAULTS);
  });
});

/** Three played pools, and a dispatcher that takes them in the order of their origins. */
function played(options: BalancedOptions = {}) {
  const pools = new Map<string, PlayedPool>();
  const dispatcher = new Balanced(ORIGINS, {
    // Equal weights in their lowest terms: a table with one place for each, in their order.
    by: versionedTable,
    seed: 0,
    factory({ origin }) {
      const pool = new PlayedPool();
      pools.set(origin, pool);
      return pool;
    },
    ...options,
  });
  const ended: unknown[] = [];
  return {
    dispatcher,
    ended,
    poolOf: (origin: string) => pools.get(origin)!,
    /** Dispatches a request, and returns where it is and the handler that its pool has. */
    dispatched(path = "/") {
      const counts = [...pools.values()].map(({ given }) => given.length);
      dispatcher.dispatch(
        { path, method: "GET" },
        {
          onRequestStart() {},
          onResponseStart() {},
          onRequestUpgrade() {},
          onResponseEnd: () => ended.push("end"),
          onResponseError: (_controller, error) => ended.push(error),
        },
      );
      const [origin, pool] = [...pools].find(([, { given }], index) => given.length > counts[index]!)!;
      return { origin, pool, ...pool.given.at(-1)! };
    },
  };
}

const CONTROLLER = { aborted: false };
const refused = () => Object.assign(new Error("refused"), { code: "ECONNREFUSED" });

describe("upstreams: Balanced", () => {
  it("replaces the origin of a request, and nothing else of it", () => {
    const { dispatcher, poolOf } = played();
    const options = {
      origin: "http://x.test",
      path: "/a?b=c",
      method: "PUT",
      body: "d",
      query: { e: 1 },
    } as const;
    dispatcher.dispatch(options, { onRequestStart() {} });
    const [{ given } = { given: [] }] = ORIGINS.map(poolOf).filter((pool) => pool.given.length > 0);
    const origin = ORIGINS.find((url) => poolOf(url).given === given)!;
    assert.deepEqual(given[0]!.options, { ...options, origin });
  });

  it("passes an error on where no other upstream is left to try, or none is to be tried", () => {
    for (const [options, tries] of [
      [{}, 3],
      [{ redispatch: false }, 1],
    ] as const) {
      const { dispatcher, ended, dispatched, poolOf } = played({ ...options, eject: false });
      dispatched();
      const given = () => ORIGINS.flatMap((origin) => poolOf(origin).given);
      for (let tried = 0; tried < tries; tried++) {
        assert.equal(ended.length, 0);
        const pool = ORIGINS.map(poolOf).find(({ given }) => given.length === 1)!;
        pool.given.pop()!.handler.onResponseError!(null, refused());
      }
      assert.deepEqual(
        ended.map((error) => (error as Error).message),
        ["refused"],
      );
      assert.deepEqual(given(), []);
      assert.equal(
        Object.values(dispatcher.stats).reduce((sum, { failures }) => sum + failures, 0),
        tries,
      );
    }
  });

  it("does not take the fault of a request for the upstream's", () => {
    const { dispatcher, ended, dispatched } = played();
    for (const error of [
      new errors.InvalidArgumentError("invalid path"),
      new errors.ClientDestroyedError(),
    ]) {
      const { origin, handler } = dispatched();
      handler.onResponseError!(null, error);
      assert.equal(ended.pop(), error);
      assert.equal(dispatcher.stats[origin]!.failures, 0);
    }
    // The body's own error, after the beginning.
    const { origin, handler } = dispatched();
    handler.onRequestStart!(CONTROLLER, null);
    handler.onResponseError!(CONTROLLER, Object.assign(new Error("no such file"), { code: "ENOENT" }));
    assert.equal(dispatcher.stats[origin]!.failures, 0);
  });

  it("ejects by status where that is asked for, and passes the answers on", () => {
    const { dispatcher, ended, dispatched, poolOf } = played({
      failed: (statusCode) => statusCode === 503,
      eject: { failures: 1, forMs: 1, nowMs: () => 0 },
    });
    const { origin, handler } = dispatched();
    handler.onRequestStart!(CONTROLLER, null);
    handler.onResponseStart!(CONTROLLER, 103, {}, "");
    handler.onResponseStart!(CONTROLLER, 503, {}, "");
    handler.onResponseEnd!(CONTROLLER, {});
    assert.deepEqual(ended, ["end"]);
    assert.deepEqual(dispatcher.stats[origin], {
      inFlight: 0,
      requests: 1,
      failures: 1,
      isEjected: true,
      isDraining: false,
    });
    for (let more = 0; more < 20; more++) assert.notEqual(dispatched().origin, origin);
    assert.equal(poolOf(origin).given.length, 1);
  });

  it("holds an upgraded connection in flight until it closes: drain waits for it, and close does not", async () => {
    const { dispatcher, dispatched } = played();
    const { origin, pool, handler } = dispatched();
    const socket = new EventEmitter();
    handler.onRequestStart!(CONTROLLER, null);
    handler.onRequestUpgrade!(CONTROLLER, 101, {}, socket);
    assert.equal(dispatcher.stats[origin]!.inFlight, 1);
    const drained = dispatcher.drain(origin);
    await new Promise(setImmediate);
    assert.equal(pool.isClosed, false);
    socket.emit("close");
    await drained;
    assert.equal(pool.isClosed, true);

    const other = dispatched();
    other.handler.onRequestUpgrade!(CONTROLLER, 101, {}, new EventEmitter());
    await dispatcher.close();
    assert.equal(other.pool.isDestroyed, true);
  });

  /** A handler that keeps its error. */
  const failingOf = (ended: unknown[]) => ({
    onRequestStart() {},
    onResponseError: (_controller: unknown, error: Error) => ended.push(error),
  });

  it("gives the last upstream what waits when that is drained, and fails what comes then", async () => {
    const { dispatcher, ended, poolOf } = played();
    const failing = failingOf(ended);
    const pools = ORIGINS.map(poolOf);
    for (const pool of pools) pool.hasRoom = false;
    const dispatch = () => dispatcher.dispatch({ path: "/", method: "GET" }, failing);
    for (let request = 0; request < 6; request++) assert.equal(dispatch(), request < 2);
    assert.deepEqual(
      pools.map(({ given }) => given.length),
      [1, 1, 1],
    );
    const drained = [dispatcher.drain(ORIGINS[0]), dispatcher.drain(ORIGINS[1])];
    const last = dispatcher.drain(ORIGINS[2]);
    assert.deepEqual(
      pools.map(({ given }) => given.length),
      [1, 1, 4],
    );
    assert.equal(dispatch(), true);
    assert.deepEqual(ended.map(String), ["NoUpstreamError: no upstreams are left: add one"]);
    for (const { given } of pools) for (const { handler } of given) handler.onResponseEnd!(CONTROLLER, {});
    await Promise.all([...drained, last]);
    assert.deepEqual(dispatcher.stats, {});
  });

  it("dispatches what waits to an upstream that is added, and says that there is room", async () => {
    const { dispatcher, poolOf } = played();
    for (const origin of ORIGINS) poolOf(origin).hasRoom = false;
    for (let request = 0; request < 4; request++)
      dispatcher.dispatch({ path: "/", method: "GET" }, { onRequestStart() {} });
    const [drain] = await Promise.all([once(dispatcher, "drain"), dispatcher.add("http://d.test/")]);
    assert.equal(String(drain[0]), "http://d.test/");
    assert.equal(drain[1][0], dispatcher);
    assert.equal(poolOf("http://d.test").given.length, 1);
  });

  it("sends a key to one upstream, and ends a request without a key in an error", () => {
    const { dispatcher, dispatched, ended } = played({
      by: "key",
      key: ({ path }) => (path === "/none" ? (undefined as never) : path),
    });
    const keys = Array.from({ length: 300 }, (_, at) => `user/${at}`);
    const first = keys.map((key) => dispatched(key).origin);
    assert.equal(new Set(first).size, ORIGINS.length);
    const handler = {
      onRequestStart() {},
      onResponseError: (_: unknown, error: unknown) => ended.push(error),
    };
    dispatcher.dispatch({ path: "/none", method: "GET" }, handler);
    assert.match(String(ended), /^TypeError: undefined is no key/);
    assert.deepEqual(
      keys.map((key) => dispatched(key).origin),
      first,
    );
  });

  it("sends one that is added one request at first, and one more with each that it serves", () => {
    const { dispatcher, dispatched, poolOf } = played();
    for (let request = 0; request < 20; request++) dispatched();
    dispatcher.add("http://d.test");
    const { given } = poolOf("http://d.test");
    for (let served = 0; served < 4; served++) {
      for (let request = 0; request < 20; request++) dispatched();
      assert.equal(given.length, 1 + served);
      given.pop()!.handler.onResponseEnd!(CONTROLLER, {});
    }
  });

  it("tells a handler of its end once, and not of what it throws then", () => {
    const { dispatcher, poolOf } = played();
    const [pool] = ORIGINS.map(poolOf) as [PlayedPool];
    for (const origin of ORIGINS) poolOf(origin).hasRoom = false;
    let heard = 0;
    const onResponseError = () => {
      heard++;
      throw new Error("of the handler");
    };
    for (let request = 0; request < 4; request++)
      dispatcher.dispatch({ path: "/", method: "GET" }, { onRequestStart() {}, onResponseError });
    pool.onGiven = () => pool.given.at(-1)!.handler.onResponseError!(null, refused()) as undefined;
    const drain = () => (pool.emit as (...given: unknown[]) => boolean)("drain", new URL(ORIGINS[0]), []);
    assert.throws(drain, { message: "of the handler" });
    assert.equal(heard, 1);
  });

  it("ends what waits and what is in flight when it is destroyed", async () => {
    const { dispatcher, ended, dispatched, poolOf } = played();
    const failing = failingOf(ended);
    for (const origin of ORIGINS) poolOf(origin).hasRoom = false;
    for (let request = 0; request < 3; request++) dispatched();
    dispatcher.dispatch({ path: "/", method: "GET" }, failing);
    const reason = new Error("no more");
    const closed = dispatcher.close();
    const destroyed = dispatcher.destroy(reason);
    assert.deepEqual(ended, [reason]);
    for (const origin of ORIGINS) poolOf(origin).given[0]!.handler.onResponseError!(CONTROLLER, reason);
    assert.deepEqual(ended, [reason, reason, reason, reason]);
    await Promise.all([closed, destroyed]);
    assert.deepEqual([dispatcher.closed, dispatcher.destroyed], [true, true]);
    dispatcher.dispatch({ path: "/", method: "GET" }, failing);
    assert.equal((ended[4] as Error).name, "ClientDestroyedError");
  });

  it("passes the events of connections on, with itself as the first target", () => {
    const { dispatcher, poolOf } = played();
    const pool = poolOf(ORIGINS[1]);
    const url = new URL(ORIGINS[1]);
    const heard: unknown[][] = [];
    dispatcher.on("connect", (...given) => heard.push(["connect", ...given]));
    dispatcher.on("disconnect", (...given) => heard.push(["disconnect", ...given]));
    dispatcher.on("connectionError", (...given) => heard.push(["connectionError", ...given]));
    const error = new errors.SocketError("closed");
    pool.emit("connect", url, [pool]);
    pool.emit("disconnect", url, [pool], error);
    pool.emit("connectionError", url, [pool], error);
    assert.deepEqual(heard, [
      ["connect", url, [dispatcher, pool]],
      ["disconnect", url, [dispatcher, pool], error],
      ["connectionError", url, [dispatcher, pool], error],
    ]);
  });
});

const REFUSALS = new URL("../testdata/refusals.txt", import.meta.url);

describe("upstreams: Balanced refuses wrong input", () => {
  const balanced = new Balanced(["http://a.test"]);
  itRefusesAsWritten("in one line", REFUSALS, () => ({ Balanced, balanced }));

  it("and upstreams once it is closed", async () => {
    await balanced.close();
    assert.throws(() => balanced.add("http://b.test"), { name: "ClientClosedError" });
  });
});

describe("upstreams: reports of load", () => {
  it("are read from ORCA's header", () => {
    for (const [header, load] of [
      ["TEXT cpu_utilization=0.25", 250],
      ["TEXT application_utilization=1.5,cpu_utilization=0.25", 1500],
      ["TEXT cpu_utilization=0.25, named_metrics.requests_in_flight=7", 7],
      ['JSON {"cpu_utilization":0.25,"named_metrics":{"requests_in_flight":7}}', 7],
      ['JSON {"application_utilization":0.5}', 500],
    ] as const)
      assert.deepEqual(orcaReport(header), { load }, header);
    for (const header of [
      "",
      "TEXT ",
      "TEXT mem_utilization=1",
      "TEXT cpu_utilization=-1",
      "JSON {",
      "JSON 1",
      "BIN CA==",
      "cpu_utilization=1",
    ])
      assert.equal(orcaReport(header), undefined, header);
  });

  const REPORTS: Readonly<Record<string, BalancedOptions["report"]>> = {
    "by the latency in them": (headerOf) => ({ load: 1, latencyMs: Number(headerOf("x-takes-ms")) }),
    "by how long the request took": () => ({ load: 1 }),
  };
  for (const [what, report] of Object.entries(REPORTS))
    it(`decide where requests go, ${what}`, () => {
      let nowMs = 1;
      const clock = mock.method(performance, "now", () => nowMs);
      const { dispatched, poolOf } = played({ by: hotColdProbes, report });
      for (let request = 0; request < 300; request++) {
        const { origin, handler } = dispatched();
        handler.onRequestStart!(CONTROLLER, null);
        const takesMs = origin === ORIGINS[0] ? 50 : 5;
        nowMs += takesMs;
        handler.onResponseStart!(CONTROLLER, 200, { "x-takes-ms": String(takesMs) }, "");
        handler.onResponseEnd!(CONTROLLER, {});
      }
      clock.mock.restore();
      const [slow, ...quick] = ORIGINS.map((origin) => poolOf(origin).given.length) as [
        number,
        number,
        number,
      ];
      for (const count of quick) assert.ok(slow < count / 2, `${slow} ${quick}`);
    });
});

describe("upstreams: Balanced with undici's functions and Node's fetch", () => {
  let origins: LocalOrigin[];
  let balanced: Balanced;
  const URL_OF_NONE = "http://upstreams.test/path";

  before(async () => {
    origins = await Promise.all([LocalOrigin.open(), LocalOrigin.open(), LocalOrigin.open()]);
    balanced = new Balanced(
      origins.map(({ url }) => url),
      { pipelining: 4, connections: 2 },
    );
  });
  after(async () => {
    await balanced.close();
    await Promise.all(origins.map((origin) => origin.close()));
  });

  const atRest = () =>
    assert.deepEqual(
      Object.values(balanced.stats).map(({ inFlight }) => inFlight),
      [0, 0, 0],
    );

  it("request, stream and pipeline", async () => {
    for (let count = 0; count < 10; count++) {
      const { body } = await request(URL_OF_NONE, { dispatcher: balanced });
      assert.equal(await body.text(), "served");
    }
    const chunks: Buffer[] = [];
    const sink = () =>
      new Writable({
        write(chunk: Buffer, _encoding, done) {
          chunks.push(chunk);
          done();
        },
      });
    await balanced.stream({ origin: URL_OF_NONE, path: "/", method: "GET" }, sink);
    assert.equal(Buffer.concat(chunks).toString(), "served");
    const piped = Readable.from(["a"]).pipe(
      balanced.pipeline({ origin: URL_OF_NONE, path: "/", method: "POST" }, ({ body }) => body),
    );
    assert.equal(String((await piped.toArray())[0]), "served");
    atRest();
  });

  it("fetch, by its option and as the global dispatcher", async () => {
    const given = { dispatcher: balanced } as unknown as RequestInit;
    assert.equal(await (await fetch(URL_OF_NONE, given)).text(), "served");
    const before = getGlobalDispatcher();
    setGlobalDispatcher(balanced);
    try {
      assert.equal(await (await fetch(URL_OF_NONE, { method: "POST", body: "a" })).text(), "served");
    } finally {
      setGlobalDispatcher(before);
    }
    atRest();
  });

  it("a RetryAgent around it, which retries elsewhere what was cut", async () => {
    origins[0]!.does = "cuts";
    const retrying = new RetryAgent(balanced, { minTimeout: 1, maxTimeout: 1 });
    for (let count = 0; count < 12; count++) {
      const { body } = await request(URL_OF_NONE, { dispatcher: retrying });
      assert.equal(await body.text(), "served");
    }
    origins[0]!.does = "answers";
    atRest();
  });

  it("interceptors, and a close by what compose returns", async () => {
    const composed = new Balanced(origins.map(({ url }) => url)).compose(interceptors.retry());
    const { body } = await request(URL_OF_NONE, { dispatcher: composed });
    assert.equal(await body.text(), "served");
    await composed.close();
    await assert.rejects(request(URL_OF_NONE, { dispatcher: composed }), { name: "ClientDestroyedError" });
  });

  it("requests that are aborted before and after they are sent", async () => {
    for (const origin of origins) origin.does = "holds";
    const aborter = new AbortController();
    const all = Array.from({ length: 40 }, () =>
      request(URL_OF_NONE, { dispatcher: balanced, signal: aborter.signal }),
    );
    await once(origins[1]!, "received");
    aborter.abort();
    for (const { status } of await Promise.allSettled(all)) assert.equal(status, "rejected");
    for (const origin of origins) origin.answer();
    atRest();
    for (const { failures } of Object.values(balanced.stats)) assert.ok(failures <= 12);
  });

  it("requests of an upstream that is down, which another serves", async () => {
    const down = await LocalOrigin.open();
    await down.close();
    const some = new Balanced([down.url, origins[1]!.url], { connections: 2 });
    const all = Array.from({ length: 30 }, () =>
      request(URL_OF_NONE, { dispatcher: some, method: "POST", body: Readable.from(["a", "b"]) }),
    );
    for (const { body } of await Promise.all(all)) assert.equal(await body.text(), "served");
    assert.equal(some.stats[down.url]!.isEjected, true);
    await some.close();
  });
});
