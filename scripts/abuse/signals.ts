import type { Abuse, Call, Moment, Promised, Running } from "./abuse.ts";
import { CLONE, inClone } from "./clone.ts";
import { planted } from "./planted-candidates.ts";
import { processesOf, send } from "./processes.ts";
import { FIRST_TABLE, RACED, TWO_GROUPS } from "./races.ts";

/** Commands that are stopped, killed, left by their readers or robbed of their processes, at every stage. */

/** The first line of progress. */
const BEGUN = / %(?:, .+ left)?: /;

const onceWhole = (act: Moment["act"]): readonly Moment[] => [{ when: FIRST_TABLE, act }];
const onceBegun = (act: Moment["act"]): readonly Moment[] => [{ when: BEGUN, act }];

const FIRST_IS_KEPT = { groups: 1, interrupted: true } as const;
const GONE_ON: Call = {
  command: ["bench", "--resume", "$RECORD"],
  promised: { exit: RACED, kept: { groups: 2, interrupted: false } },
};

/** A run that is ended in its second group: the first is kept, and the run can be gone on with. */
function ended(name: string, act: Moment["act"], exit: Promised["exit"], more: Partial<Call> = {}): Abuse {
  return {
    name: `signals/${name}`,
    command: TWO_GROUPS,
    moments: onceWhole(act),
    ...more,
    promised: { exit, kept: FIRST_IS_KEPT },
    afterwards: [GONE_ON],
  };
}

/** A run that is disturbed in its second group, and goes on. */
function disturbed(name: string, act: Moment["act"]): Abuse {
  return {
    name: `signals/${name}`,
    command: TWO_GROUPS,
    moments: onceWhole(act),
    promised: { exit: RACED, kept: { groups: 2, interrupted: false } },
  };
}

/** The processes that measure, which the command has started. */
function killForks({ scene }: Running): void {
  for (const { pid, command } of processesOf(scene.mark)) {
    if (command.includes("measure/fork/fork.ts")) send(pid, "SIGKILL");
  }
}

/** What passes through a pipe ends with its first line; the command's exit code is the shell's. */
const pipedInto = (reader: string, all = "") => `"$@" ${all}| ${reader}; exit \${PIPESTATUS[0]}`;

/** Makes the file `reached`, and never comes back. */
const WAITING = planted({
  atTop: 'import { writeFileSync } from "node:fs";',
  own: 'format() { writeFileSync(new URL("reached", import.meta.url), ""); for (;;) {} },',
});

const ofBench: readonly Abuse[] = [
  ended("ctrl-c", ({ signalAll }) => signalAll("SIGINT"), 130),
  ended(
    "ctrl-c-twice",
    ({ signalAll }) => {
      signalAll("SIGINT");
      signalAll("SIGINT");
    },
    130,
  ),
  ended("ctrl-c-at-a-terminal", ({ type }) => type("\x03"), 130, { inTerminal: true }),
  ended("terminate", ({ signal }) => signal("SIGTERM"), 130),
  ended("hangup", ({ signal }) => signal("SIGHUP"), [129, 130]),
  ended("kill", ({ signal }) => signal("SIGKILL"), "SIGKILL"),
  ended("kill-all-at-once", ({ signalAll }) => signalAll("SIGKILL"), "SIGKILL"),
  ended("quit", ({ signal }) => signal("SIGQUIT"), [130, 131, "SIGQUIT"]),
  {
    ...ended("terminal-is-closed", ({ signal }) => signal("SIGKILL"), "SIGKILL"),
    shell: 'exec script --quiet --return --flush --command "$(printf \'%q \' "$@")" /dev/null',
  },
  disturbed("broken-pipe-signal", ({ signal }) => signal("SIGPIPE")),
  disturbed("window-changes", ({ signalAll }) => signalAll("SIGWINCH")),
  disturbed("stopped-and-continued", ({ signalAll }) => {
    signalAll("SIGSTOP");
    signalAll("SIGCONT");
  }),
  disturbed("its-fork-is-killed", killForks),
  {
    name: "signals/ctrl-c-before-anything-is-whole",
    command: TWO_GROUPS,
    moments: onceBegun(({ signalAll }) => signalAll("SIGINT")),
    promised: { exit: 130, says: /interrupted/, kept: "nothing" },
  },
  {
    name: "signals/ctrl-c-in-an-examination",
    files: { "waits.ts": WAITING },
    command: ["bench", "pick/uniform-8/waits/1w", "--candidate", "waits.ts", "--out", "out"],
    moments: [{ when: { file: "reached" }, act: ({ signalAll }) => signalAll("SIGINT") }],
    // A shell takes the one for the other.
    promised: { exit: [130, "SIGINT"], kept: "nothing" },
  },
  {
    name: "signals/kill-in-an-examination",
    files: { "waits.ts": WAITING },
    command: ["bench", "pick/uniform-8/waits/1w", "--candidate", "waits.ts", "--out", "out"],
    moments: [{ when: { file: "reached" }, act: ({ signal }) => signal("SIGKILL") }],
    promised: { exit: "SIGKILL", kept: "nothing" },
  },
  {
    name: "signals/reader-of-stdout-is-gone",
    command: TWO_GROUPS,
    shell: pipedInto("head -n 1"),
    promised: { exit: RACED, kept: { groups: 2, interrupted: false } },
  },
  {
    name: "signals/reader-of-all-is-gone",
    command: TWO_GROUPS,
    shell: pipedInto("head -n 1", "2>&1 "),
    promised: { exit: [0, 130], kept: { groups: 1 } },
  },
  {
    name: "signals/stdout-is-closed",
    command: TWO_GROUPS,
    shell: '"$@" >&-',
    promised: { exit: RACED, kept: { groups: 2, interrupted: false } },
  },
  {
    name: "signals/stderr-is-closed",
    command: TWO_GROUPS,
    shell: '"$@" 2>&-',
    promised: { exit: RACED, kept: { groups: 2, interrupted: false } },
  },
  {
    name: "signals/stdin-is-closed",
    command: TWO_GROUPS,
    shell: '"$@" <&-',
    promised: { exit: RACED, kept: { groups: 2, interrupted: false } },
  },
  {
    ...inClone(),
    name: "signals/report-has-no-reader",
    command: ["report"],
    shell: pipedInto("true"),
    promised: { exit: 0 },
  },
];

const FLAME: Call["command"] = ["flame", "pick/uniform-8/cas-ring/1w", "--seconds", "0.2", "--out", "out"];
/** What a killed one leaves is taken away by the next. */
const FLAME_AGAIN: Call = { command: FLAME, promised: { exit: 0 } };

const COMPARE: Call["command"] = ["compare", "HEAD~1", "--workers", "1", "--size", "smoke", "--out", "out"];
const COMPARE_AGAIN: Call = { command: COMPARE, checkout: CLONE, promised: { exit: [0, 3] } };
const NIGHTLY: Call["command"] = [
  "nightly",
  "draws/bound-7",
  "pick/uniform-8",
  ...["--workers", "1", "--profile", "quick", "--budget", "1m"],
  ...["--history", "$FOLDER/out/history", "--charts", "$FOLDER/out/trends", "--out", "out"],
];
const ofOthers: readonly Abuse[] = [
  {
    name: "signals/flame-is-interrupted",
    command: FLAME,
    moments: onceBegun(({ signalAll }) => signalAll("SIGINT")),
    promised: { exit: 130, kept: "nothing" },
  },
  ...(["SIGTERM", "SIGHUP"] as const).map(
    (name): Abuse => ({
      name: `signals/flame-gets-${name.toLowerCase()}`,
      command: FLAME,
      moments: onceBegun(({ signal }) => signal(name)),
      promised: { exit: [129, 130], kept: "nothing" },
    }),
  ),
  {
    name: "signals/flame-is-killed",
    command: FLAME,
    moments: onceBegun(({ signal }) => signal("SIGKILL")),
    promised: { exit: "SIGKILL", kept: "nothing" },
    afterwards: [FLAME_AGAIN],
  },
  ...(["SIGINT", "SIGHUP"] as const).map(
    (name): Abuse => ({
      ...inClone(),
      name: `signals/compare-gets-${name.toLowerCase()}`,
      command: COMPARE,
      moments: onceBegun(({ signalAll }) => signalAll(name)),
      promised: { exit: [129, 130] },
    }),
  ),
  {
    ...inClone(),
    name: "signals/compare-is-killed",
    command: COMPARE,
    moments: onceBegun(({ signal }) => signal("SIGKILL")),
    promised: { exit: "SIGKILL" },
    afterwards: [COMPARE_AGAIN],
  },
  {
    ...inClone(),
    name: "signals/nightly-is-interrupted",
    command: NIGHTLY,
    moments: onceBegun(({ signalAll }) => signalAll("SIGINT")),
    promised: { exit: 130, says: /nothing is kept/ },
  },
  {
    ...inClone(),
    name: "signals/nightly-is-killed",
    command: NIGHTLY,
    moments: onceBegun(({ signal }) => signal("SIGKILL")),
    promised: { exit: "SIGKILL" },
  },
  {
    name: "signals/calibrate-is-interrupted",
    command: ["calibrate", "readings", "pick/uniform-8/cas-ring", "--turns", "1", "--out", "out"],
    moments: [{ when: BEGUN, act: ({ signalAll }) => signalAll("SIGINT") }],
    promised: { exit: 130, kept: "nothing" },
  },
];

export const signals: readonly Abuse[] = [...ofBench, ...ofOthers];
