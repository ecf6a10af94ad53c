import assert from "node:assert/strict";
import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { withScratch } from "../../measure/machine/scratch.ts";
import { type Format, type NamedSeries, seriesIn } from "./series-files.ts";

/** The series in files of these texts. */
function read(format: Format, ...texts: readonly string[]): Promise<NamedSeries[]> {
  return withScratch("series", async (folder) => {
    const files = texts.map((text, place) => {
      const file = join(folder, `${place}`);
      writeFileSync(file, text);
      return file;
    });
    return seriesIn(files, format);
  });
}

function refuses(format: Format, cases: readonly (readonly [text: string, line: string])[]) {
  return async () => {
    for (const [text, line] of cases) await assert.rejects(read(format, text), { message: line });
  };
}

describe("CSV", () => {
  it("has its series by name, sorted by date, with quoted fields over several lines", async () => {
    const text =
      'value,Date,series,unit,commit\r\n2,2026-11-02,"a ""quoted"", one",ns,c2\r\n\r\n1,2026-11-01,"a ""quoted"", one",ns,\r\n7,2026-11-01T10:00:00Z,"two\nlines",,c1';
    assert.deepEqual(await read("csv", text), [
      {
        name: 'a "quoted", one',
        unit: "ns",
        points: [
          { at: "2026-11-01", value: 1 },
          { at: "2026-11-02", commit: "c2", value: 2 },
        ],
      },
      { name: "two lines", points: [{ at: "2026-11-01T10:00:00Z", commit: "c1", value: 7 }] },
    ]);
  });

  it("is sorted by index as numbers where it has no date, over all files", async () => {
    const [series] = await read("csv", "series,index,value\na,10,3\na,9,2\n", "series,index,value\na,1,1\n");
    assert.deepEqual(
      series!.points.map(({ at, value }) => [at, value]),
      [
        ["1", 1],
        ["9", 2],
        ["10", 3],
      ],
    );
  });

  it("has all points of a series in the unit of its newest", async () => {
    const header = "series,index,value,unit\n";
    const valuesOf = async (...rows: string[]) => {
      const [series] = await read("csv", `${header}${rows.join("\n")}`);
      return [series!.unit, ...series!.points.map(({ value }) => Number(value.toPrecision(9)))];
    };
    assert.deepEqual(await valuesOf("a,1,1500,ns", "a,2,1.5,us", "a,3,0.0015,ms"), [
      "ms",
      0.0015,
      0.0015,
      0.0015,
    ]);
    assert.deepEqual(await valuesOf("a,2,1500,ns/iter", "a,1,3,µs/iter"), ["ns/iter", 3000, 1500]);
    assert.deepEqual(await valuesOf("a,1,2,kops/sec", "a,2,2000,ops/s"), ["ops/s", 2000, 2000]);
  });

  it(
    "is refused where units of a series are of two kinds",
    refuses("csv", [
      [
        "series,index,value,unit\na,1,10,ns\na,2,5,ops/s\n",
        "a has the unit ns, at 1, and the unit ops/s, at 2: give each a series of its own",
      ],
      [
        "series,index,value,unit\na,1,10,\na,2,5,ms\n",
        "a has no unit, at 1, and the unit ms, at 2: give each a series of its own",
      ],
      [
        "series,index,value,unit\na,1,10,ns/iter\na,2,5,us/op\n",
        "a has the unit ns/iter, at 1, and the unit us/op, at 2: give each a series of its own",
      ],
    ]),
  );

  it(
    "is refused with the line that is wrong",
    refuses("csv", [
      ["", "0 line 1: no column series; it needs series, value, and date or index"],
      ["series,index\n", "0 line 1: no column value; it needs series, value, and date or index"],
      ["series,value\n", "0 line 1: no column index; it needs series, value, and date or index"],
      ["series,index,value\na,1,2\n\na,2\n", "0 line 4: it has 2 fields, and the first line 3"],
      ["series,index,value\na,1,fast\n", '0 line 2: value is "fast": give a number, as 12.5'],
      ["series,index,value\na,1,\n", '0 line 2: value is "": give a number, as 12.5'],
      ["series,index,value\n,1,1\n", "0 line 2: series is empty: give its name"],
      ["series,date,value\na,12,1\n", '0 line 2: date is "12": give an ISO 8601 date, as 2026-11-20'],
      ['series,index,value\n"a\nb",1,2\n"c,1,2\n', "0 line 4: a quote that does not enclose a whole field"],
    ]),
  );
});

describe("data.js of github-action-benchmark", () => {
  const run = (date: number, benches: readonly object[], tool = "cargo") => ({
    commit: { id: `c${date}` },
    date,
    tool,
    benches,
  });
  const data = (entries: object) => `window.BENCHMARK_DATA = ${JSON.stringify({ entries }, undefined, 1)};\n`;
  const fib = { name: "fib", value: 2, range: "± 1", unit: "ns/iter" };

  it("has a series for each benchmark of each suite, sorted by date; names that repeat in a run are apart", async () => {
    const series = await read(
      "data",
      data({
        Rust: [
          run(2000, [fib, { ...fib, value: 20 }, { ...fib, name: "fib (2)", value: 9 }], "constructor"),
          run(1000, [{ ...fib, value: 1 }]),
        ],
        Load: [run(1000, [{ name: "cpu", value: 50, unit: "Percent" }], "customBiggerIsBetter")],
      }),
    );
    assert.deepEqual(series, [
      {
        name: "Rust / fib",
        unit: "ns/iter",
        points: [
          { at: "1970-01-01T00:00:01.000Z", commit: "c1000", value: 1 },
          { at: "1970-01-01T00:00:02.000Z", commit: "c2000", value: 2 },
        ],
      },
      {
        name: "Rust / fib (2)",
        unit: "ns/iter",
        points: [{ at: "1970-01-01T00:00:02.000Z", commit: "c2000", value: 20 }],
      },
      {
        name: "Rust / fib (2) (2)",
        unit: "ns/iter",
        points: [{ at: "1970-01-01T00:00:02.000Z", commit: "c2000", value: 9 }],
      },
      {
        name: "Load / cpu",
        unit: "Percent",
        isLargerBetter: true,
        points: [{ at: "1970-01-01T00:00:01.000Z", commit: "c1000", value: 50 }],
      },
    ]);
  });

  it("is not executed, and refused with the line or the place that is wrong", async () => {
    const broken = data({ Rust: [run(1000, [fib])] });
    const lines = broken.split("\n");
    const at = (line: number, text: string) => lines.with(line - 1, text).join("\n");
    await refuses("data", [
      ["window.BENCHMARK_DATA = (() => process.exit(9))()", "0 line 1: it is not JSON from there on"],
      [at(5, '"commit": nothing,'), "0 line 5: it is not JSON from there on"],
      [at(5, '"commit": "open,'), "0 line 5: it is not JSON from there on"],
      [lines.slice(0, 6).join("\n"), "0 line 6: it is not JSON from there on"],
      ["window.BENCHMARK_DATA = []", "0 is no object"],
      [
        data({ Rust: [run(1000, [{ ...fib, value: "2" }])] }),
        "0: entries.Rust[0].benches[0].value is 2: give a number",
      ],
      [data({ Rust: [run(1e20, [fib])] }), "0: entries.Rust[0].date is no time in milliseconds"],
      [data({ "Ru\u001b[2Jst": {} }), "0: entries.Ru [2Jst is no list"],
    ])();
  });
});

describe("Bencher's JSON", () => {
  it("of its metric format has a point for each file, in their order, with the units of its own measures", async () => {
    const bmf = (value: number) =>
      JSON.stringify({ parse: { latency: { value, lower_value: 0 }, throughput: { value: 1 / value } } });
    assert.deepEqual(await read("bencher", `\ufeff${bmf(8)}`, bmf(4)), [
      {
        name: "parse / latency",
        unit: "ns",
        points: [
          { at: "0", value: 8 },
          { at: "1", value: 4 },
        ],
      },
      {
        name: "parse / throughput",
        unit: "ops/s",
        points: [
          { at: "0", value: 0.125 },
          { at: "1", value: 0.25 },
        ],
      },
    ]);
  });

  it("of a perf query has a series for each line, and lines of one name are apart", async () => {
    const line = (value: number) => ({
      branch: { name: "main" },
      testbed: { name: "ci" },
      benchmark: { name: "parse" },
      measure: { name: "Latency", units: "nanoseconds (ns)" },
      metrics: [
        { start_time: "2026-11-02T00:00:00Z", version: { number: 2, hash: "b2" }, metric: { value } },
        { start_time: "2026-11-01T00:00:00Z", version: { number: 1 }, metric: { value: 1 } },
      ],
    });
    const [one, other] = await read("bencher", JSON.stringify({ results: [line(2), line(3)] }));
    assert.deepEqual(one, {
      name: "parse / Latency / main / ci",
      unit: "nanoseconds (ns)",
      points: [
        { at: "2026-11-01T00:00:00Z", value: 1 },
        { at: "2026-11-02T00:00:00Z", commit: "b2", value: 2 },
      ],
    });
    const undated = { ...line(2), metrics: [{ metric: { value: 1 } }] };
    await assert.rejects(read("bencher", JSON.stringify({ results: [undated] })), {
      message: "0: results[0].metrics[0].start_time is no ISO 8601 date",
    });
    assert.deepEqual([other!.name, other!.points.at(-1)!.value], ["parse / Latency / main / ci (2)", 3]);
  });

  it(
    "is refused with the place that is wrong",
    refuses("bencher", [
      ['{"parse": {"latency": 3}}', "0: parse.latency is no object"],
      ['{"parse": {"latency": {"value": null}}}', "0: parse.latency.value is null: give a number"],
      ['{"results": [{"metrics": []}]}', "0: results[0].benchmark is no object"],
    ]),
  );
});

it("a file may not be too large, have no series, or too many; names hide nothing", async () => {
  await withScratch("series", async (folder) => {
    const file = join(folder, "large");
    writeFileSync(file, "");
    truncateSync(file, 2 ** 26 + 1);
    assert.throws(
      () => seriesIn([file], "csv"),
      /large cannot be read: it has 67108865 bytes, and at most 67108864/,
    );
  });
  await assert.rejects(read("csv", "series,index,value\n"), /has no series$/);
  const many = Array.from({ length: 2001 }, (_, index) => `s${index},1,1`).join("\n");
  await assert.rejects(
    read("csv", `series,index,value\n${many}`),
    /has 2001 series: at most 2000 are judged$/,
  );
  const [{ name }] = (await read("csv", "series,index,value\na\u001b[2Jb,1,1\n")) as [NamedSeries];
  assert.equal(name, "a [2Jb");
});
