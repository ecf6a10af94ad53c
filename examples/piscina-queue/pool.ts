import {
  attachConsumer,
  attachProducer,
  closeQueue,
  createQueue,
  freeSeat,
  type Queue,
} from "hotpath-lab/queue";
import { Piscina } from "piscina";
import { framed, unframed } from "./frames.ts";

/** What each thread is given: plain data, which crosses in a task. */
export interface Served {
  readonly requests: Queue<"frames">;
  readonly answers: Queue<"frames">;
  /** By seat: the request that the thread works on, or 0. */
  readonly current: Int32Array;
  readonly seat: number;
}

/** Bytes of the longest request or answer, and what a queue has room for. */
const LONGEST = 2 ** 16;
const ROOM = 2 ** 20;

interface Pending {
  resolve(answer: string): void;
  reject(error: Error): void;
}

/**
 * A Piscina pool whose threads take their requests from one queue in shared memory: an idle thread takes the next one, and no
 * message is posted for it. Each thread runs one endless task of Piscina's, which starts another if it dies.
 */
export class QueuedPool {
  readonly #pool: Piscina;
  readonly #served: Omit<Served, "seat">;
  readonly #pending = new Map<number, Pending>();
  readonly #requests;
  readonly #tasks: Promise<void>[];
  /** As many as an int32 has room for. */
  #last = 0;

  constructor(filename: string, threads: number) {
    this.#served = {
      requests: createQueue({ frames: LONGEST, capacity: ROOM, consumers: threads }),
      answers: createQueue({ frames: LONGEST, capacity: ROOM, producers: threads }),
      current: new Int32Array(new SharedArrayBuffer(threads * Int32Array.BYTES_PER_ELEMENT)),
    };
    this.#requests = attachProducer(this.#served.requests, 0);
    this.#pool = new Piscina({ filename, minThreads: threads, maxThreads: threads });
    this.#tasks = Array.from({ length: threads }, (_, seat) => this.#serve(seat));
    this.#tasks.push(this.#hear());
  }

  /** The threads, for those who look after them. */
  get threads(): Piscina["threads"] {
    return this.#pool.threads;
  }

  /** Resolves to the answer of one of the threads. Rejects where that failed, or its thread ended. A full queue makes it wait. */
  async run(request: string): Promise<string> {
    const number = ++this.#last;
    const answer = new Promise<string>((resolve, reject) => this.#pending.set(number, { resolve, reject }));
    answer.catch(() => {});
    await this.#requests.send(framed(number, request));
    return answer;
  }

  /** Resolves when all requests are answered and all threads have ended. */
  async close(): Promise<void> {
    this.#requests.close();
    await Promise.all(this.#tasks);
    await this.#pool.destroy();
    // Those that a thread had just taken when it ended.
    for (const number of [...this.#pending.keys()])
      this.#settle(number)?.reject(new Error("lost with its thread"));
  }

  /** A thread in this seat, and another in its place if it dies. */
  async #serve(seat: number): Promise<void> {
    const { requests, answers, current } = this.#served;
    for (;;) {
      const error = await this.#pool.run({ ...this.#served, seat } satisfies Served).then(
        () => undefined,
        (reason: Error) => reason,
      );
      // It has one producer and as many consumers.
      freeSeat(requests, 1 + seat);
      freeSeat(answers, seat);
      if (error === undefined) return closeQueue(answers, seat);
      this.#settle(Atomics.exchange(current, seat, 0))?.reject(error);
    }
  }

  async #hear(): Promise<void> {
    for await (const frame of attachConsumer(this.#served.answers, 0)) {
      const { number, text, isFailed } = unframed(frame);
      const pending = this.#settle(number);
      if (isFailed) pending?.reject(new Error(text));
      else pending?.resolve(text);
    }
  }

  #settle(number: number): Pending | undefined {
    const pending = this.#pending.get(number);
    this.#pending.delete(number);
    return pending;
  }
}
