import workerThreads from "node:worker_threads";

/** Stands in for a MessagePort of node:worker_threads: a queue in shared memory, into which thread 0 posts integers. */
export interface Queue {
  /** What `receiveMessageOnPort` returns first. */
  readonly buffers: readonly SharedArrayBuffer[];
  readonly begin: Int32Array;
  readonly end: Int32Array;
  readonly messages: Int32Array;
}

/** How many messages there is room for, with two such buffers. */
export function openQueue(messages: number, bufferBytes: number): Queue {
  const words = (length: number) => new Int32Array(new SharedArrayBuffer(4 * length));
  const buffers = [new SharedArrayBuffer(bufferBytes), new SharedArrayBuffer(bufferBytes)];
  return { buffers, begin: words(1), end: words(1), messages: words(messages) };
}

export class Port {
  readonly #queue: Queue;
  readonly #first: SharedArrayBuffer[];

  constructor(queue: Queue, buffers: readonly SharedArrayBuffer[]) {
    this.#queue = queue;
    this.#first = [...buffers];
  }

  postMessage(message: number): void {
    const { end, messages } = this.#queue;
    const at = Atomics.load(end, 0);
    messages[at] = message;
    Atomics.store(end, 0, at + 1);
  }

  receive(): { readonly message: unknown } | undefined {
    if (this.#first.length > 0) return { message: this.#first.shift() };
    const { begin, end, messages } = this.#queue;
    const at = begin[0]!;
    if (at === Atomics.load(end, 0)) return undefined;
    begin[0] = at + 1;
    return { message: messages[at] };
  }

  on(): void {}
  close(): void {}
}

/** Makes `receiveMessageOnPort` receive from such ports, for code that looks it up at each call. */
export function receiveFromPorts(): void {
  workerThreads.receiveMessageOnPort = (port) => (port as unknown as Port).receive();
}
