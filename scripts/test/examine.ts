import { contractOf, examinationOf, loadCompetitor } from "../../structures/catalog.ts";
import { firstLine } from "../../structures/shared/examination.ts";
import type { Finding } from "./on-runtime.ts";

/**
 * A program for any runtime. It applies every law of a primitive to the competitor at a URL. It reports what it found
 * in a line of JSON, the last that it prints.
 */
const [primitive, url] = process.argv.slice(2) as [string, string];

async function find(): Promise<Finding> {
  const reason = (await loadCompetitor(url, await contractOf(primitive))).unavailable?.();
  if (reason !== undefined) return { kind: "absent", reason };
  const { examine } = await examinationOf(primitive);
  const broken = await examine(url);
  return broken.length === 0 ? { kind: "kept" } : { kind: "broken", sentences: broken.map(firstLine) };
}

process.stdout.write(`\n${JSON.stringify(await find())}\n`, () => process.exit());
