import type { Option } from "../../engine/cli/command-line.ts";
import { PROFILES } from "../../engine/measure/plan/plan.ts";
import { BEARABLE_SHARE } from "../disturbance.ts";

/** Options that many commands have, each as all of them describe it. A command names the ones that it takes. */
export const OPTIONS = {
  workers: {
    value: "1,2,4",
    help: "worker counts (default: 1, 2, 4, 8 up to the cores; more workers than cores are marked oversubscribed)",
  },
  list: { help: "print the cells and how long they will take; measure nothing" },
  budget: {
    value: "TIME",
    help: "time for all races together, as 90s, 45m or 1h30m (default: the profile's)",
  },
  seed: {
    value: "N",
    help: `repeat the order and workload of an earlier run, 0 to 2^32 - 1 (default: drawn at random, printed and
      recorded)`,
  },
  "wait-quiet": {
    value: "TIME",
    help: `wait up to this time, as 10m, until the machine has been quiet for some seconds: other processes and other
      virtual machines each have at most ${100 * BEARABLE_SHARE} % of the cores' time. When the time is up, measure anyway and say so`,
  },
  out: { value: "DIR", isPath: true, help: "folder for what is written (default results/local)" },
  resume: {
    value: "RECORD",
    isPath: true,
    help: `finish an interrupted run from its record, with the same request; finished parts are not measured again`,
  },
  json: {
    help: `print the record on stdout and the tables on stderr; npm prints a line on stdout, too, unless it is called as
      npm run -s`,
  },
} as const satisfies Readonly<Record<string, Option>>;

type ProfileName = keyof typeof PROFILES;

/**
 * How much is measured, by one of the engine's profiles or of the command's own, a line each. `ofFull` is what else `full`
 * means.
 */
export function profileOption<const Usual extends string>(
  usual: Usual,
  { own = {}, before = "", ofFull = "" }: { own?: object; before?: string; ofFull?: string } = {},
) {
  const engines = Object.keys(PROFILES).map((name) => [name, describeProfile(name as ProfileName)]);
  const lines = [...Object.entries(own), ...engines].map(
    ([name, text]) =>
      `${name!.padEnd(8)}  ${text}${name === "full" ? ofFull : ""}${name === usual ? " (default)" : ""}`,
  );
  return { value: "NAME", default: usual, help: `${before}\n${lines.join("\n")}` } as const;
}

/** A profile in a help text. */
export function describeProfile(name: ProfileName): string {
  const { secondsPerCell, precision } = PROFILES[name];
  return `${secondsPerCell} s a cell, to ${100 * precision} %`;
}
