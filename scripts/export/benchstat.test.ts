import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { judgeRecord } from "../../suites/engine/judge/judge.ts";
import { type BenchRecord, readRecord } from "../../suites/engine/schema/record.ts";
import { mean, median } from "../../suites/engine/statistics.ts";
import { publishedRecords } from "../../suites/lab/store/results.ts";
import { benchstat } from "./benchstat.ts";
import {
  everything,
  later,
  NUMBERLESS,
  raceOf,
  soleRole,
  stalledOnce,
  withCell,
} from "./export.synthetic.ts";
import { judgedSource } from "./figures.ts";

/** A result line as a processor of the format sees it, with the configuration that holds for it. */
interface Result {
  readonly name: string;
  readonly base: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly workers: number;
  readonly iterations: number;
  readonly values: ReadonlyMap<string, number>;
  readonly configuration: Readonly<Record<string, string>>;
}

/**
 * A parser of Go's benchmark format, from its specification alone (golang/proposal, design/14313-benchmark-format.md;
 * quoted below). It is stricter than the specification, where readers ignore unknown lines. A line here must be a
 * result, a configuration line, blank or a comment. Throws an Error for any other.
 */
function parse(text: string): Result[] {
  const results: Result[] = [];
  const configuration = new Map<string, string>();
  assert.ok(text.endsWith("\n"), "the last line ends");
  for (const line of text.slice(0, -1).split("\n")) {
    // "All other lines in the data file, including but not limited to blank lines and lines beginning with a #
    // character, are ignored."
    if (line === "" || line.startsWith("#")) continue;
    const pair = /^([^\s\p{Lu}:][^\s\p{Lu}:]*):(.*)$/u.exec(line);
    if (pair !== null) {
      const [, key, rest] = pair;
      // "key begins with a lower case character ... contains no space characters nor upper case characters"
      if (!/^\p{Ll}/u.test(key!)) throw new Error(`key of ${line}`);
      // "one or more ASCII space or tab characters separate “key:” from “value.”"; "Value can be omitted entirely"
      if (rest === "") configuration.delete(key!);
      else if (/^[ \t]+\S/.test(rest!)) configuration.set(key!, rest!.trimStart());
      else throw new Error(`value of ${line}`);
      continue;
    }
    results.push(resultOf(line, Object.fromEntries(configuration)));
  }
  return results;
}

function resultOf(line: string, configuration: Readonly<Record<string, string>>): Result {
  // "The fields are separated by runs of space characters ... The line must have an even number of fields, and at
  // least four."
  const [name, count, ...pairs] = line.split(/\s+/);
  if (name === undefined || count === undefined || pairs.length < 2 || pairs.length % 2 !== 0)
    throw new Error(`fields of ${line}`);
  // "the benchmark name, which must begin with Benchmark followed by an upper case character"
  if (!/^Benchmark\p{Lu}/u.test(name)) throw new Error(`name of ${line}`);
  // "The second field gives the number of iterations run."
  if (!/^[1-9]\d*$/.test(count)) throw new Error(`iterations of ${line}`);
  const values = new Map<string, number>();
  for (let index = 0; index < pairs.length; index += 2) {
    // "the value is a float64 that can be parsed by strconv.ParseFloat"
    if (!/^-?\d+(\.\d+)?(e[+-]\d+)?$/.test(pairs[index]!)) throw new Error(`value of ${line}`);
    const unit = pairs[index + 1]!;
    if (values.has(unit)) throw new Error(`unit of ${line} is there twice`);
    values.set(unit, Number(pairs[index]));
  }
  // golang/perf, benchfmt/result.go: digits behind the last hyphen are the GOMAXPROCS, and only there.
  const suffix = /-(\d+)$/.exec(name);
  if (suffix === null) throw new Error(`number of workers of ${line}`);
  const [base, ...parts] = name.slice(0, suffix.index).split("/");
  // "slash-prefixed key=value pairs in the benchmark name are treated by benchmark data processors as per-benchmark
  // configuration values"
  const parameters = parts.map((part) => {
    const equals = part.indexOf("=");
    if (equals < 1 || equals === part.length - 1) throw new Error(`parameter ${part} of ${line}`);
    return [part.slice(0, equals), part.slice(equals + 1)];
  });
  return {
    name,
    base: base!.slice("Benchmark".length),
    parameters: Object.fromEntries(parameters),
    workers: Number(suffix[1]),
    iterations: Number(count),
    values,
    configuration,
  };
}

describe("the parser that the export is held to", () => {
  it("reads the specification's example", () => {
    const [result] = parse(
      "commit: 7cd9055\ncpu: Intel(R) Core(TM) i7-4980HQ CPU @ 2.80GHz\n\nBenchmarkDecode/text=digits/size=1e4-8   \t     100\t    154125 ns/op\t  64.88 MB/s\n",
    );
    assert.equal(result!.base, "Decode");
    assert.deepEqual(result!.parameters, { text: "digits", size: "1e4" });
    assert.deepEqual([result!.workers, result!.iterations], [8, 100]);
    assert.deepEqual(
      [...result!.values],
      [
        ["ns/op", 154125],
        ["MB/s", 64.88],
      ],
    );
    assert.equal(result!.configuration.cpu, "Intel(R) Core(TM) i7-4980HQ CPU @ 2.80GHz");
  });

  it("forgets a key that comes again without a value", () => {
    const [first, second] = parse("commit: a\nBenchmarkA-1 1 2 ns/op\ncommit:\nBenchmarkA-1 1 2 ns/op\n");
    assert.deepEqual([first!.configuration, second!.configuration], [{ commit: "a" }, {}]);
  });

  for (const bad of [
    "Benchmarkpick-1 1 2 ns/op",
    "BenchmarkPick/scenario=a b-1 1 2 ns/op",
    "BenchmarkPick/scenario=-1 1 2 ns/op",
    "BenchmarkPick/8-1 1 2 ns/op",
    "BenchmarkPick/scenario=a 1 2 ns/op",
    "BenchmarkPick-1 0 2 ns/op",
    "BenchmarkPick-1 1.5 2 ns/op",
    "BenchmarkPick-1 1 NaN ns/op",
    "BenchmarkPick-1 1 2",
    "BenchmarkPick-1 1 2 ns/op 3",
    "BenchmarkPick-1 1 2 ns/op 3 ns/op",
    "BenchmarkPick-1",
    "CPU: fast",
    "cpu speed: fast",
    "cpu:fast",
    "PASS",
  ])
    it(`refuses ${bad}`, () => assert.throws(() => parse(`${bad}\n`)));
});

/** The results of each judged row, by the row's cell. */
function resultsByCell(text: string): Map<string, Result[]> {
  return Map.groupBy(parse(text), ({ base, parameters, workers, values }) => {
    const names = [base.toLowerCase(), parameters.scenario, parameters.competitor];
    if (values.has("ns/op")) names.push(`${workers}w`);
    if (parameters.role !== undefined) names.push(parameters.role);
    return names.join("/");
  });
}

/** Every contestant with a number has a line for each fork that counts, and their geometric mean is the judge's. */
function holdsToJudge(record: BenchRecord, text: string): void {
  const results = resultsByCell(text);
  for (const { rows } of judgeRecord(record).races) {
    for (const row of rows) {
      const own = results.get(row.cell) ?? [];
      if ((row.kind !== "baseline" && row.kind !== "rival") || row.noNumber !== undefined) {
        assert.equal(own.length, 0, row.cell);
        continue;
      }
      assert.ok(own.length >= row.forks, row.cell);
      const logs = own.map(({ values }) => Math.log(values.get("ns/op")!));
      // The export has every process; in the judge's figure one in six may not weigh, the farthest from the middle.
      const nearest = logs.toSorted((a, b) => Math.abs(a - median(logs)) - Math.abs(b - median(logs)));
      const isMeanOf = (weighing: number) =>
        Math.abs(mean(nearest.slice(0, weighing)) - Math.log(row.median)) < 1e-9;
      const leftOut = Array.from({ length: 1 + Math.floor(logs.length / 6) }, (_, count) => count);
      assert.ok(
        leftOut.some((count) => isMeanOf(logs.length - count)),
        row.cell,
      );
    }
  }
}

describe("benchstat", () => {
  const source = judgedSource("folder/a.json", everything());
  const { text, leftOut, values, remarks } = benchstat([source]);
  const results = resultsByCell(text);

  it("has a line for each fork of each contestant with a number, whose geometric mean is the judge's", () => {
    holdsToJudge(source.record, text);
    assert.equal(values, parse(text).length);
    assert.deepEqual(leftOut, [...NUMBERLESS.races, ...NUMBERLESS.surveyed]);
    assert.deepEqual(remarks, []);
  });

  it("names scenario, competitor and role as parameters, and workers behind the last hyphen", () => {
    const [result] = results.get("synthetic/roles/ring-15/2w/reader")!;
    assert.equal(result!.name, "BenchmarkSynthetic/scenario=roles/competitor=ring-15/role=reader-2");
    assert.deepEqual(result!.parameters, { scenario: "roles", competitor: "ring-15", role: "reader" });
    assert.equal(result!.workers, 2);
  });

  it("has the slices that a line is the median of for its iterations", () => {
    const group = source.record.groups[2]!;
    const cell = group.cells.find(({ name }) => name === "synthetic/roles/ring-15/2w")!;
    for (const role of ["reader", "writer"]) {
      const counted = results.get(`${cell.name}/${role}`)!.map(({ iterations }) => iterations);
      assert.deepEqual(counted, cell.roles[role]!.any.costNs.counts);
    }
  });

  it("has lines of the state that the table is judged in", () => {
    const group = raceOf("quiet", { first: 20, other: 10 }, 1, { first: 2, other: 1.5 });
    const record = everything({ groups: [group] });
    const lines = benchstat([judgedSource("a", record)]).text;
    const { quiet } = soleRole(group.cells.find(({ competitor }) => competitor === "other")!);
    const own = resultsByCell(lines).get("synthetic/quiet/other/1w")!;
    assert.deepEqual(
      own.map(({ iterations }) => iterations),
      quiet!.costNs.counts,
    );
    holdsToJudge(record, lines);
  });

  it("has no line of a group in which a slice of the cell came to no end", () => {
    const [one, two] = source.record.groups;
    const record = everything({ groups: [one!, withCell(two!, "slow", stalledOnce)] });
    const lines = benchstat([judgedSource("a", record)]).text;
    assert.equal(resultsByCell(lines).get("synthetic/plain/slow/2w"), undefined);
    holdsToJudge(record, lines);
  });

  it("has the baseline of each scenario before its rivals, which benchstat compares with what comes first", () => {
    const firsts = new Map<string, string>();
    const { groups } = source.record;
    const turned = groups.map((group) => ({ ...group, cells: group.cells.toReversed() }));
    const record = { ...source.record, groups: turned, surveys: [] };
    for (const { parameters } of parse(benchstat([judgedSource("a", record)]).text))
      firsts.set(parameters.scenario!, firsts.get(parameters.scenario!) ?? parameters.competitor!);
    assert.deepEqual([...new Set(firsts.values())], ["first"]);
  });

  it("marks rows with more workers than cores, and only those", () => {
    for (const { parameters } of parse(text))
      assert.equal(parameters.oversubscribed, parameters.scenario === "crowd" ? "yes" : undefined);
  });

  it("has a line for each process of a survey, without what the process has no number of", () => {
    const survey = results.get("synthetic/held/jitter-15")!;
    assert.equal(survey[0]!.name, "BenchmarkSynthetic/scenario=held/competitor=jitter-15-1");
    assert.deepEqual(
      survey.map((each) => Object.fromEntries(each.values)),
      [
        { "bytesFilled-B/timer": 16.5, "pairs-pairs_of_owners": 0 },
        { "bytesFilled-B/timer": 17 },
        { "bytesFilled-B/timer": 20 },
      ],
    );
    assert.equal(results.has("synthetic/held/mutant"), false);
    assert.doesNotMatch(text, /scenario=fleet/, "no simulation");
  });

  it("keeps records apart by their configuration, and says nothing that does not hold any more", () => {
    const uncommitted = judgedSource("c.json", everything({ startedAt: "2026-11-22", commit: null }));
    const all = benchstat([source, judgedSource("b.json", later()), uncommitted]);
    const configurations = [...new Set(parse(all.text).map((each) => JSON.stringify(each.configuration)))];
    const common = {
      cpu: "Made Up",
      machine: "made-up-2c-1g",
      method: String(source.record.methodVersion),
      pkg: "hotpath-lab/synthetic",
      runtime: "Node.js 24.0.0",
    };
    assert.deepEqual(
      configurations.map((each) => JSON.parse(each)),
      [
        { commit: "0123456789abcdef0123456789abcdef01234567", ...common },
        { commit: "89abcdef0123456789abcdef0123456789abcdef-dirty", ...common },
        common,
      ],
    );
    assert.match(all.remarks.join("\n"), /^the records differ in commit: benchstat/);
    assert.doesNotMatch(all.text, /folder/);
  });

  it("refuses to count one run's samples twice", () => {
    assert.throws(
      () => benchstat([source, judgedSource("copy.json", everything())]),
      /^Error: folder\/a\.json and copy\.json both have synthetic\/\S+: .*give each record once$/,
    );
  });

  it("keeps a line a line, and refuses a name that the format has no room for", () => {
    const machine = { ...source.record.machine, cpu: "Made\nUp" };
    const odd = benchstat([judgedSource("a", everything({ machine, command: "npm run bench\nPASS" }))]);
    assert.equal(parse(odd.text)[0]!.configuration.cpu, "Made Up");
    for (const scenario of ["two words", "a/b", "a=b"]) {
      const record = everything({ groups: [raceOf(scenario, { first: 20, other: 10 })] });
      assert.throws(() => benchstat([judgedSource("a", record)]), /is no name in Go's benchmark format/);
    }
    const record = everything({ groups: [{ ...raceOf("plain", { first: 1 }), primitive: "8" }] });
    assert.throws(() => benchstat([judgedSource("a", record)]), /is no name in Go's benchmark format/);
  });

  it("holds to the judge on a published record", () => {
    const record = readRecord(publishedRecords("draws").at(-1)!);
    holdsToJudge(record, benchstat([judgedSource("draws", record)]).text);
  });
});
