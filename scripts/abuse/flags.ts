import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { Abuse, Call, Promised } from "./abuse.ts";
import { QUIET_NPM, ROOT } from "./checkout.ts";
import { inClone } from "./clone.ts";
import { shellLine } from "./terminal.ts";

/** What is mistyped, left out, out of range or asked for together with what it does not go with. */

function refused(name: string, command: Call["command"], says: RegExp): Abuse {
  return { name: `flags/${name}`, command, promised: { exit: 2, says } };
}

function answered(name: string, command: Call["command"], promised: Promised): Abuse {
  return { name: `flags/${name}`, command, promised };
}

function dirtied(clone: string): void {
  appendFileSync(join(clone, "package.json"), "\n");
}

/** A cell that is raced in a second, should the dashes not be missed. */
const CELL = "draws/bound-7/lemire/1w";

/** An option that stands before the `--` or without one, as bench gets it from npm: the error shows the line that was meant. */
function withoutDashes(option: string, typed: string): Abuse {
  const meant = new RegExp(`npm kept --${option}.*npm run bench -- .*--${option}`);
  return {
    ...refused(`${option}-without-the-dashes`, ["bench"], meant),
    shell: `cd ${shellLine([ROOT])} && npm run --silent bench ${typed}`,
    env: QUIET_NPM,
  };
}

/** More than the few names that are really near. */
const MANY_NAMES = /nearest first: .*--.*--.*--.*--/;

export const flags: readonly Abuse[] = [
  refused("nearly-an-option", ["bench", "--profil", "quick"], /--profil\b.*--profile/),
  {
    ...refused("nearly-an-option-is-short", ["bench", "--profil", "quick"], /--profile/),
    promised: { exit: 2, says: /--profile/, neverSays: MANY_NAMES },
  },
  refused("no-option-at-all", ["bench", "--frobnicate"], /--frobnicate.*--help/),
  refused("an-option-of-one-letter", ["bench", "-x"], /-x/),
  refused("an-option-without-its-value", ["bench", "--out"], /--out/),
  refused("an-empty-value", ["bench", "pick", "--workers", ""], /--workers/),
  refused("a-flag-with-a-value", ["bench", "--list=yes"], /--list/),
  refused("nearly-a-cell", ["bench", "pik"], /pik.*pick/),
  refused("nearly-a-scenario", ["bench", "pick/uniform-9"], /uniform-9.*pick\/uniform-/),
  refused("a-very-long-filter", ["bench", "x".repeat(20_000)], /no cell/),
  {
    ...refused("escapes-in-a-filter", ["bench", "\x1b[2J"], /no cell/),
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not reach a terminal.
    promised: { exit: 2, neverSays: /\x1b/ },
  },
  refused("no-workers", ["bench", "--workers", "0"], /--workers 0.*1 to/),
  refused("too-many-workers", ["bench", "--workers", "100000"], /--workers 100000/),
  refused("a-budget-without-a-unit", ["bench", "--budget", "5"], /--budget 5.*90s/),
  refused("a-precision-without-a-unit", ["bench", "--precision", "1"], /--precision 1.*1%/),
  refused("a-seed-that-is-no-number", ["bench", "--seed", "abc"], /--seed abc/),
  refused("nearly-a-profile", ["bench", "--profile", "quik"], /quik.*quick/),
  refused("nearly-an-engine", ["bench", "--engine", "mitta"], /mitta.*mitata/),
  refused("an-engine-that-publishes", ["bench", "--engine", "mitata", "--publish"], /--publish/),
  refused("published-with-a-candidate", ["bench", "pick", "--publish", "--out", "out"], /--publish/),
  {
    ...refused("published-from-a-changed-tree", ["bench", "draws", "--publish"], /uncommitted changes/),
    ...inClone(dirtied),
  },
  {
    ...refused("nightly-from-a-changed-tree", ["nightly", "draws"], /uncommitted changes/),
    ...inClone(dirtied),
  },
  refused("report-in-two-ways", ["report", "--markdown", "--verdicts"], /remove one/),
  refused("report-of-nothing-as-markdown", ["report", "--markdown"], /name one/),
  refused("calibrate-without-a-part", ["calibrate"], /verdicts.*readings/),
  refused("calibrate-with-cells-alone", ["calibrate", "pick"], /verdicts.*readings/),
  refused("calibrate-nearly-a-part", ["calibrate", "verdics"], /verdics.*verdicts/),
  refused("new-nearly-a-kind", ["new", "competitr", "pick", "my-idea"], /competitr.*competitor/),
  refused("new-of-an-unknown-primitive", ["new", "competitor", "pik", "my-idea"], /pik.*pick/),
  refused("new-with-an-odd-name", ["new", "competitor", "pick", "My Idea"], /My Idea/),
  refused("export-without-a-format", ["export", "record.json"], /--format/),
  refused("export-nearly-a-format", ["export", "--format", "otva", "record.json"], /otva.*otava/),
  refused("flame-without-a-cell", ["flame"], /which cells/),
  refused("flame-for-no-time", ["flame", "pick/uniform-8/cas-ring/1w", "--seconds", "0"], /--seconds 0/),
  refused("compare-with-nothing", ["compare"], /what is to be compared/),
  refused("compare-with-nearly-a-branch", ["compare", "no-such-branch"], /no-such-branch/),
  refused("nightly-of-a-shard-too-many", ["nightly", "--shard", "9/4"], /--shard 9\/4/),
  refused("merge-of-nothing", ["merge"], /record/i),
  refused("tidy-with-an-option", ["tidy", "--frobnicate"], /--frobnicate/),
  refused("assemble-with-an-option", ["assemble", "--frobnicate"], /--frobnicate/),
  refused("test-with-an-option", ["test:changed", "--frobnicate"], /--frobnicate/),
  refused("abuse-of-no-name", ["abuse", "candidats"], /candidats.*candidates/),
  answered("help-in-one-letter", ["bench", "-h"], { exit: 0, says: /^usage: npm run bench/m }),
  answered("help-of-nightly-in-one-letter", ["nightly", "-h"], { exit: 0, says: /^usage: npm run nightly/m }),
  answered("help-of-tidy", ["tidy", "--help"], { exit: 0, says: /^usage: npm run tidy/m }),
  answered("help-beside-nonsense", ["bench", "pik", "--help"], { exit: 0, says: /^usage: npm run bench/m }),
  withoutDashes("list", `${CELL} --list`),
  withoutDashes("profile", `${CELL} --profile quick`),
  withoutDashes("seed", `--seed=7 ${CELL}`),
];
