import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { MessagePort, Worker } from "node:worker_threads";
import { exitWithThread } from "./late-threads.ts";

/** A worker as Deno's: `terminate` says at once that it exited, and what it was sent closes when its thread ends. */
class LateWorker extends EventEmitter {
  readonly said: string[] = [];
  #sent: MessagePort | undefined;
  #hasExited = false;

  postMessage(_message: unknown, [port]: MessagePort[]): void {
    this.#sent = port;
    this.said.push("was sent a port");
  }

  async terminate(): Promise<number> {
    if (!this.#hasExited) this.emit("exit", 1);
    this.#hasExited = true;
    return 1;
  }

  endThread(): void {
    this.#sent!.close();
  }
}

function made(): LateWorker {
  const worker = new LateWorker();
  exitWithThread(worker as unknown as Worker);
  worker.on("exit", (code) => worker.said.push(`exit ${code}`));
  return worker;
}

describe("a worker whose thread ends late", () => {
  it("exits, and is terminated, when the thread has ended", async () => {
    const worker = made();
    const terminations = [worker.terminate(), worker.terminate()].map((terminated) =>
      terminated.then((code) => worker.said.push(`terminated ${code}`)),
    );
    await setImmediate();
    assert.deepEqual(worker.said, ["was sent a port"]);
    worker.endThread();
    await Promise.all(terminations);
    assert.deepEqual(worker.said, ["was sent a port", "exit 1", "terminated 1", "terminated 1"]);
  });

  it("exits at once where it ends by itself, and is sent nothing afterwards", async () => {
    const worker = made();
    assert.equal(worker.emit("exit", 3), true);
    assert.equal(worker.emit("message", "late"), false);
    assert.deepEqual(worker.said, ["exit 3"]);
    worker.removeAllListeners("exit");
    assert.equal(await worker.terminate(), 1);
    assert.deepEqual(worker.said, ["exit 3"]);
  });
});
