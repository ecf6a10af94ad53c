import { competitorsOf } from "../../structures/catalog.ts";
import { describeCompetitors, loadSuites } from "./suites.ts";

/**
 * A program that reports on stdout, in its last line and as JSON, what competitors declare on the runtime that runs it.
 * A competitor that needs what the runtime lacks is absent there. Its arguments are a size, and filters on cell names.
 */
const [size, ...filters] = process.argv.slice(2);
const described = await describeCompetitors(
  await loadSuites(),
  competitorsOf,
  filters,
  size === "smoke" ? size : "full",
);
process.stdout.write(`\n${JSON.stringify([...described])}\n`, () => process.exit());
