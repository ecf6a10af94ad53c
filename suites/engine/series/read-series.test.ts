import assert from "node:assert/strict";
import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { casesRun } from "../cases.synthetic.ts";
import { golden } from "../golden.trials.ts";
import { withScratch } from "../measure/machine/scratch.ts";
import { type Format, type NamedSeries, seriesIn } from "./read-series.ts";

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

/** A series on a line, and each of its points; or why there is none. */
async function outcome(format: Format, texts: readonly string[]): Promise<string> {
  try {
    const all = await read(format, ...texts);
    const lines = all.flatMap(({ name, unit = "no unit", isLargerBetter, points }) => [
      `${name}: ${unit}${isLargerBetter === undefined ? "" : `, larger is better: ${isLargerBetter}`}`,
      ...points.map(({ at, commit, value }) => `  ${at} ${commit ?? "-"} ${Number(value.toPrecision(9))}`),
    ]);
    return lines.join("\n");
  } catch (error) {
    return (error as Error).message.replaceAll(/\S*\/(?=\d)/g, "");
  }
}

describe("series of other tools", () => {
  it("are read of CSV, data.js and Bencher's JSON, or refused with the place that is wrong", async (test) => {
    const file = "testdata/read-series.md";
    const text = await casesRun(test, file, (files) => {
      const format = ({ csv: "csv", json: "data", bencher: "bencher" } as const)[files[0]!.language]!;
      return outcome(
        format,
        files.map((one) => one.text),
      );
    });
    golden(test, file, text);
  });

  it("may begin with a mark of byte order, have line ends of another system, and names that hide nothing", async () => {
    const csv = "\ufeffseries,index,value\r\na\u001b[2Jb,1,1\r\n\r\n";
    assert.equal(await outcome("csv", [csv]), "a [2Jb: no unit\n  1 - 1");
    const data = { entries: { "Ru\u001b[2Jst": {} } };
    assert.equal(await outcome("data", [JSON.stringify(data)]), "0: entries.Ru [2Jst is no list");
  });

  it("are not read of a file that is too large, and are not too many", async () => {
    await withScratch("series", async (folder) => {
      const file = join(folder, "large");
      writeFileSync(file, "");
      truncateSync(file, 2 ** 26 + 1);
      assert.throws(
        () => seriesIn([file], "csv"),
        /large cannot be read: it has 67108865 bytes, and at most 67108864/,
      );
    });
    const many = Array.from({ length: 2001 }, (_, index) => `s${index},1,1`).join("\n");
    assert.match(
      await outcome("csv", [`series,index,value\n${many}`]),
      /has 2001 series: at most 2000 are judged$/,
    );
  });
});
