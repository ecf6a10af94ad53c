import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { urlOf } from "../capture/address.ts";
import type { Listed } from "../capture/list.ts";
import { labelOf } from "../capture/task.ts";
import { PROFILES } from "../measure/plan/plan.ts";
import { askFork } from "../measure/run/process.ts";
import { raceText } from "../race-text.ts";
import { raceTasks } from "./race-tasks.ts";

const LIST = new URL("../capture/list.ts", import.meta.url).href;

/** Races the tasks of a bench file, group by group. */
const file = pathToFileURL(resolve(process.argv[2]!)).href;
const answer = await askFork(
  { kind: "call", module: LIST, argument: { file, ending: "pause" } },
  { estimateMs: 10_000 },
);
if (answer.kind !== "called") throw new Error(JSON.stringify(answer));
const { tasks } = answer.value as Listed;
const races = [...Map.groupBy(tasks, ({ groups }) => groups.join(" / "))].map(([title, own]) => ({
  title,
  contestants: own.map(({ groups, name, ordinal }) => {
    const key = { groups, name, ordinal };
    return { label: labelOf(key), url: urlOf({ file, ending: "pause", key }) };
  }),
  baseline: 0,
  workers: 1,
}));
await raceTasks(races, {
  profile: PROFILES.standard,
  seed: 1,
  raced: ({ judged }) => process.stdout.write(`${raceText(judged, { isProved: false })}\n`),
});
