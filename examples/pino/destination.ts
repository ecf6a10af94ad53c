import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { adopt } from "hotpath-lab";
import { attachProducer, closeQueue, createQueue, type Queue } from "hotpath-lab/queue";

/** What the writing thread is started with. */
export interface Writing {
  readonly queue: Queue<"frames">;
  readonly file: string;
  /** One word: 1 once all is written. */
  readonly done: Int32Array;
}

/** Bytes that the queue has room for, and of the longest part of a line. */
const ROOM = 2 ** 22;
const LONGEST = 2 ** 14;
/** How long a line waits for room, and the process's exit for the last lines, in ms. */
const PATIENCE_MS = 1_000;

/**
 * A destination for `pino(options, destination)` that leaves writing to another thread. Lines go there through a queue in shared
 * memory. A full queue blocks the logger until the writer has caught up; lines that wait too long are dropped and counted.
 */
export class QueueDestination {
  /** Lines, and parts of long ones, that were not written. */
  dropped = 0;
  readonly #queue = createQueue({ frames: LONGEST, capacity: ROOM });
  readonly #lines = attachProducer(this.#queue, 0);
  readonly #done = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly #writer: Worker;
  readonly #exited: Promise<unknown>;

  constructor(file: string) {
    const workerData: Writing = { queue: this.#queue, file, done: this.#done };
    this.#writer = adopt(new Worker(new URL("./writer.ts", import.meta.url), { workerData }), 1, this.#queue);
    this.#exited = once(this.#writer, "exit").then(() => closeQueue(this.#queue));
    this.#writer.unref();
    process.once("exit", this.#drain);
  }

  /** What pino calls with each line, its newline included. */
  write(line: string): void {
    // A unit of a string takes three bytes at most.
    if (3 * line.length <= LONGEST) {
      this.#send(line);
      return;
    }
    const bytes = Buffer.from(line);
    for (let at = 0; at < bytes.length; at += LONGEST) this.#send(bytes.subarray(at, at + LONGEST));
  }

  /** Resolves when all lines are written. */
  async close(): Promise<void> {
    process.off("exit", this.#drain);
    this.#lines.close();
    this.#writer.ref();
    await this.#exited;
  }

  #send(part: string | Uint8Array): void {
    if (this.#lines.isClosed || !(this.#lines.trySend(part) || this.#lines.sendSync(part, PATIENCE_MS)))
      this.dropped++;
  }

  /** Other threads run until the listeners of `exit` return. */
  readonly #drain = (): void => {
    this.#lines.close();
    Atomics.wait(this.#done, 0, 0, PATIENCE_MS);
  };
}
