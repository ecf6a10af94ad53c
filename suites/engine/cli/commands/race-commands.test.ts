import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { goldenCases } from "../../golden.trials.ts";
import { gaussian } from "../../judge/judge.synthetic.ts";
import { Random } from "../../words/random.ts";
import { callOf } from "../arguments.ts";
import { madeOutput } from "../output.synthetic.ts";
import { type Execute, type Execution, executeByNode, executor } from "./execution.ts";
import { raceCommands } from "./race-commands.ts";

const NOISE = 0.05;

/** Made-up times in ms, and what else is made up, by the names of commands. */
function made(times: Readonly<Record<string, number>>, more: object = {}, asked: string[] = []): Execute {
  const random = new Random(1);
  return async (command) => {
    asked.push(command);
    const wallNs = 1e6 * (times[command] ?? 1) * Math.exp(NOISE * gaussian(random));
    return { wallNs, cpuNs: 0.9 * wallNs, peakBytes: 45e6, ...more } satisfies Execution;
  };
}

async function raced(args: readonly string[], execute: Execute, stop = new AbortController()) {
  const call = callOf([...args, "--seed", "1"]);
  assert.ok(call.kind === "commands");
  const { printed, output } = madeOutput(stop.signal);
  const code = await raceCommands(call.request, output, execute).catch(({ message }: Error) => message);
  return { code, ...printed };
}

const of = (...commands: string[]) => commands.flatMap((command) => ["--command", command]);
const ends = (failing: string, after: number): Execute => {
  const execute = made({});
  let left = after;
  return async (command, signal) => {
    const execution = await execute(command, signal);
    return command === failing && left-- <= 0
      ? { ...execution, failure: "its process exited with code 3" }
      : execution;
  };
};

describe("a race of commands", () => {
  it("says what is faster, slower by 3 % of 40 ms, and the same, with CPU time and peak memory", async (test) => {
    const four = made({ usual: 40, again: 40, "3 % more": 41.2, half: 20 });
    const fourth = made({ usual: 40, again: 40.1 }, { failure: "its process exited with code 1" });
    const bare = made({}, { cpuNs: undefined, peakBytes: undefined });
    const texts: Record<string, string> = {};
    for (const [name, args, execute] of [
      ["four commands", of("usual", "again", "3 % more", "half"), four],
      ["failures that are ignored", [...of("usual", "again"), "--ignore-failure", "--quick"], fourth],
      ["one alone, and no CPU time", of("usual"), bare],
    ] as const)
      texts[name] = (await raced(args, execute)).out;
    goldenCases(test, "testdata/commands.md", texts);
  });

  it("ends with a line that names the command that failed, and prints no table", async (test) => {
    const texts: Record<string, string> = {};
    const prepared = [...of("a", "b"), "--prepare", "clean"];
    for (const [name, args, execute] of [
      ["while warming up", of("a", "b"), ends("b", 0)],
      ["while racing", of("a", "b"), ends("b", 5)],
      ["what prepares it", [...prepared, "--ignore-failure"], ends("clean", 3)],
      [
        "too small a budget",
        [...of("a", "b"), "--budget", "2s"],
        async (command: string) => ({ wallNs: command === "a" ? 4e9 : 6e9 }),
      ],
    ] as const) {
      const { code, out } = await raced(args, execute);
      texts[name] = `${code}\n${out}`;
    }
    goldenCases(test, "testdata/failures.md", texts);
  });

  it("prepares each execution, runs each command once a round, and the first once more", async () => {
    const asked: string[] = [];
    await raced(
      [...of("a", "b"), "--prepare", "clean", "--warmup", "3"],
      made({ a: 500, b: 500 }, {}, asked),
    );
    // Of two rounds, the second in the reverse order.
    const [aab, aba, baa] = ["cacacb", "cacbca", "cbcaca"];
    const pairs = `(?:${aab}${baa}|${aba}${aba}|${baa}${aab})`;
    assert.match(asked.map(([letter]) => letter).join(""), new RegExp(`^(?:cacb){3}${pairs}{4,}$`));
  });

  it("is interrupted without a table", async () => {
    const stop = new AbortController();
    const interrupts = async () => {
      stop.abort();
      return { wallNs: 1 };
    };
    const { code, out } = await raced(of("a", "b"), interrupts, stop);
    assert.deepEqual([code, out], [130, ""]);
  });
});

describe("an execution", { skip: process.platform === "win32" && "no shell of this kind" }, () => {
  const { signal } = new AbortController();
  for (const [name, execute] of [
    ["the best way there is", executor()],
    ["Node", executeByNode],
  ] as const)
    it(`by ${name} says how the command ended`, async () => {
      const failureOf = async (command: string) => (await execute(command, signal)).failure;
      assert.equal(await failureOf("true; true"), undefined);
      assert.match((await failureOf("exit 3; true"))!, /exited with code 3$/);
      assert.match((await failureOf("kill -9 $$; true"))!, /died of (SIGKILL|signal 9)$/);
    });

  it("counts the memory and CPU time of processes that it starts, where the system says them", async (test) => {
    const node = (program: string) => `'${process.execPath}' -e '${program}'; true`;
    const small = await executor()(node("1"), signal);
    if (small.peakBytes === undefined) return test.skip("no Perl");
    const large = await executor()(node("Buffer.alloc(2e8, 1)"), signal);
    assert.ok(large.peakBytes! - small.peakBytes > 1.5e8);
    assert.ok(small.cpuNs! > 0 && small.wallNs > 0);
  });

  it("is killed with what it started when it is interrupted", async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 50);
    assert.ok((await executor()("sleep 60; true", stop.signal)).failure !== undefined);
  });
});
