import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ParameterReader, ParameterWriter, RingBuffer } from "ringbuf.js";
import { SyncMessagePort } from "sync-message-port";
import { SharedArrayReceiverStrategy, SharedArraySenderStrategy } from "vscode-jsonrpc";
import { InterleavingError } from "../index.ts";
import { check, type Drawing, type Promised, type PromisedLimits, WAITS } from "../model.ts";
import { attachEnd, type End, openChannel } from "./multithreading-channel.ts";
import { openQueue, Port, type Queue, receiveFromPorts } from "./port.ts";
import { lock, readLock, readUnlock, unlock, writeLock, writeUnlock } from "./shared-memory-objects.ts";
import "../register.ts";

/**
 * Libraries whose promise is to be what a sequential object is, for one thread after another: ten lines each, without a
 * scenario. README.md quotes the promises, and explains the faults.
 */
const words = (length: number) => new Int32Array(new SharedArrayBuffer(4 * length));
const nth = { args: ({ nth }: Drawing) => [nth] };

/** What a check came to: the coverage, or the first line of what is said of the broken promise. */
function visited<Shared, Own = Shared>(promised: Promised<Shared, Own>, limits?: PromisedLimits): string {
  try {
    return String(check(promised, { maxStates: 200_000, ...limits }));
  } catch (error) {
    if (!(error instanceof InterleavingError)) throw error;
    return error.message.split("\n")[0]!;
  }
}

/** Under a lock a count is added to by one thread after another. */
function counting(hold: (lock: Int32Array) => () => void, lock: Int32Array): string {
  const counter = {
    value: 0,
    count() {
      return this.value++;
    },
  };
  const count = ({ lock, value }: { readonly lock: Int32Array; readonly value: Int32Array }) => {
    const release = hold(lock);
    const before = value[0]!++;
    release();
    return before;
  };
  const shared = { lock, value: words(1) };
  return visited({ model: counter, shared, operations: { count: { call: count } }, threads: 3, calls: 2 });
}

/** A queue with room for `most` values. */
const queue = (most: number) => ({
  values: [] as unknown[],
  put(value: unknown) {
    if (this.values.length === most) return WAITS;
    this.values.push(value);
    return undefined;
  },
  take() {
    return this.values.length === 0 ? WAITS : this.values.shift();
  },
});

const { lockMutexSync, unlockMutex } = await import(
  new URL("utilities/mutex.js", import.meta.resolve("nanolith")).href
);
const { MetadataBlock } = await import(
  new URL("backends/single_buffer.js", import.meta.resolve("@zenfs/core")).href
);
receiveFromPorts();

const ring: Omit<Promised<SharedArrayBuffer, RingBuffer>, "operations"> = {
  model: {
    bytes: [] as number[],
    push(byte: number) {
      return this.bytes.length === 2 ? 0 : Number(this.bytes.push(byte) > 0);
    },
    pop() {
      return this.bytes.splice(0, 2);
    },
    pushNothing: () => 0,
  },
  shared: RingBuffer.getStorageForCapacity(2, Uint8Array) as SharedArrayBuffer,
  attach: (buffer) => new RingBuffer(buffer, Uint8Array),
  threads: 2,
  calls: 3,
};
const ends = {
  // It may learn late that there is room.
  push: {
    ...nth,
    by: 0,
    inVain: [0],
    call: (ring: RingBuffer, byte: number) => ring.push(Uint8Array.of(byte)),
  },
  pop: {
    by: 1,
    call(ring: RingBuffer) {
      const bytes = new Uint8Array(2);
      return [...bytes.slice(0, ring.pop(bytes))];
    },
  },
};

/** Changes of parameters of five bytes each, an index and a number, in a ring with room for one. */
const parameters: Promised<SharedArrayBuffer, RingBuffer> = {
  model: {
    changes: [] as unknown[],
    send(index: number, value: number) {
      return this.changes.length === 0 && this.changes.push({ index, value }) > 0;
    },
    receive() {
      return this.changes.shift();
    },
  },
  shared: RingBuffer.getStorageForCapacity(7, Uint8Array) as SharedArrayBuffer,
  attach: (buffer) => new RingBuffer(buffer, Uint8Array),
  operations: {
    send: {
      by: 0,
      args: ({ nth }) => [nth, nth / 2],
      call: (ring, index: number, value: number) => new ParameterWriter(ring).enqueue_change(index, value),
    },
    receive: {
      by: 1,
      call(ring) {
        const into = { index: 0, value: 0 };
        return new ParameterReader(ring).dequeue_change(into) ? into : undefined;
      },
    },
  },
  threads: 2,
  calls: 3,
  order: "sequentially consistent",
};

const port: Promised<Queue, SyncMessagePort> = {
  model: {
    ...queue(9),
    isClosed: false,
    close() {
      this.isClosed = true;
    },
    take() {
      return this.values.shift() ?? (this.isClosed ? "closed" : WAITS);
    },
    takeIfThere() {
      return this.values.shift();
    },
  },
  shared: openQueue(4, 16),
  attach: (shared, thread) =>
    new SyncMessagePort(
      new Port(shared, thread === 0 ? shared.buffers : shared.buffers.toReversed()) as never,
    ),
  operations: {
    put: { ...nth, by: 0, call: (own, message: number) => own.postMessage(message) },
    take: { by: 1, call: (own) => own.receiveMessage({ closedValue: "closed" }) },
    close: { by: 0 },
  },
  threads: 2,
  calls: 3,
};
const looking = { by: 1, call: (own: SyncMessagePort) => own.receiveMessageIfAvailable()?.message };

const cancelling: Promised<
  readonly { readonly id: number; readonly $cancellationData: SharedArrayBuffer }[]
> = {
  model: {
    isCancelled: false,
    cancel() {
      this.isCancelled = true;
    },
    ask(id: number) {
      return id === 2 && this.isCancelled;
    },
  },
  shared: [1, 2].map((id) => {
    const request = { id } as { id: number; $cancellationData: SharedArrayBuffer };
    new SharedArraySenderStrategy().enableCancellation(request as never);
    return request;
  }),
  operations: {
    cancel: {
      by: 0,
      call(requests) {
        const own = new SharedArraySenderStrategy();
        for (const { id, $cancellationData } of requests)
          Reflect.get(own, "buffers").set(id, $cancellationData);
        own.sendCancellation(undefined as never, 2).catch(() => {});
      },
    },
    ask: {
      args: ({ draw }) => [1 + draw(2)],
      call: (requests, id: number) =>
        new SharedArrayReceiverStrategy().createCancellationTokenSource(requests[id - 1] as never).token
          .isCancellationRequested,
    },
  },
  threads: 2,
  calls: 2,
};

const channelOf = (most: number, bytes: number): Promised<readonly object[], End> => ({
  model: queue(most),
  shared: openChannel(1, bytes),
  attach: attachEnd,
  operations: {
    put: {
      by: 0,
      args: ({ nth }) => [`${nth}`],
      call: (end, text: string) => (end.blockingSend(text).ok ? undefined : "closed"),
    },
    take: {
      by: 1,
      call(end) {
        const received = end.blockingRecv();
        return received.ok ? received.value : "closed";
      },
    },
  },
  threads: 2,
  calls: 2,
});

/** A pair that is written under a lock of one kind, and read under another. */
const pair: Promised<Int32Array> = {
  model: {
    pair: [0, 0],
    write() {
      this.pair = this.pair.map((one: number) => one + 1);
    },
    read() {
      return this.pair;
    },
  },
  shared: words(4),
  operations: {
    read: {
      call(words) {
        readLock(words);
        const seen = [words[2], words[3]];
        readUnlock(words);
        return seen;
      },
    },
    write: {
      call(words) {
        writeLock(words);
        words[2]!++;
        words[3]!++;
        writeUnlock(words);
      },
    },
  },
  threads: 2,
  calls: 2,
};

/** What each comes to, by name, as README.md says why. */
const cases: Readonly<Record<string, readonly [said: () => string, expected: RegExp]>> = {
  "nanolith: its mutex": [
    () =>
      counting((lock) => {
        lockMutexSync(lock);
        return () => unlockMutex(lock);
      }, words(1)),
    /are linearizable/,
  ],
  "@zenfs/core: the lock of a metadata block": [
    () => counting(({ buffer }) => new MetadataBlock(buffer, 0).lock(), words(1025)),
    /^not linearizable/,
  ],
  "@daneren2005/shared-memory-objects: its lock": [
    () =>
      counting((own) => {
        lock(own);
        return () => unlock(own);
      }, words(1)),
    /are linearizable/,
  ],
  "@daneren2005/shared-memory-objects: its lock for readers": [() => visited(pair), /^not linearizable/],
  "ringbuf.js": [() => visited({ ...ring, operations: ends }), /are linearizable/],
  "ringbuf.js, weakly ordered": [
    () => visited({ ...ring, operations: ends, order: "sequentially consistent" }, { weak: true }),
    /are sequentially consistent/,
  ],
  "ringbuf.js: a callback that writes nothing": [
    () => {
      const pushNothing = { by: 0, call: (own: RingBuffer) => own.writeCallback(1, () => 0) };
      return visited({ ...ring, operations: { ...ends, pushNothing } });
    },
    /^not linearizable/,
  ],
  "ringbuf.js: parameters, weakly ordered": [
    () => visited(parameters, { weak: true }),
    /are sequentially consistent/,
  ],
  "sync-message-port": [() => visited(port), /are linearizable/],
  "sync-message-port: whose sender dies": [
    () => {
      const { put } = port.operations;
      return visited({ ...port, operations: { put: put!, takeIfThere: looking }, dies: 0 });
    },
    /^deadlock: thread 1 waits for words 0..1 of buffers/,
  ],
  "vscode-jsonrpc": [() => visited(cancelling), /are linearizable/],
  "multithreading: a channel": [() => visited(channelOf(2, 256)), /are linearizable/],
  "multithreading: a channel whose memory gets full": [() => visited(channelOf(1, 72)), /^not linearizable/],
};

describe("libraries as sequential objects", () => {
  for (const [name, [said, expected]] of Object.entries(cases))
    it(name, ({ mock }) => {
      mock.method(console, "warn", () => {});
      assert.match(said(), expected);
    });
});
