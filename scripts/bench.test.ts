import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import type { GroupRecord } from "../suites/engine/schema/record.ts";
import {
  callsOf,
  checkRefused,
  itCanBeInterrupted,
  itRefusesAsWritten,
} from "../suites/lab/command/command.trials.ts";
import { withoutStates } from "../suites/lab/racing.ts";
import { cannotRecompute, prices, recompute } from "../suites/lab/recompute.synthetic.ts";
import { nothingFailed } from "../suites/lab/recorded-run.ts";
import type { BenchRecord } from "../suites/lab/schema/record.ts";
import { checkRecord, readRecord, recordText } from "../suites/lab/schema/record-file.ts";
import { readVerdicts } from "../suites/lab/schema/verdict.ts";
import { publishedRecords } from "../suites/lab/store/results.ts";

/** The commands as a person types them, without npm around them. */
const BENCH = fileURLToPath(new URL("bench.ts", import.meta.url));
const REPORT = fileURLToPath(new URL("report.ts", import.meta.url));
/** What runs that were repeated show, by which bench prints intervals for another run. */
const REPEATS = fileURLToPath(new URL("../results/repeats", import.meta.url));
const MUTANT_URL = new URL("../structures/pick/pick.mutants.ts?skips-last", import.meta.url);

const folder = mkdtempSync(join(tmpdir(), "hotpath-bench-"));
after(() => rmSync(folder, { recursive: true }));
const out = join(folder, "out");
const MUTANT = join(folder, "skips-last.ts");
writeFileSync(MUTANT, `export { default } from ${JSON.stringify(MUTANT_URL)};\n`);

/** A test runner that prints in colours has its tests do so. */
const { FORCE_COLOR: _, ...env } = process.env;

function call(script: string, ...args: string[]) {
  return spawnSync(process.execPath, [script, ...args], { encoding: "utf8", cwd: folder, env });
}

/** Of calls that measure nothing: they are refused, or list what would be. */
const planned = callsOf(BENCH, { cwd: folder, env });

describe("bench refuses what it cannot do, in one line, before doing anything", () => {
  const foreign = join(folder, "foreign.ts");
  writeFileSync(foreign, "export default { summary: 'not a picker' };\n");
  const broken = join(folder, "broken.ts");
  writeFileSync(broken, "export default {\n");
  const clash = join(folder, "cas-ring.ts");
  writeFileSync(clash, `export { default } from ${JSON.stringify(MUTANT)};\n`);
  writeFileSync(join(folder, "file"), "");
  writeFileSync(join(folder, "Odd_Name.ts"), "export default {};\n");

  itRefusesAsWritten(
    join(import.meta.dirname, "testdata/refusals/bench.txt"),
    (args) => planned(args.includes("--out") ? args : [...args, "--out", out]),
    folder,
    () => assert.equal(existsSync(out), false, "nothing is written"),
  );

  it("a candidate that is no module, with the line that is wrong", () => {
    const line = /^--candidate broken\.ts cannot be imported: .*broken\.ts:1 SyntaxError/;
    checkRefused(call(BENCH, "pick", "--candidate", "broken.ts", "--out", out), line);
  });
});

it("bench --list names cells and time, and measures nothing", async () => {
  const { status, stdout } = await planned(["--list", "pick/uniform-8", "--profile", "quick"]);
  assert.equal(status, 0);
  assert.match(stdout, /^pick\/uniform-8\/cas-ring\/1w +\d+\.\d s$/m);
  assert.match(stdout, /^\d+ cells, at most about \d+.* at profile quick, to 10 %$/m);
});

it("bench --list plans by the budget, and says which precision was asked for", async () => {
  const secondsOf = async (...args: string[]) => {
    const { status, stdout } = await planned(["--list", "pick/uniform-8", "--workers", "1", ...args]);
    assert.equal(status, 0);
    const [, minutes = "0", seconds, rest] = /about (?:(\d+) min )?([\d.]+) s(.*)\n$/.exec(stdout)!;
    return { seconds: 60 * Number(minutes) + Number(seconds), rest };
  };
  assert.deepEqual(await secondsOf("--budget", "1m", "--precision", "0.11%"), {
    seconds: 60,
    rest: " at profile standard, to 0.11 %",
  });
  assert.deepEqual(await secondsOf("--budget", "70s", "--precision", "0.12%", "--profile", "quick"), {
    seconds: 70,
    rest: " at profile quick, to 0.12 %",
  });
});

it("bench says beforehand that a budget is less than the fewest processes take", async () => {
  const said = async (budget: string) =>
    (await planned(["--list", "pick/uniform-8", "--budget", budget])).stderr;
  assert.match(await said("5s"), /^--budget 5s is passed: the fewest processes of each group take about \d/);
  assert.equal(await said("10m"), "");
});

it("bench --list says which competitors are no contenders, and how they come to race", async () => {
  const listed = async (...args: string[]) => (await planned(["--list", "--workers", "1", ...args])).stdout;
  const contenders = await listed("pick/uniform-8");
  assert.doesNotMatch(contenders, /^pick\/uniform-8\/cas-ring-scattered\//m);
  assert.match(
    contenders,
    /^pick\/uniform-8\n {4}no contenders, and not raced .*--all or name\n {4}them\): [^\d]*cas-ring-scattered/ms,
  );
  const named = await listed("pick/uniform-8/cas-ring-scattered");
  assert.match(named, /^pick\/uniform-8\/cas-ring-scattered\/1w /m);
  assert.doesNotMatch(named, /no contenders/);
  assert.match(await listed("pick/uniform-8", "--all"), /^pick\/uniform-8\/cas-ring-scattered\/1w /m);
});

it("bench --list names what is raced before what is absent", async () => {
  const { stdout } = await planned(["--list", "pick", "heartbeats", "--workers", "1"]);
  const lines = stdout.split("\n");
  const raced = lines.findLastIndex((line) => /^\S+\/1w | simulated/.test(line));
  const absent = lines.findIndex((line) => /\babsent: /.test(line));
  assert.ok(raced > 0 && raced < absent, `line ${raced} is raced, line ${absent} absent`);
});

it("bench --list puts what does not fit beside a cell below it", async () => {
  const { status, stdout } = await planned(["--list", "timers", "--all", "--workers", "1"]);
  assert.equal(status, 0);
  assert.match(stdout, /^timers\/\S+\n {4}absent: not meant for more than /m);
  assert.deepEqual(
    stdout.split("\n").filter((line) => line.length > 80),
    [],
  );
});

function hasQuiet({ cells }: GroupRecord): boolean {
  return cells.some(({ roles }) => Object.values(roles).some(({ quiet }) => quiet !== undefined));
}

describe("a run of bench that is killed and gone on with", {
  skip: process.platform === "win32" && "no SIGKILL",
}, () => {
  const place = join(folder, "killed");
  const simulated = "heartbeats/steady/random-slot";
  // Two races of one worker, whose processes are up soonest.
  const asked = [
    ...["draws/bound-7/lemire", "pick/uniform-8/cas-ring/1w", simulated],
    ...["--workers", "1", "--profile", "quick", "--seed", "7", "--json", "--out", place],
  ];
  const interruptedAt = join(folder, "interrupted.json");
  const killed = { stdout: "", stderr: "" };
  let left: BenchRecord;
  let resumed: ReturnType<typeof call>;
  let whole: BenchRecord;

  before(async () => {
    const child = spawn(process.execPath, [BENCH, ...asked], { cwd: folder, env });
    const ended = once(child, "exit");
    child.stdout.on("data", (text) => {
      killed.stdout += text;
    });
    // A table is printed as soon as its scenario is whole; the next one is being raced then.
    child.stderr.on("data", (text) => {
      killed.stderr += text;
      if (/^lemire +\d/m.test(killed.stderr)) child.kill("SIGKILL");
    });
    await ended;
    const [saved] = readdirSync(place).filter((file) => file.endsWith(".json"));
    left = readRecord(join(place, saved!));
    resumed = call(BENCH, "--resume", join(place, saved!), "--json");
    whole = checkRecord(JSON.parse(resumed.stdout), "stdout");
  });

  it("keeps what was finished, and races the rest with the seeds it would have had", () => {
    assert.equal(left.interrupted, true);
    assert.deepEqual(
      left.groups.map(({ primitive }) => primitive),
      ["draws"],
    );
    assert.equal(whole.interrupted, false);
    assert.equal(whole.resumedAt?.length, 1);
    assert.equal(whole.command, left.command);
    // What was taken for quiet is taken back, all of it, where only later slices met the machine at full speed.
    const [kept] = left.groups as [GroupRecord];
    const [first, ...later] = whole.groups as [GroupRecord, ...GroupRecord[]];
    const isFaster = later.some(({ referenceNs }) => referenceNs! < kept.referenceNs!);
    assert.deepEqual(first, isFaster && !hasQuiet(first) ? withoutStates(kept) : kept);
    const listed = call(BENCH, "--list", ...asked.slice(0, 2), "--workers", "1").stdout;
    // What stands beside the competitors is not listed.
    const cells = whole.groups.flatMap(({ cells }) => cells.map(({ name }) => name));
    assert.deepEqual(
      cells.filter((name) => !/\/~(control|empty)\//.test(name)),
      [...listed.matchAll(/^(\S+\/1w) /gm)].map(([, cell]) => cell),
    );
    const alone = call(BENCH, simulated, "--seed", "7", "--json", "--out", join(folder, "simulated"));
    assert.deepEqual(whole.simulations, (JSON.parse(alone.stdout) as BenchRecord).simulations);
  });

  it("with --json prints the record and nothing else on stdout; report reads it back", () => {
    assert.equal(killed.stdout, "", "no record before it is whole");
    assert.equal(whole.seed, 7);
    assert.match(resumed.stderr, /^cas-ring +\d/m, "the table is on stderr");
    const [seed, ...announcements] = killed.stderr
      .split("\n")
      .filter((line) => /^seed|^at most about| left: |^\d+ %: /.test(line));
    assert.equal(seed, "seed 7");
    const announced = announcements.findIndex((line) => /^at most about (\d+ min )?\d+(\.\d)? s$/.test(line));
    assert.ok(announced >= 0, killed.stderr);
    assert.ok(
      announcements.slice(0, announced).every((line) => /^0 %: draws/.test(line)),
      "no time is announced before",
    );
    assert.ok(!killed.stderr.includes("\x1b"), "nothing for a terminal where there is none");
    const [saved, page, slices, verdicts] = readdirSync(place).sort();
    assert.deepEqual(readRecord(join(place, saved!)), whole);
    assert.ok(page!.endsWith(".md"));
    assert.equal(slices, whole.raw?.file);

    const printed = call(REPORT, "--verdicts", join(place, saved!));
    assert.equal(printed.status, 0);
    assert.equal(printed.stdout, readFileSync(join(place, verdicts!), "utf8"), "made again alike");
    const rows = readVerdicts(printed.stdout, "stdout").races.flatMap((race) => race.rows);
    // A machine may be too busy for every row to get a number.
    const hasNumbers = rows.every(({ noNumber }) => noNumber === undefined);
    assert.equal(resumed.status, hasNumbers && nothingFailed(whole) ? 0 : 1, resumed.stderr);
    const baseline = rows.find(({ cell }) => cell === "pick/uniform-8/shuffled-round-robin/1w");
    assert.equal(baseline?.kind, "baseline");
  });

  it("has the figures that its slices come to by a script in another language", {
    skip: cannotRecompute,
  }, () => {
    const [saved, page, slices] = readdirSync(place).sort();
    const [record, raw, text] = [saved, slices, page].map((file) => join(place, file!));
    const { status, stdout, stderr } = recompute("--repeats", REPEATS, record!, raw!, text!);
    assert.equal(status, 0, stdout + stderr);
    assert.match(stdout, /^\d+ figures recomputed, 0 otherwise than printed$/m);
    const shares = [...prices(record!, raw!).stdout.matchAll(/ ([\d.]+)% \|$/gm)].map(([, share]) =>
      Number(share),
    );
    assert.equal(Math.round(shares.reduce((sum, share) => sum + share, 0)), 100);
  });

  it("is not gone on with where it would not be of one piece", () => {
    const isRefused = (record: BenchRecord, message: RegExp, ...more: string[]) => {
      writeFileSync(interruptedAt, recordText(record));
      checkRefused(call(BENCH, "--resume", interruptedAt, ...more), message);
    };
    const cut = { ...whole, interrupted: true, groups: whole.groups.slice(0, 1) };
    isRefused(whole, /whole/);
    isRefused(cut, /remove pick/, "pick");
    isRefused({ ...cut, machine: { ...whole.machine, cores: 64 } }, /another machine/);
    isRefused({ ...cut, methodVersion: 1 }, /another method/);
    isRefused({ ...cut, commit: { hash: "0".repeat(40), dirty: false } }, /commit 000000000000/);
    const [group] = whole.groups;
    isRefused({ ...cut, groups: [{ ...group!, workers: 64 }] }, /no longer those of the lab/);
  });
});

it("a candidate that breaks a law is not raced, and the exit code is 1", () => {
  const place = join(folder, "mutant");
  const { status, stdout, stderr } = call(BENCH, "pick", "--candidate", MUTANT, "--out", place);
  assert.equal(status, 1);
  assert.equal(stdout, "");
  assert.match(stderr, /^skips-last is examined: alone with .*, and under 2 and 4 workers$/m);
  assert.match(stderr, /^skips-last: rotationIsConserved: /m);
  assert.match(stderr, /^skips-last gets no number, and nothing was raced: mend it/m);
  assert.deepEqual(readdirSync(place), []);
});

it("candidates alone race in their headline scenario, beside the leaders there", () => {
  const newcomer = join(folder, "newcomer.ts");
  const honest = new URL("../structures/pick/competitors/cas-ring.ts", import.meta.url);
  writeFileSync(newcomer, `export { default } from ${JSON.stringify(honest)};\n`);
  const { status, stdout } = call(BENCH, "--list", "--workers", "1", "--candidate", newcomer);
  assert.equal(status, 0);
  const cells = stdout.split("\n").flatMap((line) => /^\S+\/1w/.exec(line) ?? []);
  assert.ok(cells.every((cell) => cell.startsWith("pick/uniform-8/")));
  assert.ok(cells.includes("pick/uniform-8/newcomer/1w"));
  // The baseline, its control, the newcomer and three others.
  assert.equal(cells.length, 6);
});

it("report does not mind a reader that has seen enough", {
  skip: process.platform === "win32" && "no sh",
}, () => {
  const [record] = publishedRecords("draws").slice(-1);
  const command = `"${process.execPath}" "${REPORT}" --verdicts "${record}"; echo "exit $?" >&2`;
  const { stderr } = spawnSync("sh", ["-c", `{ ${command}; } | head -n 1`], { encoding: "utf8" });
  assert.equal(stderr, "exit 0\n");
});

describe("report prints a record", () => {
  const [record] = publishedRecords("draws").slice(-1);

  it("as tables that fit 80 columns and have no colours where there is no terminal", () => {
    const { status, stdout } = call(REPORT, record!);
    assert.equal(status, 0);
    assert.match(stdout, /^Results of .*\.json\.gz\n\n- Machine: /);
    assert.match(stdout, /^lemire +\d/m);
    assert.doesNotMatch(stdout, /^\|/m);
    assert.ok(!stdout.includes("\x1b"));
    assert.deepEqual(
      stdout.split("\n").filter((line) => [...line].length > 80),
      [],
    );
  });

  it("in colours where they are forced", () => {
    const { stdout } = spawnSync(process.execPath, [REPORT, record!], {
      encoding: "utf8",
      env: { ...env, FORCE_COLOR: "1" },
    });
    assert.ok(stdout.includes("\x1b[32mfaster\x1b[39m") || stdout.includes("\x1b[31mslower\x1b[39m"));
  });

  it("as a page with --markdown", () => {
    const { status, stdout } = call(REPORT, "--markdown", record!);
    assert.equal(status, 0);
    assert.match(stdout, /^# Results\n/);
    assert.match(stdout, /^\| lemire +\|/m);
  });
});

describe("report refuses what it cannot read, and prints no part of the rest", () => {
  writeFileSync(join(folder, "damaged.json"), "{");
  writeFileSync(join(folder, "foreign.json"), "{}");
  const record = publishedRecords("draws").at(-1)!;
  copyFileSync(record, join(folder, "published.json.gz"));
  writeFileSync(join(folder, "old.json"), recordText({ ...readRecord(record), methodVersion: 1 }));
  const file = join(import.meta.dirname, "testdata/refusals/report.txt");
  itRefusesAsWritten(file, callsOf(REPORT, { cwd: folder, env }), folder);
});

describe("bench is interrupted", () => {
  const results = join(folder, "interrupted");
  // The first progress line says that the first group has begun.
  const args = [BENCH, "pick/uniform-8", "--workers", "2", "--out", results];
  itCanBeInterrupted({ args, words: "pick/uniform-8 2w", out: results });
  // Elsewhere there is nothing to wait for.
  if (process.platform === "linux") {
    describe("while it waits for a quiet machine", () => {
      const waiting = [...args, "--wait-quiet", "10m"];
      itCanBeInterrupted({ args: waiting, words: "waiting for a quiet machine", out: results });
    });
  }
});
