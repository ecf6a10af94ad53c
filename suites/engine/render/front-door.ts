import { posix } from "node:path";
import type { Answer } from "./answer.ts";
import { toMarkdown } from "./benchmark-reporter-markdown/src/index.ts";
import { left } from "./columns.ts";
import type { Picture } from "./drawing.ts";
import { foldedAway, foldedUnderHeading, image, list, withoutHeading } from "./markdown.ts";
import { type Raced, toldText } from "./told.ts";

/** A primitive as the page of all results shows it. */
export interface Doorplate extends Raced {
  readonly question: string;
  readonly answer: Pick<Answer, "inShort"> | undefined;
  readonly picture: Picture | undefined;
  /** Whether it has a page. */
  readonly isPublished: boolean;
  /** Whether it has one of its races on several runtimes. */
  readonly isOnRuntimes: boolean;
}

/** What people wrote of the results. */
export interface Review {
  /** Within `reviews`. */
  readonly file: string;
  /** In markdown; its first line is its heading. */
  readonly text: string;
}

const TITLE = "What was seen";

const INTRODUCTION = `# ${TITLE}

Each primitive's question and what to take, by its newest records. Its figures and the picture that says most of them
unfold below the table; its page has all tables. For a design review:
[what to take, when, and what you give up](choices.md), of each a table.
`;

const BESIDES = `## What speaks for the numbers, and against them

- [Rows that depend](depends.md): where processes fall into two groups that answer differently, both answers.
- [Calibration of the verdicts](calibration/verdicts/README.md): how often the lab's verdicts are wrong and how small a
  difference they see, beside two other libraries; made from the newest record of \`npm run calibrate -- verdicts\`.
- [Calibration of the readings](calibration/readings/README.md): what the lab, mitata and tinybench measure for the same
  cells, and why where they differ; made from the newest record of \`npm run calibrate -- readings\`.
- [The claims](claims/README.md): what the source documents claim, sentence by sentence, beside the cells that show
  whether it holds. What they claim of a simulation stands on its page too. The quotes, the bounds that figures are held
  to and the notes are those of the suites today, not of when the record was made.
- Records of the Intel Xeon name commits that are not in this history:
  [review 0010](reviews/0010-what-the-second-edition-changed.md#what-weighs-on-the-records).
`;

const FILES = `## Names of files

This folder has data and generated text only. The words of the tables are explained in [suites/README.md](../suites/README.md).

- \`choices.md\`: the tables of all answers, made from them. \`depends.md\`: rows with two answers.
- \`<primitive>/README.md\`: the answer, what it rests on in short, and a link to the page of each scenario; made from
  the records beside it by \`npm run report\`, as all pages and pictures are.
- \`<primitive>/<scenario>.md\`: all that the newest record which has it says of one scenario. So scenarios of one
  primitive may be of different records, and even of different versions of the method, which do not compare.
- \`<primitive>/<scenario>-ns-per-op.svg\`: a race's rows as a picture; with \`-narrow\` for a telephone, as of all
  pictures.
- \`<primitive>/<scenario>-ratios.svg\`: the ratios and verdicts of a headline race, at a glance.
- \`<primitive>/curve-<question>.svg\`: scenarios that ask the same at several sizes, over all of them.
- \`<primitive>/<scenario>-series.svg\`: what a simulation does over time, from its first seed.
- \`<primitive>/flame-<scenario>-<competitor>-<workers>w.svg\`: where the time of a competitor goes, with the profile it
  was drawn from beside it.
- \`runtimes/<primitive>/\`: the same of races on several runtimes, from records of their own beside them: in
  \`README.md\` the matrix of competitor and runtime, as the picture \`<scenario>-runtimes.svg\` too. Nothing outside of
  this folder is made from them, and nothing in it from other records.
- \`<primitive>/answer.md\`: the conclusion from the tables, written by people. It stands at the top of the page, word for word,
  and its first paragraph here. It has no heading of the first level. Its first line is \`Written for the newest
  records.\`, and then every figure in it is a link that names its row, and is held to the newest verdicts; or it is
  \`Written for <record file>.\`, and once there is a newer record the page says above it which ones its tables are from.
- \`<primitive>/<date>-<commit>-<machine>.json\`: a record: what each process saw of each row, in
  quartiles, the machine, the runtime and the exact command. Records are never edited; their schema is
  [record.schema.json](../suites/engine/schema/record.schema.json).
- \`reviews/0001-<subject>.md\`: a dated judgement, written by people: the commit, the record and the rows it rests on. It
  may be held to the newest verdicts by the same line.
- \`machines/<machine>.json\`: a machine that has published.
- \`local/\`: where runs go by default, each with its slices and its verdicts beside its record; not committed.

\`npm run bench -- --publish\` writes records and pages here, from a clean work tree only, so that the commit named in a
record is the code that made it. Ratios of different machines do not compare; neither do times of different days.
`;

/** The page that the folder of all results opens with. Pure. */
export function frontDoorPage(doorplates: readonly Doorplate[], reviews: readonly Review[]): string {
  const told = toldText(doorplates);
  return [
    INTRODUCTION,
    questionsTable(doorplates),
    ...doorplates.flatMap(inShortFolded),
    ...(told === "" ? [] : [told]),
    BESIDES + runtimesItem(doorplates),
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
  return withoutHeading(
    toMarkdown({
      title: TITLE,
      provenance: [],
      columns: [left("primitive", "Primitive"), left("question", "Question"), left("answer", "Answer")],
      rows: doorplates.map(({ primitive, question, answer, isPublished }) => ({
        cells: isPublished
          ? {
              primitive: `[${primitive}](${pageOf(primitive)})`,
              question,
              answer: answer === undefined ? "" : inBold(answer.inShort),
            }
          : {
              primitive: `[${primitive}](../structures/README.md#${primitive})`,
              question,
              answer: "Nothing is published yet.",
            },
      })),
      legend: [],
    }),
  );
}

/** What an answer says to take: the bold words that it begins with. */
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

function pictureFromAbove({ alt, file, narrow }: Picture, primitive: string): Picture {
  return {
    alt,
    file: `${primitive}/${file}`,
    narrow: `${primitive}/${narrow}`,
  };
}

/** A text of a primitive's folder with its links as they are from the folder above. */
export function seenFromAbove(text: string, primitive: string): string {
  return text.replaceAll(/\]\((?![a-z]+:|#)([^)]+)\)/g, (_, target: string) => {
    return `](${posix.join(primitive, target)})`;
  });
}

function reviewLink({ file, text }: Review): string {
  const [title] = text.split("\n");
  return `[${title!.replace(/^#+ /, "")}](reviews/${file})`;
}
