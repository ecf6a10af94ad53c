import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { busyMachine, planted } from "../engine/measure/machine/host-noise.synthetic.ts";
import { parseDuration, parsePrecision, UsageError } from "./command/usage.ts";
import type { Request } from "./plan/asked.ts";
import { syntheticRequest } from "./request.synthetic.ts";
import { checkWholeScenarios, parseWaitQuiet, parseWorkers } from "./request.ts";

it("a duration is hours, minutes and seconds, from a second to a day", () => {
  for (const [text, seconds] of [
    ["1s", 1],
    ["90s", 90],
    ["45m", 45 * 60],
    ["1h30m", 5400],
    ["1h30m10s", 5410],
    ["2h5s", 7205],
    ["24h", 86_400],
    ["1.5h", 5400],
  ] as const) {
    assert.equal(parseDuration("--budget", text), 1000 * seconds, text);
  }
  const refused = "0s 0.5s 0m 24h1s 25h 1d 60 -5m m 30m1h 1e3s 99999h".split(" ");
  for (const text of ["", "5 m", ...refused]) {
    assert.throws(
      () => parseDuration("--budget", text),
      saying(`--budget ${text} is out of range: give 1s to 24h`),
    );
  }
});

it("a wait for a quiet machine is a duration, on a system that reports whether it is quiet", () => {
  const busy = busyMachine(() => 2);
  assert.equal(parseWaitQuiet(undefined, busy), undefined);
  assert.equal(parseWaitQuiet("10m", busy), 600_000);
  assert.throws(() => parseWaitQuiet("10", busy), /^Error: --wait-quiet 10 is out of range/);
  assert.throws(
    () => parseWaitQuiet("10m", planted({})),
    /^Error: --wait-quiet does not work on this system.*remove it$/,
  );
});

it("a precision is percent, from a tenth to fifty", () => {
  assert.deepEqual(
    ["0.1%", "1%", "2.5%", "50%", "0.03"].map(parsePrecision),
    [0.001, 0.01, 0.025, 0.5, 0.03],
  );
  for (const text of ["", "1", "%", "0%", "0.05%", "0.09%", "51%", "60%", "-1%", "1 %"]) {
    assert.throws(() => parsePrecision(text), saying(`--precision ${text} is not a half-width`));
  }
});

it("worker counts are whole numbers, as many as the cores allow at most", () => {
  assert.equal(parseWorkers(undefined), undefined);
  assert.deepEqual(parseWorkers("1, 2,1"), [1, 2]);
  for (const [text, part] of [
    ["abc", "abc"],
    ["1,,2", ""],
    ["100000", "100000"],
  ] as const)
    assert.throws(
      () => parseWorkers(text),
      saying(`--workers ${part} is out of range: give whole numbers from 1 to `),
    );
});

function saying(beginning: string) {
  return (error: unknown) => error instanceof UsageError && error.message.startsWith(beginning);
}

describe("what is published", async () => {
  const request = await syntheticRequest();
  const publishBeside = (published: readonly string[], changes: Partial<Request>, scenarios: string[]) => {
    const parts = scenarios.map((scenario) => ({ primitive: "pick", scenario }));
    checkWholeScenarios({ ...request, ...changes }, parts, (primitive, { scenario }, workers) =>
      published.includes(`${primitive}/${scenario}/${workers}`),
    );
  };
  const publish = (changes: Partial<Request>, ...scenarios: string[]) =>
    publishBeside([], changes, scenarios);

  it("may be a scenario alone, at more workers than cores too", () => {
    publish({}, "uniform-8");
    publish({ filters: ["pick/uniform-64"] }, "uniform-64");
    publish({ filters: ["pick/uniform-64"], workers: [1, 2, 4] }, "uniform-64");
  });

  it("is whole by the same rule where it is raced on other runtimes", () => {
    publish({}, "uniform-8@node24", "uniform-8@cas-ring");
    assert.throws(() => publish({ filters: ["pick/uniform-8/cas-ring"] }, "uniform-8@bun"), UsageError);
  });

  it("lacks no competitor and no worker count that has its cores", () => {
    const missing = (name: RegExp) => (error: unknown) =>
      error instanceof UsageError && name.test(error.message) && /takes whole scenarios/.test(error.message);
    assert.throws(
      () => publish({ filters: ["pick/uniform-8/cas-ring"] }, "uniform-8"),
      missing(/pick\/uniform-8\//),
    );
    assert.throws(() => publish({ workers: [1] }, "uniform-8"), missing(/\/2w is missing/));
    assert.throws(
      () => publish({ filters: ["pick/uniform-8", "pick/uniform-64/cas-ring"] }, "uniform-8", "uniform-64"),
      missing(/pick\/uniform-64\//),
    );
  });

  it("may lack worker counts that a page keeps from another record, but none of their competitors", () => {
    const publishFour = (filter: string, ...published: string[]) =>
      publishBeside(published, { filters: [filter], workers: [4] }, ["uniform-64"]);
    publishFour("pick/uniform-64", "pick/uniform-64/1", "pick/uniform-64/2");
    assert.throws(() => publishFour("pick/uniform-64", "pick/uniform-64/1"), /\/2w is missing/);
    assert.throws(
      () => publishFour("pick/uniform-64/cas-ring", "pick/uniform-64/1", "pick/uniform-64/2"),
      /\/4w is missing/,
    );
  });
});
