import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, it } from "node:test";
import { Worker } from "node:worker_threads";
import { register } from "prom-client";
import { itRefusesAsWritten } from "../interleave/calls.trials.ts";
import { freeSeat } from "../shared/instance.ts";
import { STRIDE_WORDS } from "../shared/layout.ts";
import { Random } from "../shared/sfc32.ts";
import { attachMetrics, makeMetrics, readMetrics, readSeries } from "./metrics.instance.ts";
import { registerMetrics } from "./parts/prometheus.ts";

const ASKED = {
  workers: 2,
  counters: { requests_total: "requests answered", bytes_total: "bytes sent" },
  histograms: { latency_seconds: { help: "time to the last byte, in s" } },
};
const LABELS = { method: ["GET", "POST"], status: [200, 404] };
const made = (workers = 2) => makeMetrics({ ...ASKED, workers });

describe("metrics", () => {
  it("are counted by workers under their names, and read by anyone", () => {
    const instance = made();
    const [one, two] = [0, 1].map((index) => attachMetrics(instance, index));
    one!.requests_total.add();
    two!.requests_total.add(3);
    one!.bytes_total.add(2 ** 33 + 1);
    two!.latency_seconds.record(0.25);
    const { requests_total, bytes_total, latency_seconds } = readMetrics(instance);
    assert.deepEqual([requests_total, bytes_total], [4, 2 ** 33 + 1]);
    assert.deepEqual([latency_seconds.count, latency_seconds.sum], [1, 0.25]);
    assert.ok(Math.abs(latency_seconds.quantile(0.5) - 0.25) <= 0.25 / 32);
  });

  it("with labels are counted by these alone, each under one handle", () => {
    const histograms = { seconds: { help: "time, in s", labels: LABELS, buckets: [0.5, 1] } };
    const instance = makeMetrics({
      workers: 2,
      counters: { total: { help: "requests", labels: LABELS } },
      histograms,
    });
    const { total, seconds } = attachMetrics(instance, 0);
    const found = total.labels({ status: 200, method: "GET" });
    assert.equal(total.labels({ method: "GET", status: "200" }), found);
    found.add(2);
    attachMetrics(instance, 1).total.labels({ method: "POST", status: 404 }).add(3);
    seconds.labels({ method: "GET", status: 404 }).record(0.75);
    assert.equal(readMetrics(instance).total, 5);
    assert.equal(readMetrics(instance).seconds.quantile(0.5), 0.75);
    assert.deepEqual(
      readSeries(instance, "total").map(({ labels, value }) => [labels.method, labels.status, value]),
      [
        ["GET", "200", 2],
        ["GET", "404", 0],
        ["POST", "200", 0],
        ["POST", "404", 3],
      ],
    );
  });

  it("have handles and readings of their names alone", () => {
    const instance = makeMetrics({ workers: 1, counters: { requests_total: "requests answered" } });
    // @ts-expect-error: there is no such metric.
    assert.equal(attachMetrics(instance, 0).latency_seconds, undefined);
    // @ts-expect-error: a count is a number, which would pass unnoticed if the types had become `any`.
    assert.equal(readMetrics(instance).requests_total.count, undefined);
  });

  it("are exact to 2^53, in any steps, and stop at 2^62", () => {
    const { memory, ...described } = made(1);
    const instance = { memory, ...described };
    const { requests_total: counter } = attachMetrics(instance, 0);
    const random = new Random(1);
    let expected = 0n;
    const adds = [0, 1, 2 ** 31 - 1, 2 ** 31, 2 ** 31 + 1, 2 ** 32, 2 ** 32 + 1, 2 ** 50 - 1];
    for (let count = 0; count < 2_000; count++) {
      const n = Math.floor(2 ** (52 * random.fraction() - 11 - Math.log2(1 + (count >> 8))));
      adds.push(n);
    }
    for (const n of adds) {
      counter.add(n);
      expected += BigInt(n);
      assert.equal(BigInt(readMetrics(instance).requests_total), expected);
    }
    assert.ok(expected > 2n ** 45n && expected < 2n ** 53n);
    for (let count = 0; count < 600; count++) counter.add(Number.MAX_SAFE_INTEGER);
    assert.equal(readMetrics(instance).requests_total, 2 ** 62);
    counter.add(1);
    assert.equal(readMetrics(instance).requests_total, 2 ** 62);
  });

  it("lie in lines of each worker's own, and depend on nothing that is given", () => {
    const counters: Record<string, string> = { requests_total: "requests answered" };
    const instance = makeMetrics({ workers: 3, counters });
    assert.equal(instance.memory.length, 3 * STRIDE_WORDS);
    counters.more_total = "not among them";
    assert.deepEqual(readMetrics(instance), { requests_total: 0 });
  });

  it("have one worker in a seat, and the next adds to what is there", () => {
    const instance = made();
    attachMetrics(instance, 0).requests_total.add(2);
    freeSeat(instance, 0);
    attachMetrics(instance, 0).requests_total.add(3);
    assert.equal(readMetrics(instance).requests_total, 5);
  });

  it("keep what a terminated worker has counted", async () => {
    const instance = made();
    const url = import.meta.resolve("./metrics.instance.ts");
    const program = `const { parentPort, workerData: { url, instance } } = require("node:worker_threads");
      import(url).then(({ attachMetrics }) => {
        const { requests_total, latency_seconds } = attachMetrics(instance, 1);
        requests_total.add(7);
        latency_seconds.record(0.5);
        parentPort.postMessage("counted");
        for (;;) requests_total.add(2 ** 31);
      });`;
    const worker = new Worker(program, { eval: true, workerData: { url, instance } });
    await once(worker, "message");
    await worker.terminate();
    freeSeat(instance, 1);
    const { requests_total, latency_seconds } = readMetrics(instance);
    assert.equal(requests_total % 2 ** 31, 7);
    assert.equal(latency_seconds.count, 1);
    attachMetrics(instance, 1).requests_total.add(1);
    assert.equal(readMetrics(instance).requests_total, requests_total + 1);
  });
});

describe("metrics refuse in a line, and count nothing of it", () => {
  const instance = makeMetrics({
    ...ASKED,
    counters: { ...ASKED.counters, total: { help: "requests", labels: LABELS } },
    histograms: { ...ASKED.histograms, seconds: { help: "time, in s", labels: LABELS, buckets: [0.5, 1] } },
    gauges: { open: "open connections" },
  });
  const handles = attachMetrics(instance, 0);

  itRefusesAsWritten("what they cannot take", new URL("testdata/refusals.txt", import.meta.url), () => ({
    ...handles,
    ...{ makeMetrics, attachMetrics, readMetrics, readSeries, instance },
    readings: readMetrics(instance),
    json: JSON.parse(JSON.stringify(instance)),
    labelled: (labels: object) =>
      makeMetrics({ workers: 1, counters: { a: { help: "a", labels } as never } }),
    histogram: (more: object) => makeMetrics({ workers: 1, histograms: { h: { help: "h", ...more } } }),
    counter: (name: string, help: string) => makeMetrics({ workers: 1, counters: { [name]: help } }),
  }));

  it("so that all stay as they were", () => {
    const { requests_total, total, open, latency_seconds } = readMetrics(instance);
    assert.deepEqual([requests_total, total, open], [0, 0, 0]);
    assert.deepEqual([latency_seconds.count, latency_seconds.sum], [0, 0]);
    assert.ok(Number.isNaN(latency_seconds.quantile(0.5)));
  });
});

describe("metrics in a registry of prom-client", () => {
  it("are refused where a name is taken, and left alone by a reset", async () => {
    const instance = made();
    registerMetrics(instance, register);
    try {
      assert.throws(() => registerMetrics(instance, register), {
        message: /requests_total has already been/,
      });
      attachMetrics(instance, 0).requests_total.add(5);
      register.resetMetrics();
      assert.match(await register.metrics(), /^requests_total 5$/m);
      const json = await register.getMetricsAsJSON();
      assert.deepEqual(
        json.map(({ name, values }) => [name, values.length]),
        [
          ["requests_total", 1],
          ["bytes_total", 1],
          ["latency_seconds", 25],
        ],
      );
    } finally {
      register.clear();
    }
  });
});
