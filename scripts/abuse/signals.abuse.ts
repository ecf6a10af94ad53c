import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { BOTH_RACED, FIRST_TABLE, FLAME, inClone, NIGHT, planted, TWO_GROUPS } from "./planted.ts";
import { processesOf, send } from "./processes.ts";
import { type Abuse, type Call, type Exit, mistreat, type Scene } from "./trial.ts";

/** Commands that are stopped, killed, left by their readers or robbed of their processes, at every stage. */

type Act = NonNullable<Call["act"]>;
/** Sends a signal to the command alone. */
const to =
  (name: NodeJS.Signals): Act =>
  (child) =>
    child.kill(name);
/** Sends it to all of its processes, as a terminal does. */
const toAll =
  (name: NodeJS.Signals): Act =>
  (child) =>
    send(-child.pid!, name);
/** Kills one process that runs this module. */
const toOne =
  (module: string): Act =>
  (_, scene) =>
    send(running(scene, module)[0]!.pid, "SIGKILL");

function running({ root }: Scene, module: string) {
  return processesOf(root).filter(({ command }) => command.includes(module));
}

const FORK = "measure/fork/fork.ts";
/** What a command that was interrupted exits with. */
const CUT = 130;
const kill = to("SIGKILL");
const ctrlC = toAll("SIGINT");

const IN_SECOND = { line: TWO_GROUPS, when: FIRST_TABLE };
/** A run is ended in its second group: the first is kept, and the run can be resumed. */
const ended = (name: string, act: Act, exit: Call["exit"], more?: Partial<Call>): Abuse => ({
  name,
  ...IN_SECOND,
  act,
  exit,
  kept: "groups: 1, interrupted",
  next: { line: "bench --resume out/*.json", ...BOTH_RACED },
  ...more,
});

/** A run is disturbed in its second group, and goes on. */
const disturbed = (name: string, act: Act): Abuse => ({ name, ...IN_SECOND, act, ...BOTH_RACED });

/** A stream of a run has no other end. */
const unheard = (
  name: string,
  streams: string,
  promised: Pick<Call, "exit" | "kept"> = BOTH_RACED,
): Abuse => ({ name, line: `${TWO_GROUPS} ${streams}`, ...promised });
const FIRST_LINE = "| head -n 1; exit $PIPESTATUS";

/** Another command is ended at its first line of progress, and keeps nothing. */
const begun = (name: string, line: string, act: Act, exit: Exit, more?: Partial<Call>): Abuse => ({
  ...inClone(),
  name,
  line,
  when: / %(?:, .+ left)?: /,
  act,
  exit,
  kept: "nothing",
  ...more,
});
/** An empty history. */
const EMPTY = "history";
const LONG_FLAME = `${FLAME} --seconds 60`;
const CALIBRATION = "calibrate verdicts pick/uniform-8/cas-ring/1w --turns 1 --opinions 0 --out out";

/** A candidate that hangs where it is examined, and says that it got there. */
const waiting = planted({
  atTop: 'import { writeFileSync } from "node:fs";',
  own: 'format() { writeFileSync(new URL("reached", import.meta.url), "yes"); for (;;) {} },',
});
const inExamination = (name: string, act: Act, exit: Call["exit"]): Abuse => ({
  name,
  line: "bench pick/uniform-8/waits/1w --candidate waits.ts --out out",
  files: { "waits.ts": waiting, reached: "" },
  when: ({ folder }) => statSync(join(folder, "reached")).size > 0,
  act,
  exit,
  kept: "nothing",
});

/** A race with processes of its own, which beat on a server, when one of each is there. */
const FLEET = ["connections/server.ts", "connections/client.ts"];
const FLEET_RACE = "bench connections/fleet-2k/hashed-wheel --profile quick --out out";
const fleet = (name: string, act: Act, exit: Exit, says?: RegExp): Abuse => ({
  name,
  line: FLEET_RACE,
  when: (scene) => FLEET.every((module) => running(scene, module).length > 0),
  act,
  exit,
  ...(says && { says }),
});

mistreat("signals", [
  ended("ctrl-c", ctrlC, CUT),
  ended("ctrl-c twice", (...at) => [ctrlC(...at), ctrlC(...at)], CUT),
  ended("ctrl-c at a terminal", (child) => void child.stdin!.write("\x03"), CUT, { inTerminal: true }),
  ended("terminate", to("SIGTERM"), CUT),
  ended("hangup", to("SIGHUP"), [129, CUT]),
  ended("kill", kill, "SIGKILL"),
  ended("kill all at once", toAll("SIGKILL"), "SIGKILL"),
  ended("quit", to("SIGQUIT"), [CUT, 131, "SIGQUIT"]),
  ended("the terminal is closed", kill, "SIGKILL", { inTerminal: true }),
  disturbed("a broken pipe", to("SIGPIPE")),
  disturbed("the window changes", toAll("SIGWINCH")),
  disturbed("stopped and continued", (...at) => [toAll("SIGSTOP")(...at), toAll("SIGCONT")(...at)]),
  { ...disturbed("its fork is killed", toOne(FORK)), when: (scene) => running(scene, FORK).length > 0 },
  unheard("no reader of stdout", FIRST_LINE),
  unheard("no reader of all", `2>&1 ${FIRST_LINE}`, { exit: [0, CUT] }),
  unheard("stdout is closed", ">&-"),
  unheard("stderr is closed", "2>&-"),
  unheard("stdin is closed", "<&-"),
  begun("flame, ctrl-c", LONG_FLAME, ctrlC, CUT),
  begun("flame, terminate", LONG_FLAME, to("SIGTERM"), CUT),
  begun("calibrate, ctrl-c", CALIBRATION, ctrlC, CUT),
  begun("nightly, ctrl-c", NIGHT, ctrlC, CUT, { kept: EMPTY }),
  // The next one removes what a killed one leaves.
  begun("nightly, kill", NIGHT, kill, "SIGKILL", { kept: EMPTY, next: { line: NIGHT, exit: [0, 1] } }),
  begun("abuse, ctrl-c", 'node "$ROOT/scripts/abuse/environment.abuse.ts"', ctrlC, 1, {
    when: ({ root }) => readdirSync(join(root, "tmp")).length > 1,
  }),
  // A shell takes the one for the other.
  inExamination("an examination, ctrl-c", ctrlC, [CUT, "SIGINT"]),
  inExamination("an examination, kill", kill, "SIGKILL"),
  fleet("a fleet, ctrl-c", ctrlC, CUT),
  // Node itself prints a stack if a worker of its cluster starts without its primary.
  { ...fleet("a fleet, kill", kill, "SIGKILL"), line: `exec ${FLEET_RACE} 2> /dev/null` },
  fleet("a fleet's server is killed", toOne(FLEET[0]!), 1, /server\s+process\s+1\s.*died/s),
  fleet("a fleet's client is killed", toOne(FLEET[1]!), 1, /client\s+process\s+1\s.*died/s),
  { ...inClone(), name: "no reader of report", line: "report | true; exit $PIPESTATUS", exit: 0 },
]);
