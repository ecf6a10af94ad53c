import type { Verdicts } from "../schema/verdict.ts";
import { left, plain, tableOf } from "../tables/columns.ts";
import { decidedText } from "../tables/decided.ts";
import type { Picture } from "../tables/markdown.ts";
import { foldedAway, foldedUnderHeading, image, list } from "../tables/markdown.ts";
import { type Answer, seenFromAbove } from "./answer.ts";
import { figuresIn, namesIn } from "./evidence.ts";
import { glanceText } from "./glance.ts";
import { HOSTS_FILE } from "./hosts/hosts.ts";
import { type Weighed, worthText } from "./worth.ts";

/** A primitive on the page of all results. */
export interface Doorplate extends Weighed, Verdicts {
  readonly question: string;
  readonly answer: Pick<Answer, "inShort" | "text"> | undefined;
  readonly picture: Picture | undefined;
  /** Whether it has a page. */
  readonly isPublished: boolean;
  /** Whether it has a page of its races on several runtimes. */
  readonly isOnRuntimes: boolean;
}

/** A dated judgement, written by people. */
export interface Review {
  /** Within `reviews`. */
  readonly file: string;
  /** In markdown; its first line is its heading. */
  readonly text: string;
}

const TITLE = "Results";

const INTRODUCTION = `# ${TITLE}

Which structure to take, by the newest records of a virtual machine with two cores and by simulations of larger machines.
For a design review, see [what to take, when, and what you give up](choices.md).

Ratios compare times with those of a baseline: 0.50 means half. Each comes from several processes. Brackets give the interval, at
95 % confidence for all rows of a table together. *Same*: all of the interval lies within 3 % of 1.00. *Cannot tell*: the interval
supports none of faster, slower and same. Simulated figures have a band, because the costs of such machines are known only as
ranges. *No band*: to vary them would take too long.
`;

const ALL = `## Every question

*Figure*: of what the answer names first; in a race the ratio to a baseline. Below the table, each answer unfolds in short
with a picture. The primitive's page has all figures and tables.
`;

const BESIDES = `## How far to trust the numbers

- [Rows that depend](depends.md): processes fall into two groups, and the page shows the ratio of each group.
- [Calibration of the verdicts](calibration/verdicts/README.md): how often a verdict is wrong and how small a difference it
  detects, compared with two other libraries. \`npm run calibrate -- verdicts\` measures it, also [beside a
  disturbance](calibration/verdicts/disturbed.md).
- [Statements of the sources](statements/README.md): each sentence of the source documents, with the figures that decide whether
  it holds. Statements about a simulation also appear on its page. The bounds are those of today's suites, even where the
  record is older.
- [Machines](machines/README.md): who has published, and how to publish a record of yours.
`;

const FILES = `## Names of files

This folder holds only data and text made from it, except for answers and reviews. [The glossary](../suites/README.md)
defines the terms of the tables.

- \`choices.md\`: the tables of all answers. \`depends.md\`: rows with two ratios. \`hosts.md\`: rows that several hosts raced.
  \`retired.md\`: variants that left. \`repeats/\`: whole runs that were repeated.
- \`<primitive>/README.md\`: the answer, its figures, a summary of the evidence, and a link to the page of each scenario.
  \`npm run report\` makes all pages and pictures from the records beside them.
- \`<primitive>/<scenario>.md\`: everything about one scenario, from the newest record of it. Scenarios of one primitive may
  come from different records, and from different versions of the method. Their figures do not compare.
- \`<primitive>/<scenario>-ratios.svg\`: the ratios and verdicts of a headline race. This page shows eight of its rows, as
  \`-brief-ratios.svg\`.
- \`<primitive>/curve-<question>.svg\`: scenarios that ask the same question at several sizes.
- \`<primitive>/<scenario>-series.svg\`: a simulation over time, from its first seed.
- \`<primitive>/flame-<scenario>-<competitor>-<workers>w.svg\`: where a competitor spends its time. The profile lies beside it.
- \`runtimes/<primitive>/\`: races on several runtimes, with records of their own. Its \`README.md\` has their matrices of
  competitors and runtimes. No other page is made from these records.
- \`<primitive>/answer.md\`: the conclusion, written by people, without figures. The primitive's page begins with it, and this
  page shows its first paragraph. The first line gives its date, and \`npm run report\` names answers that are older than a
  record in their tables.
- \`<primitive>/<date>-<commit>-<machine>.json.gz\`: a record, compressed by gzip. It has the quartiles of each row from each process, the
  machine, the runtime and the exact command. Records are never edited.
  [record.schema.json](../suites/engine/schema/record.schema.json) is their schema.
- \`reviews/0001-<subject>.md\`: a dated judgement, written by people. It names the commit, record and rows that it rests on.
- \`machines/<machine>.json\`: a machine that has published. All pages show the one with the most records;
  \`hosts.md\` compares it with the others.
- \`local/\`: the default folder of runs, with slices and verdicts beside each record. It is not committed.

\`npm run bench -- --publish\` writes records and pages here. It needs a clean work tree, so that each record names the commit
that made it. Ratios of different machines do not compare, nor do times of different days.
`;

/**
 * The opening page of the folder of all results. `items` are further lines on how far to trust the numbers; `onHosts` is what
 * holds on all hosts. Pure.
 */
export function frontDoorPage(
  doorplates: readonly Doorplate[],
  reviews: readonly Review[],
  items: readonly string[] = [],
  onHosts = "",
): string {
  const decided = decidedText(doorplates);
  const worth = worthText(doorplates);
  return [
    INTRODUCTION,
    ...(onHosts === ""
      ? []
      : [
          `## What holds on each host\n\n${onHosts}\n[Each row on each host](${HOSTS_FILE}).\n\n## What to take\n`,
        ]),
    glanceText(doorplates),
    ...(worth === "" ? [] : [worth]),
    ALL,
    questionsTable(doorplates),
    ...doorplates.flatMap(inShortFolded),
    ...(decided === "" ? [] : [decided]),
    BESIDES + runtimesItem(doorplates) + list(items),
    ...(reviews.length === 0
      ? []
      : [
          foldedUnderHeading(
            "Dated judgements, the oldest first",
            `## Reviews\n\n${list(reviews.map(reviewLink))}`,
          ),
        ]),
    foldedUnderHeading("Names, and the one command that writes here", FILES),
  ].join("\n");
}

function questionsTable(doorplates: readonly Doorplate[]): string {
  const table = tableOf(TITLE, doorplates, [
    [left("primitive", "Primitive"), linkTo],
    [left("question", "Question"), ({ question }) => question],
    [
      left("answer", "Answer"),
      ({ answer, isPublished }) =>
        isPublished ? inBold(answer?.inShort ?? "") : "Nothing is published yet.",
    ],
    [left("figure", "Figure"), firstFigure],
  ]);
  return plain(table);
}

function firstFigure(plate: Doorplate): string | null {
  const { inShort = "" } = plate.answer ?? {};
  return namesIn(inShort).flatMap((name) => figuresIn(inShort, plate, [name]))[0] ?? null;
}

function linkTo({ primitive, isPublished }: Doorplate): string {
  return `[${primitive}](${isPublished ? pageOf(primitive) : `../structures/README.md#${primitive}`})`;
}

/** The advice of an answer: the bold words that it begins with. */
function inBold(inShort: string): string {
  return /^\*\*[^*]+\*\*/.exec(inShort)?.[0] ?? "";
}

function inShortFolded({ primitive, answer, picture }: Doorplate): string[] {
  if (answer === undefined && picture === undefined) return [];
  const text = [
    ...(answer === undefined ? [] : [`${seenFromAbove(answer.inShort, primitive)}\n`]),
    ...(picture === undefined ? [] : [image(pictureFromAbove(picture, primitive))]),
    `[All tables and pictures of ${primitive}](${pageOf(primitive)})\n`,
  ];
  return [foldedAway(`<b>${primitive}</b>, in short and as a picture`, text.join("\n"))];
}

function pageOf(primitive: string): string {
  return `${primitive}/README.md`;
}

function runtimesItem(doorplates: readonly Doorplate[]): string {
  const links = doorplates
    .filter(({ isOnRuntimes }) => isOnRuntimes)
    .map(({ primitive }) => `[${primitive}](runtimes/${primitive}/README.md)`);
  const raced = links.length === 0 ? "" : ` Raced on each: ${links.join(", ")}.`;
  return `- [Other runtimes](runtimes/README.md): what runs on Node 22, 24 and 26, Bun and Deno, and what differs.${raced}\n`;
}

function pictureFromAbove({ alt, file, wideFile }: Picture, primitive: string): Picture {
  return { alt, file: `${primitive}/${file}`, wideFile: wideFile && `${primitive}/${wideFile}` };
}

function reviewLink({ file, text }: Review): string {
  const [title] = text.split("\n");
  return `[${title!.replace(/^#+ /, "")}](reviews/${file})`;
}
