import { toMarkdown } from "../../../reporter/src/index.ts";
import type { BenchRecord } from "../../schema/record.ts";
import { left, right, tableOf } from "../../tables/columns.ts";
import { HOSTS_FILE } from "./hosts.ts";

/** A machine that has published. */
export type Publisher = Pick<BenchRecord["machine"], "slug" | "cpu" | "cores" | "platform">;

const TITLE = "Machines";

const RUN_SHEET = `# ${TITLE}

All other pages show the machine with the most records. This page says how to add yours.

## Run sheet

1. Clone the repository, and run \`npm ci\`. Close what uses the processor, and plug a laptop in.
2. Race a scenario. It takes minutes, and says beforehand how many:

       npm run bench -- locks/short-section --publish

   The other headline scenarios are \`pick/uniform-8\`, \`timers/refresh-100k\`, \`slots/connect-600\` and \`ownership/flow\`.
   \`npm run bench -- --publish\` races all of them, and says beforehand how long that takes.
3. Look at what it wrote: the record in \`results/locks/\`, your machine in \`results/machines/\`, and this page. The pages of
   locks keep showing the machine that they showed before.
4. Commit these files without changes to code, and open a pull request. The record names the commit, the seed and the command,
   so that anybody can run it again. The file of your machine has its processor, cores, memory and kernel, and no name of it.

A record is welcome whatever it says. It has to come from a commit of this repository, from a machine that did nothing else,
and with all contenders of a scenario.
`;

/** The page of machines: how to add one, and who has. Pure. */
export function machinesPage(machines: readonly Publisher[]): string {
  return [
    RUN_SHEET,
    machinesTable(machines),
    `What machines say of the same rows, also in whole runs that were repeated, is [on another page](../${HOSTS_FILE}).\n`,
    "Made by `npm run report` from the newest records of each machine. Do not edit.\n",
  ].join("\n");
}

function machinesTable(machines: readonly Publisher[]): string {
  const table = tableOf("Who has published", machines, [
    [left("slug", "Machine"), ({ slug }) => slug],
    [left("cpu", "Processor"), ({ cpu }) => cpu],
    [right("cores", "Cores"), ({ cores }) => cores],
    [left("platform", "System"), ({ platform }) => platform],
  ]);
  return toMarkdown(table, { headingLevel: 2 });
}
