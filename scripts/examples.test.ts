import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, it } from "node:test";
import { setTimeout as pass } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { WebSocket } from "ws";
import { notInstalled, startOf } from "../suites/lab/runtimes/runtimes.ts";
import type { TimeOrder } from "../suites/shared/held-time.ts";

/** The examples to take away, as their users start them. */
const OF_NODE = fileURLToPath(new URL("../examples/websocket-server/server.ts", import.meta.url));
const OF_BUN = fileURLToPath(new URL("../examples/websocket-server/server.bun.ts", import.meta.url));
const CLOCK = fileURLToPath(new URL("../suites/shared/held-time.ts", import.meta.url));
/** Exists while a server stands still. */
const STANDING = "standing";

interface Start {
  readonly file: string;
  readonly args: readonly string[];
}

/** Starts a server on a free port, uses it and ends it, however that goes. */
async function withServer(
  start: Start,
  module: string,
  use: (port: number, server: ChildProcess) => Promise<void>,
): Promise<void> {
  const server = spawn(start.file, [...start.args, module, "0"], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  try {
    const [line] = (await once(createInterface(server.stdout!), "line")) as [string];
    const { port } = JSON.parse(line.replace("listening on ", "")) as { readonly port: number };
    await use(port, server);
  } finally {
    server.kill("SIGKILL");
  }
}

/** A client, and its first message. */
async function joined(
  port: number,
  autoPong = true,
): Promise<{ client: WebSocket; welcome: Record<string, number> }> {
  const client = new WebSocket(`ws://127.0.0.1:${port}`, { autoPong });
  const [data] = (await once(client, "message")) as [Buffer];
  return { client, welcome: JSON.parse(data.toString()) as Record<string, number> };
}

async function metricsOf(port: number): Promise<Record<string, number>> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return Object.fromEntries(
    text.split("\n").flatMap((line) => {
      const [name, value] = line.split(" ");
      return value === undefined ? [] : [[name!.replace("websocket_", ""), Number(value)]];
    }),
  );
}

/** As soon as the server has heard what was sent. */
async function untilHeard(port: number, messages: number): Promise<Record<string, number>> {
  for (;;) {
    const metrics = await metricsOf(port);
    if (metrics.messages! >= messages) return metrics;
  }
}

const BUN = startOf("bun");
const SERVERS = [
  {
    name: "on Node",
    start: { file: process.execPath, args: [] },
    preload: "--import",
    module: OF_NODE,
    skip: false,
  },
  {
    name: "on Bun",
    start: BUN,
    preload: "--preload",
    module: OF_BUN,
    skip: BUN === undefined && notInstalled("bun"),
  },
];

/** Time that passes on the server, and that its event loop stands still, while `meanwhile` is done. */
async function order(server: ChildProcess, given: TimeOrder, meanwhile = () => {}): Promise<void> {
  const passed = once(server, "message");
  server.send(given);
  if ("folder" in given) {
    const standing = join(given.folder, STANDING);
    while (!existsSync(standing)) await pass(LOOK_EVERY_MS);
    meanwhile();
    rmSync(standing);
  }
  await passed;
}

/** Between two looks whether the server stands, in ms. */
const LOOK_EVERY_MS = 5;
const TIMEOUT_MS = 30_000;
/** What a living client may send, again and again, and what is not a sign of life. */
const SIGNS: Readonly<Record<string, (client: WebSocket) => void>> = {
  messages: (client) => client.send("beat"),
  pings: (client) => client.ping(),
  pongs: (client) => client.pong(),
  fragments: (client) => client.send("part", { fin: false }),
  nothing: () => {},
};

describe("the WebSocket server to copy", () => {
  for (const { name, start, preload, module, skip } of SERVERS) {
    it(`${name} admits, gives seconds, counts, and ends in order`, { skip, timeout: 60_000 }, async () => {
      await withServer(start!, module, async (port, server) => {
        const both = [await joined(port), await joined(port)];
        for (const { welcome } of both) {
          assert.equal(welcome.everyMs, 10_000);
          assert.ok(welcome.firstBeatInMs! >= 0 && welcome.firstBeatInMs! < 11_000, JSON.stringify(welcome));
        }
        for (const { client } of both) client.send("beat");
        const { stalls, ...metrics } = await untilHeard(port, 2);
        const counts = { opened: 2, refused: 0, messages: 2, expired: 0, pings: 0, pongs: 0 };
        assert.deepEqual(metrics, { open: 2, watched: 2, ...counts });
        // On a machine that is busy elsewhere it may have stood still.
        assert.ok(stalls! >= 0);
        const closed = Promise.all(both.map(({ client }) => once(client, "close")));
        const exited = once(server, "exit");
        server.kill("SIGTERM");
        assert.deepEqual(
          (await closed).map(([code]) => code),
          [1001, 1001],
        );
        assert.deepEqual(await exited, [0, null]);
      });
    });

    it(`${name} closes clients that send nothing, and no others, though it stood still`, {
      skip,
      timeout: 60_000,
    }, async () => {
      const folder = mkdtempSync(join(tmpdir(), "hotpath-lab-standing-"));
      const timed: Start = { file: start!.file, args: [...start!.args, preload, CLOCK] };
      try {
        await withServer(timed, module, async (port, server) => {
          const clients = new Map<string, WebSocket>();
          for (const sign of Object.keys(SIGNS))
            clients.set(sign, (await joined(port, sign !== "nothing")).client);
          const closed = new Set<string>();
          for (const [sign, client] of clients) client.once("close", () => closed.add(sign));
          const live = () => {
            for (const [sign, client] of clients) SIGNS[sign]!(client);
          };
          // What was written before it asks has come when it is answered.
          const settled = () => metricsOf(port);
          await order(server, { standMs: TIMEOUT_MS + 1_000, folder }, live);
          assert.equal((await settled()).expired, 0);
          // At most one timeout later.
          for (let passedMs = 0; passedMs < TIMEOUT_MS; passedMs += TIMEOUT_MS / 6) {
            live();
            await settled();
            await order(server, { passMs: TIMEOUT_MS / 6 });
          }
          await order(server, { passMs: 1_000 });
          const { expired, open, watched } = await settled();
          assert.deepEqual({ expired, open, watched }, { expired: 1, open: 4, watched: 4 });
          if (!closed.has("nothing")) await once(clients.get("nothing")!, "close");
          assert.deepEqual([...closed], ["nothing"]);
        });
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  }
});
