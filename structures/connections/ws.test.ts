import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { EventEmitter, once } from "node:events";
import type { AddressInfo } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { WebSocket, WebSocketServer } from "ws";
import { itRefusesAsWritten } from "../interleave/calls.trials.ts";
import { faultsBreakLaws } from "../shared/law-tests.ts";
import { mutatedIn } from "../shared/mutated.ts";
import { latenessOf } from "./parts/asking.ts";
import { VirtualLoop } from "./parts/virtual-loop.ts";
import { type WsRequest, WsSockets } from "./parts/ws.ts";
import examination, { FakeSocket } from "./ws.examination.ts";
import { watch, watchBun } from "./ws.exports.ts";
import * as laws from "./ws.laws.ts";

const TIMEOUT_MS = 30_000;
/** Two looks, of a second each. */
const LATE_MS = 2_000;

describe("a watch over the sockets of a server", () => {
  it("keeps the laws of every watcher", () => assert.deepEqual(examination.ofWatchers(), []));

  it("keeps its own", () => assert.deepEqual(examination.ofSockets(), []));
});

describe("every mutant of the watch is caught by the law it breaks", () => {
  const MUTANTS = new URL("testdata/ws-faults.txt", import.meta.url);
  faultsBreakLaws(MUTANTS, laws, async ({ in: file, edits }) => {
    const url = import.meta.resolve("./ws.examination.ts");
    const mutant = await mutatedIn<typeof examination>(`connections/parts/${file}`, url, ...edits);
    return mutant.ofSockets();
  });
});

/** A server of `ws` that does nothing by itself, with a watch over it, and what its watch has expired. */
function served(open: readonly FakeSocket[] = []) {
  const loop = new VirtualLoop();
  const server = Object.assign(new EventEmitter(), { clients: open });
  const expired: FakeSocket[] = [];
  const watched = new WsSockets(loop, server, {
    timeoutMs: TIMEOUT_MS,
    onExpired: (socket: FakeSocket) => void expired.push(socket),
  });
  return { loop, server, expired, watched };
}

describe("what a watch does", () => {
  it("takes in what was open before it", () => {
    const socket = new FakeSocket();
    const { loop, expired, watched } = served([socket]);
    assert.equal(watched.size, 1);
    loop.run(TIMEOUT_MS + LATE_MS);
    assert.deepEqual(expired, [socket]);
  });

  it("is late by a step of each of its two waits at most, a tenth of them each", () =>
    assert.equal(latenessOf(1_000, 300), 30 + 70));

  it("takes no socket twice, and none that has closed", () => {
    const socket = new FakeSocket();
    const { server, watched } = served([socket]);
    server.emit("connection", socket);
    const closed = new FakeSocket();
    closed.terminate();
    server.emit("connection", closed);
    assert.equal(watched.size, 1);
    assert.equal(closed.allListeners, 0);
  });

  it("does not expire a socket that the server has paused", () => {
    const socket = new FakeSocket();
    const { loop, expired } = served([socket]);
    socket.isPaused = true;
    loop.run(10 * TIMEOUT_MS);
    assert.deepEqual(expired, []);
    socket.isPaused = false;
    loop.run(12 * TIMEOUT_MS);
    assert.deepEqual(expired, [socket]);
  });

  it("waits no longer than stallMs for a loop that never catches up with what comes", () => {
    const loop = new VirtualLoop();
    const [silent, busy] = [new FakeSocket(), new FakeSocket()];
    const server = Object.assign(new EventEmitter(), { clients: [silent, busy] });
    const watched = new WsSockets(loop, server, { timeoutMs: 1_000, stallMs: 400 });
    // It takes the server longer to read a message than the client to send one.
    const read = () => {
      loop.at(0.5, read);
      loop.stand(1);
      busy.emit("message");
    };
    loop.at(250, read);
    const beganMs = loop.now();
    const passedMs = () => loop.now() - beganMs;
    let terminatedMs = Number.NaN;
    silent.terminated = () => {
      terminatedMs = passedMs();
    };
    while (watched.expired === 0 && passedMs() < 3_000) loop.run(passedMs() + 1);
    assert.ok(terminatedMs >= 1_400 && terminatedMs <= 1_500, `${terminatedMs}`);
    assert.equal(watched.size, 1);
  });

  it("terminates though onExpired threw, and goes on", () => {
    const loop = new VirtualLoop();
    const server = Object.assign(new EventEmitter(), { clients: [new FakeSocket(), new FakeSocket()] });
    const watched = new WsSockets(loop, server, {
      timeoutMs: TIMEOUT_MS,
      onExpired() {
        throw new Error("planned");
      },
    });
    for (let error = 0; error < 2; error++) assert.throws(() => loop.run(2 * TIMEOUT_MS), /planned/);
    loop.run(3 * TIMEOUT_MS);
    assert.deepEqual([watched.expired, watched.size], [2, 0]);
    for (const { readyState } of server.clients) assert.equal(readyState, WebSocket.CLOSED);
  });

  it("ends when the server has closed and its last connection is gone, and takes none from then on", () => {
    const socket = new FakeSocket();
    const { loop, server, watched } = served([socket]);
    server.emit("close");
    assert.ok(loop.pending > 0);
    socket.emit("close");
    assert.deepEqual([loop.pending, server.eventNames()], [0, []]);
    watched.end();
    server.emit("connection", socket);
    assert.equal(watched.size, 0);
  });

  it("ends at once when a server without connections closes", () => {
    const { loop, server } = served();
    server.emit("close");
    assert.deepEqual([loop.pending, server.eventNames()], [0, []]);
  });

  it("does not keep the process alive", () => {
    const before = process.getActiveResourcesInfo();
    const ends = [watch(new EventEmitter(), { timeoutMs: TIMEOUT_MS }), watchBun({ timeoutMs: TIMEOUT_MS })];
    assert.deepEqual(process.getActiveResourcesInfo(), before);
    for (const watched of ends) watched.end();
  });
});

describe("a watch over what cannot be watched", () => {
  const server = new EventEmitter();
  const scope = { watch, watchBun, server };
  itRefusesAsWritten(
    "is refused in one line",
    new URL("testdata/refusals.txt", import.meta.url),
    () => scope,
  );

  it("and then has left no listener", () => assert.deepEqual(server.eventNames(), []));
});

/** A server of `ws` on a port of its own, and its clients. */
async function realServer(context: TestContext, perMessageDeflate: boolean) {
  const wss = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate });
  await once(wss, "listening");
  const joined = async (autoPong: boolean) => {
    const { port } = wss.address() as AddressInfo;
    const coming = once(wss, "connection");
    const client = new WebSocket(`ws://127.0.0.1:${port}`, { autoPong });
    await once(client, "open");
    const [socket, { socket: stream }] = (await coming) as [WebSocket, Required<WsRequest>];
    return { client, socket, stream: stream as unknown as EventEmitter };
  };
  const end = async () => {
    const gone = [...wss.clients].map((socket) => once(socket, "close"));
    for (const socket of wss.clients) socket.terminate();
    wss.close();
    await Promise.all([once(wss, "close"), ...gone]);
  };
  context.after(() => (wss.address() === null ? undefined : end()));
  return { wss, joined, end };
}

/** What `ws` decompresses messages with; it takes no more from its stream until `done` was called. */
interface Deflate {
  decompress(data: Buffer, fin: boolean, done: (error: Error | null, message: Buffer) => void): void;
}

function deflateOf(socket: WebSocket): Deflate {
  return (socket as unknown as { _receiver: { _extensions: Record<string, Deflate> } })._receiver._extensions[
    "permessage-deflate"
  ]!;
}

describe("a watch over a real server of ws", () => {
  it("terminates the client that is silent, and neither one that answers nor one that sends part of a message", {
    timeout: 20_000,
  }, async (context) => {
    const { wss, joined, end } = await realServer(context, false);
    const loop = new VirtualLoop();
    const watched = new WsSockets(loop, wss, { timeoutMs: TIMEOUT_MS });
    const silent = await joined(false);
    const answering = await joined(true);
    const parting = await joined(false);
    const closed = once(silent.client, "close");
    for (let atMs = TIMEOUT_MS / 3; watched.expired === 0; atMs += TIMEOUT_MS / 3) {
      const pinged = watched.pings;
      loop.run(atMs);
      const coming = [once(parting.stream, "data")];
      if (watched.pings > pinged) coming.push(once(answering.socket, "pong"));
      parting.client.send("part", { fin: false });
      await Promise.all(coming);
    }
    const [code] = await closed;
    assert.equal(code, 1006);
    assert.deepEqual([watched.size, watched.expired, wss.clients.size], [2, 1, 2]);
    assert.equal(watched.pongs, watched.pings - 1);
    await end();
    assert.deepEqual([watched.size, loop.pending, wss.listenerCount("connection")], [0, 0, 0]);
  });

  it("does not terminate a client while ws is busy with its messages, whether it came before the watch or after", {
    timeout: 20_000,
  }, async (context) => {
    const { wss, joined } = await realServer(context, true);
    const loop = new VirtualLoop();
    const before = await joined(false);
    const watched = new WsSockets(loop, wss, { timeoutMs: TIMEOUT_MS });
    const clients = [before, await joined(false)];
    const held: (() => void)[] = [];
    for (const { client, socket, stream } of clients) {
      const deflate = deflateOf(socket);
      const decompress = deflate.decompress.bind(deflate);
      deflate.decompress = (...message) => void held.push(() => decompress(...message));
      const paused = once(stream, "pause");
      for (let sent = 0; sent < 4; sent++) client.send(randomBytes(65_536));
      await paused;
    }
    loop.run(3 * TIMEOUT_MS);
    const { size, expired } = watched;
    // Else its receiver never ends.
    for (const { socket } of clients) delete (deflateOf(socket) as Partial<Deflate>).decompress;
    for (const go of held) go();
    assert.deepEqual([size, expired], [2, 0]);
  });
});
