import { AssertionError } from "node:assert";
import { inspect } from "node:util";
import { Piscina } from "piscina";
import { loadCompetitor } from "../catalog.ts";
import type { AnyContract } from "./contract.ts";
import type { Traits } from "./traits.ts";

/** A sentence on each law that was tried, undefined where it was kept. */
type Sentences = Iterable<string | undefined> | AsyncIterable<string | undefined>;

/**
 * Loads the competitor at `url`, applies `laws` to it and returns the broken ones. An exception that the contract does
 * not ask for also breaks a law. So does a competitor that this runtime cannot run, because nothing can be learnt about
 * it. Ends as soon as the law `until` is found broken.
 */
export async function examined<Competitor extends Traits>(
  url: string,
  contract: AnyContract,
  laws: (competitor: Competitor) => Sentences | Promise<Sentences>,
  until?: string,
): Promise<string[]> {
  const competitor = (await loadCompetitor(url, contract)) as Competitor;
  try {
    const reason = competitor.unavailable?.();
    if (reason !== undefined) return [`runsHere: this runtime cannot run it: ${reason}`];
    return await firstOfEachLaw(await laws(competitor), until);
  } catch (error) {
    return [`nothingIsThrown: ${firstLine(String(error))}`];
  }
}

/** A law made of assertions: its sentence is the first that fails, or any other error that is thrown. */
export async function asserted(law: string, check: () => unknown): Promise<string | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    return `${law}: ${firstLine(describe(error))}`;
  }
}

function describe(error: unknown): string {
  if (!(error instanceof AssertionError)) return String(error);
  const compares = error.generatedMessage && /equal/i.test(error.operator);
  return compares ? `${shown(error.actual)} is not ${shown(error.expected)}` : error.message;
}

function shown(value: unknown): string {
  return inspect(value, { compact: true, breakLength: Number.POSITIVE_INFINITY, maxArrayLength: 10 });
}

/** A law that is broken once is broken in most setups: reporting the first suffices. */
async function firstOfEachLaw(sentences: Sentences, until: string | undefined): Promise<string[]> {
  const broken = new Map<string, string>();
  for await (const sentence of sentences) {
    if (sentence === undefined) continue;
    const law = sentence.split(":", 1)[0]!;
    if (!broken.has(law)) broken.set(law, sentence);
    if (law === until) break;
  }
  return [...broken.values()];
}

export function firstLine(text: string): string {
  return text.split("\n", 1)[0]!;
}

/** Threads that run the default export of this module. Start them once: that takes longer than to examine. Destroy them. */
export function threadsOf(module: URL, threads: number): Piscina {
  return new Piscina({ filename: module.href, minThreads: threads, maxThreads: threads, execArgv: [] });
}
