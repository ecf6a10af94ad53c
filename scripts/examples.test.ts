import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { WebSocket } from "ws";
import { notInstalled, startOf } from "../suites/engine/measure/runtimes.ts";

/** The examples to take away, as their users start them. */
const OF_NODE = fileURLToPath(new URL("../examples/websocket-server/server.ts", import.meta.url));
const OF_BUN = fileURLToPath(new URL("../examples/websocket-server/server.bun.ts", import.meta.url));

/** Starts a server on a free port, uses it and ends it, however that goes. */
async function withServer(
  start: { readonly file: string; readonly args: readonly string[] },
  module: string,
  use: (port: number, server: ChildProcess) => Promise<void>,
): Promise<void> {
  const server = spawn(start.file, [...start.args, module, "0"], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const [line] = (await once(createInterface(server.stdout!), "line")) as [string];
    const { port } = JSON.parse(line.replace("listening on ", "")) as { readonly port: number };
    await use(port, server);
  } finally {
    server.kill("SIGKILL");
  }
}

/** A client, and the first that it is told. */
async function joined(port: number): Promise<{ client: WebSocket; welcome: Record<string, number> }> {
  const client = new WebSocket(`ws://127.0.0.1:${port}`);
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
  { name: "on Node", start: { file: process.execPath, args: [] }, module: OF_NODE, skip: false },
  { name: "on Bun", start: BUN, module: OF_BUN, skip: BUN === undefined && notInstalled("bun") },
];

describe("the WebSocket server to copy", () => {
  for (const { name, start, module, skip } of SERVERS) {
    it(`${name} admits, gives seconds, counts, and ends in order`, { skip, timeout: 60_000 }, async () => {
      await withServer(start!, module, async (port, server) => {
        const both = [await joined(port), await joined(port)];
        for (const { welcome } of both) {
          assert.equal(welcome.everyMs, 10_000);
          assert.ok(welcome.firstBeatInMs! >= 0 && welcome.firstBeatInMs! < 11_000, JSON.stringify(welcome));
        }
        for (const { client } of both) client.send("beat");
        const metrics = await untilHeard(port, 2);
        assert.deepEqual(metrics, { open: 2, watched: 2, opened: 2, refused: 0, messages: 2, expired: 0 });
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
  }
});
