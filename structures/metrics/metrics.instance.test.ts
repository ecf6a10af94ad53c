import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, it } from "node:test";
import { Worker } from "node:worker_threads";
import { register } from "prom-client";
import { freeSeat } from "../shared/instance.ts";
import { STRIDE_WORDS } from "../shared/layout.ts";
import { Random } from "../shared/sfc32.ts";
import {
  attachMetrics,
  type MetricsOptions,
  makeMetrics,
  readMetrics,
  readSeries,
} from "./metrics.instance.ts";
import { LEAST_ERROR } from "./parts/buckets.ts";
import { registerMetrics } from "./parts/prometheus.ts";

const ASKED = {
  workers: 2,
  counters: { requests_total: "requests answered", bytes_total: "bytes sent" },
  histograms: { latency_seconds: { help: "time to the last byte, in s" } },
};
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
    const labels = { method: ["GET", "POST"], status: [200, 404] };
    const histograms = { seconds: { help: "time, in s", labels, buckets: [0.5, 1] } };
    const instance = makeMetrics({
      workers: 2,
      counters: { total: { help: "requests", labels } },
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
    const missing = "total: method is missing: call total.labels({ method, status })";
    for (const [call, message] of [
      [() => total.add(), missing],
      [() => total.labels({ status: 200 }), missing],
      [() => seconds.record(1), "seconds: method is missing: call seconds.labels({ method, status })"],
      [() => seconds.startTimer()(), /^seconds: method is missing: /],
      [
        () => total.labels({ method: "PUT", status: 200 }),
        'total: method "PUT" is none of its values: give it in makeMetrics, or count it as another',
      ],
      [
        () => total.labels({ method: "GET", status: 200, route: "/" }),
        "total: there is no label route: call total.labels({ method, status })",
      ],
      [
        () => attachMetrics(made(), 0).requests_total.labels({ route: "/" }),
        "requests_total: there is no label route: it has none",
      ],
      [() => readSeries(instance, "totals" as "total"), /^there is no metric 'totals': there are /],
    ] as const)
      assert.throws(call, { name: "RangeError", message });
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

  it("refuse what is no count and no value, in one line, and count nothing of it", () => {
    const instance = makeMetrics({ ...ASKED, gauges: { open: "open connections" } });
    const { requests_total, latency_seconds, open } = attachMetrics(instance, 0);
    for (const [n, name, message] of [
      [-1, "RangeError", "add: -1 would lower the counter: a counter only rises"],
      [Number.NaN, "TypeError", "add: NaN is not a finite number"],
      [Number.POSITIVE_INFINITY, "TypeError", "add: Infinity is not a finite number"],
      [
        0.5,
        "RangeError",
        "add: 0.5 is not an integer up to 2^53 - 1: count in a smaller unit, such as bytes or microseconds",
      ],
    ] as const)
      assert.throws(() => requests_total.add(n), { name, message });
    for (const [value, name, message] of [
      [-1, "RangeError", "record: -1 is negative: record values of 0 or more"],
      [Number.NaN, "TypeError", "record: NaN is not a finite number"],
      ["7.5", "TypeError", "record: '7.5' is not a finite number"],
      [7n, "TypeError", "record: 7n is not a finite number"],
      [1e300, "RangeError", /^record: 1e\+300 is more than \d+.*, up to which sums are exact$/],
    ] as const)
      assert.throws(() => latency_seconds.record(value as number), { name, message });
    const behind = {
      name: "TypeError",
      message: /^(add|set|record) takes a number alone: labels come before/,
    };
    const loosely = (method: unknown) => method as (...given: unknown[]) => void;
    const labels = { route: "/" };
    for (const call of [
      () => loosely(requests_total.add)(1, labels),
      () => loosely(requests_total.add)(labels),
      () => loosely(latency_seconds.record)(1, labels),
      () => loosely(open.set)(1, labels),
      () => loosely(open.add)(1, labels),
    ])
      assert.throws(call, behind);
    assert.throws(() => open.set("1" as never), { message: "set: '1' is not a finite number" });
    assert.throws(() => open.add(Number.NaN), { message: "add: NaN is not a finite number" });
    const readings = readMetrics(instance);
    assert.equal(readings.requests_total, 0);
    assert.equal(readings.latency_seconds.count, 0);
    assert.equal(readings.latency_seconds.sum, 0);
    assert.ok(Number.isNaN(readings.latency_seconds.quantile(0.5)));
    assert.throws(() => readings.latency_seconds.quantile(50), { message: "quantile 50 is not in 0 .. 1" });
  });

  it("are refused in one line before any memory is taken", () => {
    const none = { workers: 1 } as const;
    const labelled = (labels: object) => ({ ...none, counters: { a: { help: "a", labels } } });
    const histogram = (range: object) => ({ ...none, histograms: { h: { help: "h", ...range } } });
    for (const [options, message] of [
      [none, "no metrics: give counters, gauges or histograms"],
      [{ ...none, counter: {} }, /^makeMetrics: there is no option 'counter': it takes workers, counters, /],
      [histogram({ bucket: [1] }), /^h: there is no option 'bucket': it takes help, labels, from, to, /],
      [histogram({ buckets: [1, 1] }), /^h: buckets 1,1 are no bounds: give numbers above 0, each more /],
      [histogram({ buckets: [] }), /^h: buckets {2}are no bounds: /],
      [histogram({ buckets: [0, 1] }), /^h: buckets 0,1 are no bounds: /],
      [histogram({ buckets: [1, "2"] }), /^h: buckets 1,2 are no bounds: /],
      [histogram({ buckets: [1], to: 2 }), "h: buckets take the place of from, to and error: give either"],
      [histogram({ buckets: [1e-9, 1e9] }), /^h: the last bucket is more than 2\^46 times the first/],
      [labelled({ "a-b": ["c"] }), 'a: "a-b" is no name for a label'],
      [labelled({ __a: ["c"] }), 'a: "__a" is no name for a label'],
      [histogram({ labels: { le: ["1"] } }), 'h: "le" is no name for a label'],
      [labelled({ b: [] }), "a: label b has no list of values: give the ones that it may have"],
      [labelled({ b: "c" }), /^a: label b has no list of values: /],
      [labelled({ b: [{}] }), /^a: label b has no list of values: /],
      [labelled({ b: [200, "200"] }), "a: label b has a value twice"],
      [
        labelled({ b: [...Array(300).keys()], c: [...Array(300).keys()] }),
        "a: 90000 combinations of labels are more than 65536",
      ],
      [
        { ...none, gauges: { a: { help: "a", aggregator: "average" } } },
        'a: aggregator "average" is neither "sum", "min" nor "max"',
      ],
      [{ workers: 0, counters: { a: "a" } }, "workers 0 is not an integer in 1 .. 65536"],
      [
        { ...none, counters: { "http-requests": "r" } },
        '"http-requests" is no name for Prometheus: use letters, digits, _ and :, and no digit first',
      ],
      [{ ...none, counters: { "2xx": "r" } }, /^"2xx" is no name for Prometheus: /],
      [{ ...none, counters: { a: " " } }, "a has no help text: say in a line what it counts"],
      [{ ...none, counters: ["requests"] }, /^"0" is no name for Prometheus: /],
      [
        { ...none, counters: { h_sum: "s" }, histograms: { h: { help: "h" } } },
        "Prometheus would show h_sum twice: rename one metric (a histogram also has _bucket, _sum and _count)",
      ],
      [
        { ...none, counters: { h: "s" }, histograms: { h: { help: "h" } } },
        /^Prometheus would show h twice: /,
      ],
      [histogram({ help: undefined }), "h has no help text: say in a line what it counts"],
      [histogram({ from: 0 }), "h: from 0 to 100 is no range: give 0 < from < to, within 2^-1000 .. 2^1000"],
      [histogram({ from: 200 }), /^h: from 200 to 100 is no range: /],
      [histogram({ from: 100 }), /^h: from 100 to 100 is no range: /],
      [histogram({ error: 0 }), `h: error 0 is not in ${LEAST_ERROR} .. 0.5`],
      [histogram({ error: 0.6 }), `h: error 0.6 is not in ${LEAST_ERROR} .. 0.5`],
      [
        histogram({ from: 1e-30, to: 1e30, error: LEAST_ERROR }),
        "h: 204802 buckets are more than 65536: give a shorter range or a larger error",
      ],
    ] as const)
      assert.throws(() => makeMetrics(options as MetricsOptions<string, string>), { message });
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
    assert.throws(() => attachMetrics(instance, 0), { message: /^seat 0 is taken: / });
    freeSeat(instance, 0);
    attachMetrics(instance, 0).requests_total.add(3);
    assert.equal(readMetrics(instance).requests_total, 5);
    assert.throws(() => attachMetrics(instance, 2), RangeError);
    assert.throws(() => readMetrics(JSON.parse(JSON.stringify(instance))), { message: /went through JSON/ });
    assert.throws(() => readMetrics({ ...instance, workers: 3 }), {
      message: "workers 3 is not the 2 that this instance was made for: make another",
    });
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
