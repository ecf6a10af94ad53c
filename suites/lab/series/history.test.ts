import assert from "node:assert/strict";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, describe, it } from "node:test";
import { golden } from "../../engine/golden.trials.ts";
import { type SyntheticGroup, syntheticGroup } from "../../engine/judge/judge.synthetic.ts";
import { judgeScenario } from "../../engine/judge/judge.ts";
import { syntheticRecord } from "../schema/record.synthetic.ts";
import { syntheticLine } from "./history.synthetic.ts";
import { appendLines, checkAppendable, type HistoryLine, linesOf, readHistory } from "./history.ts";

const folder = mkdtempSync(join(tmpdir(), "hotpath-history-"));
after(() => rmSync(folder, { recursive: true }));
const path = join(folder, "deep", "history.ndjson");
beforeEach(() => rmSync(join(folder, "deep"), { recursive: true, force: true }));

const nights = [0, 1, 2].map((night) => syntheticLine(night));
const text = (lines: readonly HistoryLine[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join("");

function write(content: string | Buffer): void {
  mkdirSync(join(folder, "deep"), { recursive: true });
  writeFileSync(path, content);
}

describe("a history", () => {
  it("that is not there is empty, as one without lines is", () => {
    assert.deepEqual(readHistory(path), { lines: [], damaged: [] });
    for (const blank of ["", "\n\n"]) {
      write(blank);
      assert.deepEqual(readHistory(path), { lines: [], damaged: [] });
    }
  });

  it("comes back as it was appended, in that order and not in that of its times", () => {
    const order = [nights[2]!, nights[0]!, nights[1]!];
    for (const line of order) assert.deepEqual(appendLines(path, [line]), [line]);
    assert.deepEqual(readHistory(path), { lines: order, damaged: [] });
  });

  it("is only ever appended to: what was there stays, byte for byte", () => {
    write(`not a line\n${text([nights[0]!])}`);
    const before = readFileSync(path, "utf8");
    appendLines(path, [nights[1]!]);
    assert.equal(readFileSync(path, "utf8"), before + text([nights[1]!]));
  });

  it("that ends in half a line does not swallow the next night", () => {
    const whole = text(nights.slice(0, 2));
    for (const cut of [1, 20, JSON.stringify(nights[1]).length]) {
      const torn = whole.slice(0, -1 - cut);
      write(torn);
      assert.deepEqual(readHistory(path).lines, [nights[0]]);
      assert.deepEqual(appendLines(path, [nights[2]!]), [nights[2]]);
      const { lines, damaged } = readHistory(path);
      assert.deepEqual(lines, [nights[0], nights[2]]);
      // Cut off behind its predecessor's end there is nothing left of it.
      assert.deepEqual(
        damaged,
        torn.endsWith("\n") ? [] : [{ line: 2, reason: "is not JSON: cut off or overwritten" }],
      );
      assert.ok(readFileSync(path, "utf8").startsWith(torn));
      // The night again adds what was lost, and only that.
      assert.deepEqual(appendLines(path, nights), [nights[1]]);
    }
  });

  it("that ends in a whole line without its end goes on below it", () => {
    write(text(nights.slice(0, 2)).slice(0, -1));
    assert.deepEqual(readHistory(path).lines, nights.slice(0, 2));
    appendLines(path, [nights[2]!]);
    assert.deepEqual(readHistory(path), { lines: nights, damaged: [] });
  });

  it("reports a competitor by its name of today, and takes no night twice for having changed it", () => {
    const competitors = new Map([
      ["rival", "renamed"],
      ["baseline", "base"],
    ]);
    const formerNames = new Map([["synthetic", competitors]]);
    const today = { ...nights[0]!, cell: "synthetic/test/renamed/1w", baseline: "base" };
    write(text([nights[0]!]));
    assert.deepEqual(readHistory(path, formerNames).lines, [today]);
    assert.deepEqual(appendLines(path, [today], formerNames), []);
  });

  it("takes nothing twice", () => {
    assert.deepEqual(appendLines(path, nights), nights);
    const before = readFileSync(path);
    assert.deepEqual(appendLines(path, nights), []);
    assert.deepEqual(readFileSync(path), before);
    // The same cell of another night, commit or name is another line.
    const others = [
      { ...nights[0]!, at: "2026-01-01T02:00:00.001Z" },
      { ...nights[0]!, commit: "f".repeat(40) },
      { ...nights[0]!, cell: "synthetic/test/rival/1w/reader" },
    ];
    assert.deepEqual(appendLines(path, others), others);
  });

  it("leaves out what is damaged, and says where and why", (test) => {
    const good = text(nights).trimEnd().split("\n");
    const wrong = [
      { version: 99 },
      { version: "1" },
      { workers: 1e308 },
      { baseline: "../\u001b[31m" },
      { ratio: "1" },
      { ratio: 0 },
      { cell: "nowhere" },
      { at: "yesterday" },
      { extra: 1 },
      { at: "2026-99-01T02:00:00Z" },
    ].map((other) => JSON.stringify({ ...nights[1], ...other }));
    const lines = [
      good[0],
      Buffer.from([0xff, 0x00, 0xfe, 0x80, 0x0d, 0x7b]),
      Buffer.alloc(300),
      ...[good[1], "null", "[1, 2]", ...wrong],
      good[1]!.replace('"ratio":0.5', '"ratio":1e400'),
      ...[good[0], `${good[2]}\r`],
    ];
    write(Buffer.concat(lines.flatMap((line) => [Buffer.from(line as Buffer), Buffer.from("\n")])));
    const history = readHistory(path);
    assert.deepEqual(history.lines, nights);
    const said = history.damaged.map(({ line, reason }) => `line ${line} ${reason}\n`);
    golden(test, "testdata/damaged-lines.txt", said.join(""));
  });

  it("loses no line to a byte order mark or to line ends of another system", () => {
    write(`\ufeff${text(nights).replaceAll("\n", "\r\n")}`);
    assert.deepEqual(readHistory(path), { lines: nights, damaged: [] });
  });

  it("that cannot be read or appended to is refused in one line that says how to choose another", () => {
    mkdirSync(path, { recursive: true });
    const refusal = (error: Error) => /--history FILE/.test(error.message) && !error.message.includes("\n");
    assert.throws(() => readHistory(path), refusal);
    assert.throws(() => checkAppendable(path), refusal);
    writeFileSync(join(folder, "file"), "");
    assert.throws(() => checkAppendable(join(folder, "file", "history.ndjson")), refusal);
    checkAppendable(join(folder, "new", "history.ndjson"));
    assert.deepEqual(readdirSync(join(folder, "new")), [], "a night that appends nothing leaves no file");
  });

  it("takes a night in one piece, behind whatever another process has appended meanwhile", () => {
    appendLines(path, [nights[0]!]);
    appendFileSync(path, text([nights[1]!]));
    appendLines(path, [nights[2]!]);
    assert.deepEqual(readHistory(path).lines, nights);
  });
});

describe("the lines of a record", () => {
  const truth: SyntheticGroup = {
    costsNs: { baseline: 20, quick: 10, slow: 30 },
    workers: 2,
    forks: 4,
    rounds: 20,
    sliceNoise: 0.01,
    forkNoise: 0.005,
    roundNoise: 0.1,
    seed: 3,
  };
  const group = syntheticGroup(truth);
  const record = syntheticRecord([group], 9);

  it("say what the record's table says, and fit the history", () => {
    const lines = linesOf(record);
    const { rows, conditions } = judgeScenario([group]);
    const six = (figure: number) => Number(figure.toPrecision(6));
    const common = { ...syntheticLine(0), at: record.startedAt, commit: record.commit!.hash };
    const expected = rows.flatMap((row) => {
      if (row.kind === "aa-control" || row.noNumber !== undefined) return [];
      const { value, low, high } = row.ratio ?? {};
      const [ratio, from, to] = [value, low, high].map((figure) =>
        figure === undefined ? null : six(figure),
      );
      return {
        ...common,
        runtime: `${record.runtime.name} ${record.runtime.version}`,
        profile: record.profile,
        cell: row.cell,
        workers: 2,
        state: "any",
        medianNs: six(row.median),
        floor: six(conditions[0]!.floors[0]!),
        ...{ ratio, low: from, high: to, forks: row.forks, verdict: row.verdict },
      };
    });
    assert.equal(expected.length, 3);
    assert.deepEqual(lines, expected);
    appendLines(path, lines);
    assert.deepEqual(readHistory(path), { lines, damaged: [] });
  });

  it("do not depend on what else was raced that night", () => {
    const costsNs = { baseline: 20, a: 25, b: 25, c: 25, d: 25, e: 25, f: 25 };
    const other = syntheticGroup({ ...truth, costsNs, seed: 8 });
    const both = linesOf(syntheticRecord([group, other], 9));
    for (const line of linesOf(record))
      assert.deepEqual(
        both.find(({ cell }) => cell === line.cell),
        line,
      );
    assert.equal(both.filter(({ cell }) => cell === "synthetic/test/baseline/2w").length, 1);
    assert.equal(both.length, 9);
  });

  it("say why a cell has no number", () => {
    const failure = { kind: "law" as const, reason: "two holders at once" };
    const cells = group.cells.map((cell) =>
      cell.competitor === "quick" ? { ...cell, failure, forks: 0, roles: {} } : cell,
    );
    const lines = linesOf(syntheticRecord([{ ...group, cells }], 9));
    const quick = lines.find(({ cell }) => cell === "synthetic/test/quick/2w")!;
    assert.deepEqual(
      [quick.medianNs, quick.ratio, quick.verdict, quick.reason, quick.forks],
      [null, null, "no number", "two holders at once", 0],
    );
    appendLines(path, lines);
    assert.deepEqual(readHistory(path), { lines, damaged: [] });
  });

  it("belong to commits", () => {
    for (const commit of [null, { hash: "a".repeat(40), dirty: true }]) {
      assert.throws(() => linesOf({ ...record, commit }), /belong to commits/);
    }
    assert.throws(() => linesOf({ ...record, size: "smoke" }), /smoke size/);
  });
});
