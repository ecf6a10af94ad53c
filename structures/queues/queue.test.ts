import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, it } from "node:test";
import { Worker } from "node:worker_threads";
import { itRefusesAsWritten } from "../interleave/calls.trials.ts";
import { adopt } from "../shared/adopt.ts";
import {
  attachConsumer,
  attachProducer,
  closeQueue,
  createQueue,
  freeSeat,
  type Queue,
} from "./queue.exports.ts";

const MODULE = new URL("./queue.exports.ts", import.meta.url).href;
const CAPACITY = 4;

/** What the tests of both kinds of messages need: a queue, a message of a number, and the number in a message. */
interface Kind {
  create(options?: { producers?: number; consumers?: number; capacity?: number }): Queue;
  of(number: number): never;
  numberIn(message: Int32Array | Uint8Array | undefined): number | undefined;
}

const KINDS: Readonly<Record<string, Kind>> = {
  words: {
    create: (options) => createQueue({ words: 2, capacity: CAPACITY, ...options }),
    of: (number) => Int32Array.of(number, ~number) as never,
    numberIn: (message) => (message?.[1] === ~message![0]! ? message![0] : undefined),
  },
  frames: {
    // Room for as many messages of four bytes.
    create: ({ capacity = CAPACITY, ...options } = {}) =>
      createQueue({ frames: 4, capacity: 8 * capacity, ...options }),
    of: (number) => String(number).padStart(4) as never,
    numberIn: (message) => (message === undefined ? undefined : Number(new TextDecoder().decode(message))),
  },
};

for (const [name, { create, of, numberIn }] of Object.entries(KINDS)) {
  /** Both ends of a queue in this thread. */
  const pair = () => {
    const queue = create();
    const producer = attachProducer(queue, 0);
    const consumer = attachConsumer(queue, 0);
    const fill = () => {
      let count = 0;
      while (producer.trySend(of(count))) count++;
      return count;
    };
    return { queue, producer, consumer, fill };
  };

  describe(`a queue of ${name}`, () => {
    it("slows a producer down by its promise, and keeps the order of its calls", async () => {
      const { producer, consumer, fill } = pair();
      const full = fill();
      const sends = [full, full + 1, full + 2].map((number) => producer.send(of(number)));
      let settled = 0;
      for (const send of sends) void send.then(() => settled++);
      assert.equal(producer.trySend(of(-1)), false);
      assert.throws(
        () => producer.sendSync(of(-1)),
        /^Error: sendSync: a send of this thread waits, and this would overtake it: use send$/,
      );
      assert.equal(settled, 0);
      for (let number = 0; number < full + 3; number++)
        assert.equal(numberIn(await consumer.receive()), number);
      await Promise.all(sends);
      assert.equal(consumer.tryReceive(), undefined);
      assert.equal(consumer.isDone, false);
    });

    it("gives receives messages in the order of the calls, each an array of its own", async () => {
      const { producer, consumer } = pair();
      const receives = [consumer.receive(), consumer.receive()];
      await null;
      assert.equal(consumer.tryReceive(), undefined);
      assert.throws(
        () => consumer.receiveSync(),
        /^Error: receiveSync: a receive of this thread waits, and this would overtake it: use receive$/,
      );
      for (const number of [7, 8]) await producer.send(of(number));
      assert.deepEqual((await Promise.all(receives)).map(numberIn), [7, 8]);
      assert.equal(consumer.receiveSync(0), undefined);
    });

    it("sends nothing and takes nothing for a signal that aborts", async () => {
      const { producer, consumer, fill } = pair();
      const taking = new AbortController();
      const receives = [
        consumer.receive({ signal: taking.signal }),
        consumer.receive({ signal: taking.signal }),
      ];
      taking.abort("no more");
      for (const receive of receives) await assert.rejects(receive, (reason) => reason === "no more");
      const full = fill();
      const sending = new AbortController();
      const [gone, alsoGone, stays] = [
        producer.send(of(-1), { signal: sending.signal }),
        producer.send(of(-1), { signal: sending.signal }),
        producer.send(of(full)),
      ];
      sending.abort("too late");
      for (const send of [gone, alsoGone]) await assert.rejects(send!, (reason) => reason === "too late");
      const numbers: unknown[] = [];
      void stays!.then(() => producer.close());
      for await (const message of consumer) numbers.push(numberIn(message));
      assert.deepEqual(numbers, [...new Array(full + 1).keys()]);
    });

    it("ends an iteration by its signal, with each message that was taken passed on", async () => {
      const { producer, consumer, fill } = pair();
      const full = fill();
      const ending = new AbortController();
      const numbers: unknown[] = [];
      for await (const message of consumer) if (numbers.push(numberIn(message)) === 1) break;
      await assert.rejects(
        async () => {
          for await (const message of consumer.messages({ signal: ending.signal })) {
            numbers.push(numberIn(message));
            if (numbers.length === 2) ending.abort("enough");
          }
        },
        (reason) => reason === "enough",
      );
      producer.close();
      for await (const message of consumer) numbers.push(numberIn(message));
      assert.deepEqual(numbers, [...new Array(full).keys()]);
    });

    it("leaves one waiter behind, whatever number of receives gave up, and it wakes the next", async (t) => {
      const { producer, consumer } = pair();
      const { mock } = t.mock.method(Atomics, "waitAsync");
      for (let given = 0; given < 5; given++) {
        const signal = AbortSignal.timeout(1);
        await assert.rejects(consumer.receive({ signal }), { name: "TimeoutError" });
      }
      const received = consumer.receive();
      await producer.send(of(9));
      assert.equal(numberIn(await received), 9);
      assert.equal(mock.callCount(), 1);
    });

    it("is drained once its producers are closed, and sends that wait reject", async () => {
      const { queue, producer, consumer, fill } = pair();
      const full = fill();
      const waits = producer.send(of(full));
      closeQueue(queue);
      await assert.rejects(waits, /^Error: send: this producer is closed, and sends no more$/);
      assert.equal(producer.isClosed, true);
      for (let number = 0; number < full; number++) assert.equal(numberIn(consumer.receiveSync()), number);
      assert.deepEqual(
        [consumer.isDone, consumer.receiveSync(), await consumer.receive()],
        [false, undefined, undefined],
      );
      assert.equal(consumer.isDone, true);
    });

    it("lets the event loop have its turns while there is always a message", async () => {
      const { producer, consumer, fill } = pair();
      fill();
      let turned = false;
      setImmediate(() => {
        turned = true;
      });
      for await (const _ of consumer) {
        if (turned) producer.close();
        else producer.trySend(of(0));
      }
      assert.ok(turned);
    });

    it("loses nothing between threads that block and threads that await", async () => {
      const [producers, consumers, count] = [2, 2, 2_000];
      const queue = create({ producers, consumers });
      const sources = [
        ...["producer.sendSync(of(number))", "await producer.send(of(number))"].map(
          (send) => `const producer = attachProducer(queue, index);
            for (let number = 0; number < ${count}; number++) ${send};
            producer.close();`,
        ),
        "const consumer = attachConsumer(queue, index); for (let one; (one = consumer.receiveSync()) !== undefined; ) take(one);",
        "for await (const one of attachConsumer(queue, index)) take(one);",
      ];
      const threads = sources.map((source, seat) => thread(name, source, queue, seat % 2));
      const taken = (await Promise.all(threads.slice(producers).map((one) => once(one, "message")))).map(
        ([numbers]) => numbers as number[],
      );
      const all = taken.flat().sort((a, b) => a - b);
      assert.deepEqual(
        all,
        [...new Array(producers * count).keys()].map((at) => Math.floor(at / producers)),
      );
    });

    it("goes on where a producer and a consumer were terminated, and loses a message of each at most", async () => {
      const queue = create({ producers: 2, consumers: 2 });
      const counts = new Int32Array(new SharedArrayBuffer(8));
      const endless = [
        "const producer = attachProducer(queue, index); for (;;) { producer.sendSync(of(1)); Atomics.add(counts, 0, 1); }",
        "const consumer = attachConsumer(queue, index); for (;;) { consumer.receiveSync(); Atomics.add(counts, 1, 1); Atomics.notify(counts, 1); }",
      ].map((source, side) => adopt(thread(name, source, queue, 1, counts), 2 * side + 1, queue));
      while (Atomics.load(counts, 1) < 1_000)
        await Atomics.waitAsync(counts, 1, Atomics.load(counts, 1)).value;
      for (const one of endless) await one.terminate();
      closeQueue(queue, 1);
      const producer = attachProducer(queue, 0);
      const consumer = attachConsumer(queue, 0);
      let left = 0;
      while (consumer.tryReceive() !== undefined) left++;
      const lost = counts[0]! - counts[1]! - left;
      assert.ok(lost >= -1 && lost <= 1, `${lost} lost`);
      await producer.send(of(3));
      producer.close();
      assert.deepEqual([numberIn(consumer.receiveSync()), consumer.receiveSync()], [3, undefined]);
      attachConsumer(queue, 1);
      attachProducer(queue, 1);
    });
  });
}

/** A worker whose code has the queue, its index, and what makes messages and takes them. */
function thread(kind: string, source: string, queue: Queue, index: number, counts?: Int32Array): Worker {
  const text = `const { parentPort, workerData: { url, queue, index, counts } } = require("node:worker_threads");
    const of = ${kind === "words" ? "(number) => Int32Array.of(number, ~number)" : "(number) => String(number).padStart(4)"};
    const numbers = [];
    const take = (one) => numbers.push(${kind === "words" ? "one[0]" : "Number(Buffer.from(one))"});
    import(url).then(async ({ attachProducer, attachConsumer }) => {
      ${source}
      parentPort.postMessage(numbers);
    });`;
  return new Worker(text, { eval: true, workerData: { url: MODULE, queue, index, counts } });
}

it("crosses by structured clone, and its seats have one holder each", () => {
  const queue = createQueue({ words: 1, capacity: 3 });
  assert.equal(queue.capacity, 4);
  attachProducer(structuredClone(queue), 0).trySend(Int32Array.of(5));
  assert.throws(() => attachProducer(queue, 0), /seat 0 is taken/);
  freeSeat(queue, 0);
  attachProducer(queue, 0);
  assert.deepEqual([...attachConsumer(queue, 0).receiveSync()!], [5]);
});

itRefusesAsWritten(
  "a queue refuses in a line each what it cannot do",
  new URL("./testdata/queue-refusals.txt", import.meta.url),
  () => {
    const words = createQueue({ words: 2, capacity: 2 });
    const frames = createQueue({ frames: 4, capacity: 16 });
    const closed = attachProducer(createQueue({ words: 1, capacity: 2 }), 0);
    closed.close();
    return {
      ...{ createQueue, attachProducer, attachConsumer, words, frames, closed },
      producer: attachProducer(words, 0),
      consumer: attachConsumer(words, 0),
      lines: attachProducer(frames, 0),
      aborted: AbortSignal.abort("over"),
    };
  },
);
