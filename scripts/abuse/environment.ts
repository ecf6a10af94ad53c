import { spawn } from "node:child_process";
import { chownSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Abuse, Call, Promised } from "./abuse.ts";
import { QUIET_NPM, ROOT } from "./checkout.ts";
import { inClone, inShallowClone } from "./clone.ts";
import { planted } from "./planted-candidates.ts";
import { MARK } from "./processes.ts";
import { FIRST_TABLE, ONE_GROUP, RACED } from "./races.ts";
import type { Scene } from "./scene.ts";
import { shellLine } from "./terminal.ts";

/** Terminals, shells, git and machines that are not as they usually are. */

const WELL: Promised = { exit: RACED, says: FIRST_TABLE, kept: { groups: 1, interrupted: false } };
const LIST: Call["command"] = ["bench", "--list", "pick/uniform-8"];

function raced(name: string, circumstances: Partial<Abuse>): Abuse {
  return { name: `environment/${name}`, command: ONE_GROUP, promised: WELL, ...circumstances };
}

const NIGHT: Call["command"] = [
  "nightly",
  "draws/bound-7",
  ...["--workers", "1", "--profile", "quick", "--budget", "1s"],
  ...["--history", "out/history", "--charts", "out/trends", "--out", "out"],
];
const COMPARISON: Call["command"] = [
  "compare",
  "HEAD~1",
  "--workers",
  "1",
  "--size",
  "smoke",
  "--out",
  "out",
];

/** A command that needs more of git than there is: one line says what. */
function ofGit(name: string, command: Call["command"], says: RegExp, circumstances: Partial<Abuse>): Abuse {
  return { name: `environment/${name}`, command, promised: { exit: 2, says }, ...circumstances };
}

/** Takes away what makes a folder a git checkout. */
function withoutRepository(clone: string): void {
  rmSync(join(clone, ".git"), { recursive: true });
}

/** Gives a checkout to somebody else, whom git then refuses to trust by default. */
function givenAway(clone: string): void {
  for (const name of ["", ".git"]) chownSync(join(clone, name), NOBODY, NOBODY);
}
const NOBODY = 65_534;
const unlessRoot = () => (process.getuid?.() === 0 ? undefined : "only root may give files away");

/** A folder with node and what a shell needs, and no git. */
function withoutGit({ folder }: Scene): undefined {
  mkdirSync(join(folder, "bin"));
  symlinkSync(process.execPath, join(folder, "bin", "node"));
}
const NO_GIT = 'PATH="$PWD/bin" "$@"';

/** Keeps all cores busy until it is taken away. */
function load({ mark }: Scene): () => void {
  const loads = Array.from({ length: 2 }, () =>
    // Under another mark: they are no processes of the command.
    spawn(process.execPath, ["-e", "for (;;) {}"], { env: { [MARK]: `${mark}-load` }, stdio: "ignore" }),
  );
  return () => {
    for (const child of loads) child.kill("SIGKILL");
  };
}

const QUOTED = `it's a "place" of ours`;

/** Colours, as a terminal is asked for them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not be there.
const COLOURS = /\x1b\[[39]\dm/;

export const environment: readonly Abuse[] = [
  raced("a-terminal", { inTerminal: true }),
  raced("no-colour", {
    inTerminal: true,
    env: { NO_COLOR: "1" },
    promised: { ...WELL, neverSays: COLOURS },
  }),
  raced("a-dumb-terminal", {
    inTerminal: true,
    env: { TERM: "dumb" },
    promised: { ...WELL, neverSays: COLOURS },
  }),
  raced("no-terminal-type", { inTerminal: true, env: { TERM: undefined } }),
  raced("a-narrow-terminal", {
    inTerminal: true,
    shell: 'stty cols 20; "$@"',
    promised: { ...WELL, says: /lemire/ },
  }),
  raced("a-terminal-of-one-column", {
    inTerminal: true,
    shell: 'stty cols 1; "$@"',
    promised: { ...WELL, says: /lemire/ },
  }),
  raced("no-language", { env: { LANG: "C", LC_ALL: "C" } }),
  raced("a-language-that-is-not-there", { env: { LANG: "xx_XX.UTF-8", LC_ALL: "xx_XX.UTF-8" } }),
  raced("no-home", { env: { HOME: undefined } }),
  raced("a-home-that-is-not-there", { env: { HOME: "/proc/nowhere" } }),
  raced("a-time-zone-far-away", { env: { TZ: "Pacific/Kiritimati" } }),
  raced("nothing-in-the-environment", {
    // The mark stays, or the harness would not find what is left.
    shell: 'env -i HOTPATH_ABUSE="$HOTPATH_ABUSE" "$@"',
  }),
  raced("a-cache-that-cannot-be-written", { env: { NODE_COMPILE_CACHE: "/sys/nowhere" } }),
  raced("a-cache-that-is-a-file", {
    files: { cache: "" },
    env: { NODE_COMPILE_CACHE: "cache" },
  }),
  raced("nice", { shell: 'nice -n 19 "$@"' }),
  raced("one-core", { shell: 'taskset --cpu-list 0 "$@"' }),
  raced("no-core-files-and-few-descriptors", { shell: 'ulimit -c 0; ulimit -n 64; "$@"' }),
  raced("a-closed-umask", { shell: 'umask 0777; "$@"', promised: { exit: [0, 2] } }),
  raced("a-loaded-machine", {
    setUp: load,
    promised: { exit: [0, 1], says: /busy|load/, kept: { groups: 1, interrupted: false } },
  }),
  raced("without-git", { setUp: withoutGit, shell: NO_GIT }),
  raced("a-folder-with-quotes", {
    setUp: ({ folder }) => {
      mkdirSync(join(folder, QUOTED));
    },
    shell: `cd ${shellLine([QUOTED])} && "$@"`,
    // What is given twice counts as it is given last.
    command: [...ONE_GROUP, "--out", "../out"],
  }),
  {
    name: "environment/node-options-that-node-does-not-know",
    command: LIST,
    env: { NODE_OPTIONS: "--frobnicate" },
    promised: { exit: 9, says: /--frobnicate is not allowed in NODE_OPTIONS/ },
  },
  {
    name: "environment/node-options-with-a-nonsensical-value",
    command: LIST,
    env: { NODE_OPTIONS: "--max-old-space-size=nonsense" },
    promised: { exit: [0, 2, 9] },
  },
  {
    name: "environment/called-from-elsewhere-by-npm",
    files: { "from-here.ts": planted({}) },
    command: ["bench", "--list", "pick/uniform-8/from-here", "--candidate", "from-here.ts"],
    shell: `npm --prefix ${shellLine([ROOT])} run --silent bench -- "\${@:5}"`,
    env: QUIET_NPM,
    promised: { exit: 0, says: /pick\/uniform-8\/from-here/ },
  },
  ofGit("nightly-without-git", NIGHT, /no git|git cannot be run/, { setUp: withoutGit, shell: NO_GIT }),
  ofGit("compare-without-git", COMPARISON, /git cannot be run/, { setUp: withoutGit, shell: NO_GIT }),
  ofGit("nightly-outside-git", NIGHT, /no(t a)? git/, inClone(withoutRepository)),
  ofGit("compare-outside-git", COMPARISON, /no(t a)? git/, inClone(withoutRepository)),
  ofGit("nightly-of-another-owner", NIGHT, /safe\.directory/, { ...inClone(givenAway), skip: unlessRoot }),
  ofGit("compare-of-another-owner", COMPARISON, /safe\.directory/, {
    ...inClone(givenAway),
    skip: unlessRoot,
  }),
  ofGit("compare-in-a-shallow-clone", COMPARISON, /shallow/, inShallowClone()),
  {
    name: "environment/nightly-in-a-shallow-clone",
    ...inShallowClone(),
    command: NIGHT,
    promised: { exit: RACED, kept: { groups: 1, interrupted: false } },
  },
];
