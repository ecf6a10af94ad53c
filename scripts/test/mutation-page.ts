import { type Bounds, wilsonInterval } from "../../suites/engine/statistics.ts";
import { type Block, blocksMarkdown } from "../../suites/lab/tables/blocks.ts";
import { left, right } from "../../suites/lab/tables/columns.ts";
import { areaOf, type Mutant } from "./mutants.ts";
import type { Ended } from "./trial.ts";

/** What a sample of mutants came to, as a page. Pure. */

export interface Tried extends Mutant {
  /** What stood there. */
  readonly was: string;
  readonly ended: Ended;
  /** The test that failed. */
  readonly by?: string | undefined;
}

export interface MutationRecord {
  readonly startedAt: string;
  readonly commit: string;
  readonly command: string;
  readonly stryker: string;
  readonly seed: number;
  /** How many mutants there are, by area. */
  readonly mutants: Readonly<Record<string, number>>;
  readonly tried: readonly Tried[];
}

export function mutationPage(record: MutationRecord): string {
  return `# Mutants of structures/\n\n${blocksMarkdown(mutationBlocks(record))}\n${MADE_BY}`;
}

const MADE_BY = "Made by `npm run mutate`. What the survivors mean is said in the reviews. Do not edit.\n";

export function mutationBlocks({ mutants, tried, ...made }: MutationRecord): Block[] {
  const survivors = tried.filter(({ ended }) => ended === "survived");
  return [
    "How much the tests of a primitive see: a random sample of the changes that Stryker would make to the published sources, each made alone, and the tests of its folder run until one fails.",
    {
      title: "Score",
      provenance: [
        ["Commit", made.commit],
        ["Date", made.startedAt],
        ["Command", `\`${made.command}\``],
        ["Mutants", `those of \`${made.stryker}\`, without texts`],
        ["Seed", String(made.seed)],
      ],
      columns: [
        left("area", "Folder"),
        right("mutants", "Mutants"),
        right("tried", "Sampled"),
        right("killed", "Test fails"),
        right("hung", "Hangs"),
        right("survived", "Survives"),
        right("seen", "Seen", "%"),
      ],
      rows: Object.keys(mutants).map((area) => ({
        cells: scoreOf(
          tried.filter(({ file }) => areaOf(file) === area),
          area,
          mutants[area]!,
        ),
      })),
      legend: [
        "Mutants: all that there are; Sampled: those drawn at random, each as likely as any other of its folder. Hangs: no test ended for four times as long as the slowest takes, and in a second try, alone, neither. Seen: those that fail or hang, with the 95 % interval (Wilson) of what all would show.",
        "A mutant is held to the tests of its own folder alone. `shared/` is run by those of every primitive as well, which are not counted here.",
      ],
    },
    {
      title: "Survivors",
      provenance: [],
      columns: [
        left("where", "Where"),
        left("was", "What stands there"),
        left("is", "What stood in its place"),
      ],
      rows: survivors.map(({ file, line, was, replacement }) => ({
        cells: { where: `${file.replace("structures/", "")}:${line}`, was: code(was), is: code(replacement) },
      })),
      legend: [],
    },
  ];
}

function scoreOf(tried: readonly Tried[], area: string, mutants: number): Record<string, string> {
  const count = (ended: Ended) => tried.filter((one) => one.ended === ended).length;
  const seen = tried.length - count("survived");
  return {
    area,
    mutants: String(mutants),
    tried: String(tried.length),
    killed: String(count("killed")),
    hung: String(count("hung")),
    survived: String(count("survived")),
    seen:
      tried.length === 0
        ? "-"
        : `${percent(seen / tried.length)} ${percents(wilsonInterval(seen, tried.length))}`,
  };
}

function percents({ low, high }: Bounds): string {
  return `(${percent(low)}-${percent(high)})`;
}

function percent(share: number): string {
  return (100 * share).toFixed(0);
}

/** In one cell of one line. */
function code(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  const shown = line.length > MOST_SHOWN ? `${line.slice(0, MOST_SHOWN)} ...` : line;
  return `\`${shown.replaceAll("`", "'").replaceAll("|", "\\|")}\``;
}

const MOST_SHOWN = 70;
