/**
 * A new primitive begins with the least that has all parts: it gives numbers in turn. Each file is to be changed into
 * what it is really about; their roles stay. By path from the repository's folder.
 */
export function primitiveFiles(name: string): ReadonlyMap<string, string> {
  const type = name
    .split("-")
    .map((word) => `${word[0]!.toUpperCase()}${word.slice(1)}`)
    .join("");
  const structures = `structures/${name}`;
  const suites = `suites/${name}`;
  return new Map([
    [`${structures}/${name}.contract.ts`, contract(type)],
    [`${structures}/${name}.laws.ts`, LAWS],
    [`${structures}/${name}.examination.ts`, examination(name, type)],
    [`${structures}/${name}.test.ts`, test(name)],
    [`${structures}/${name}.exports.ts`, exports(name, type)],
    [`${structures}/${name}.example.ts`, example(name)],
    [`${structures}/competitors/plain-counter.ts`, oracle(name, type)],
    [`${structures}/competitors/typed-array-counter.ts`, rival(name, type)],
    [`${structures}/${name}.mutants.ts`, mutants(name, type)],
    [`${suites}/suite.ts`, suite(name)],
    [`${suites}/scenarios/alone.ts`, scenario(name, type)],
  ]);
}

function contract(type: string): string {
  return `import type { Traits } from "../shared/traits.ts";
import type { Contract } from "../shared/contract.ts";

/** Gives the numbers 0, 1, 2, ... in turn. */
export interface ${type}Competitor extends Traits {
  attach(): ${type};
}

/** Not to be passed to another thread. */
export interface ${type} {
  /** The next number. */
  next(): number;
}

export const contract = {
  question: "Which way of giving numbers in turn costs least?",
  oracle: "plain-counter",
  fields: { attach: "function" },
  optional: {},
  footprint: () => "nothing shared",
} satisfies Contract<${type}Competitor>;
`;
}

const LAWS = `/**
 * The promises as pure functions over what was observed. Each returns undefined, or one sentence that says what broke and
 * by how much.
 */

/** The sum of the first numbers is that of 0, 1, 2, ..., both wrapped to 32 bits: all that a race keeps of them. */
export function numbersAddUp(count: number, checksum: number): string | undefined {
  const expected = Number(BigInt.asIntN(32, (BigInt(count) * BigInt(count - 1)) / 2n));
  return checksum === expected
    ? undefined
    : \`numbersAddUp: the sum of \${count} numbers is \${checksum}, not \${expected}\`;
}
`;

function examination(name: string, type: string): string {
  return `import type { Examination } from "../shared/contract.ts";
import { examined } from "../shared/examination.ts";
import { contract, type ${type}Competitor } from "./${name}.contract.ts";
import { numbersAddUp } from "./${name}.laws.ts";

const NUMBERS = 1000;

/** Every law applied to one competitor; each mutant must fail. */
export const examination = {
  tries: "the sum of the first thousand numbers",
  examine: (url) => examined(url, contract, async (competitor: ${type}Competitor) => lawsBroken(competitor)),
} satisfies Examination;

function lawsBroken(competitor: ${type}Competitor): (string | undefined)[] {
  const handle = competitor.attach();
  let checksum = 0;
  for (let count = 0; count < NUMBERS; count++) checksum = (checksum + handle.next()) | 0;
  return [numbersAddUp(NUMBERS, checksum)];
}
`;
}

function test(name: string): string {
  return `import { testLaws } from "../shared/law-tests.ts";
import { examination } from "./${name}.examination.ts";
import * as laws from "./${name}.laws.ts";
import { mutants } from "./${name}.mutants.ts";

await testLaws({ primitive: "${name}", examination, mutants, laws });
`;
}

function exports(name: string, type: string): string {
  return `/** What a program needs; the competitors are modules of their own, \`hotpath-lab/${name}/<name>\`. */
export type { ${type}, ${type}Competitor } from "./${name}.contract.ts";
`;
}

function example(name: string): string {
  return `import plainCounter from "hotpath-lab/${name}/plain-counter";

/**
 * Gives three numbers. It prints:
 *
 *     0 1 2
 */
const counter = plainCounter.attach();
console.log(\`\${counter.next()} \${counter.next()} \${counter.next()}\`);
`;
}

function oracle(name: string, type: string): string {
  return `import type { ${type}, ${type}Competitor } from "../${name}.contract.ts";

/**
 * The oracle: a variable that is raised.
 *
 * Promise: the numbers 0, 1, 2, ... in turn.
 * Progress: wait-free.
 * Threads: one; every attach begins at 0.
 * Cost: one addition.
 * Memory: one number.
 * Limits: beyond 2^31 - 1 it is a double, which an engine may keep on its heap.
 * Bet: none; it is here because it is obviously right.
 * Source: the textbook.
 */
export default {
  summary: "oracle: a variable that is raised",
  source: "textbook",
  progress: "wait-free",

  attach(): ${type} {
    let given = 0;
    return { next: () => given++ };
  },
} satisfies ${type}Competitor;
`;
}

function rival(name: string, type: string): string {
  return `import type { ${type}, ${type}Competitor } from "../${name}.contract.ts";

/**
 * An element of a typed array that is raised.
 *
 * Promise: the numbers 0, 1, 2, ... in turn.
 * Progress: wait-free.
 * Threads: one; every attach begins at 0.
 * Cost: a load, an addition and a store.
 * Memory: eight bytes, and the array that has them.
 * Limits: beyond 2^53 the next double is no other number.
 * Bet: an element is always a double, so that no number moves to the engine's heap as the oracle's may.
 * Source: the textbook.
 */
export default {
  summary: "an element of a typed array that is raised",
  source: "textbook",
  progress: "wait-free",

  attach(): ${type} {
    const given = new Float64Array(1);
    return { next: () => given[0]!++ };
  },
} satisfies ${type}Competitor;
`;
}

function mutants(name: string, type: string): string {
  return `import { like, type Mutants, mutantAsked, mutantsIn } from "../shared/mutants.ts";
import type { ${type}Competitor } from "./${name}.contract.ts";

const TABLE: Mutants<${type}Competitor> = {
  /** Leaves out the number 7. */
  "skips-one": like("plain-counter", "numbersAddUp", (honest) => ({
    attach() {
      const { next } = honest.attach();
      return {
        next() {
          const number = next();
          return number === 7 ? next() : number;
        },
      };
    },
  })),
};

export const mutants = mutantsIn(TABLE, import.meta.url);
export default await mutantAsked(TABLE, import.meta.url);
`;
}

function suite(name: string): string {
  return `import type { SuiteModule } from "../engine/suite.ts";

/**
 * Question: which way of giving numbers in turn costs least?
 * Workload: one worker takes numbers as fast as it can.
 * Not measured: what the numbers are for; several workers.
 * How to run: npm run bench -- ${name}
 */
export default { primitive: "${name}" } satisfies SuiteModule;
`;
}

function scenario(name: string, type: string): string {
  return `import type { ${type}Competitor } from "../../../structures/${name}/${name}.contract.ts";
import { numbersAddUp } from "../../../structures/${name}/${name}.laws.ts";
import { race } from "../../engine/suite.ts";

export default race<${type}Competitor, null, null>({
  scenario: "alone",
  title: "numbers for one worker",
  operation: "number",
  headline: true,
  baseline: "plain-counter",
  mostWorkers: 1,
  params: { full: null, smoke: null },
  prepare: () => null,

  attach(competitor) {
    const handle = competitor.attach();
    return {
      run(operations) {
        let sum = 0;
        for (let done = 0; done < operations; done++) sum = (sum + handle.next()) | 0;
        return sum;
      },
    };
  },

  law(_competitor, _setup, _shared, work) {
    const [{ operations, checksum }] = work as [(typeof work)[number]];
    return numbersAddUp(operations, checksum);
  },
});
`;
}
