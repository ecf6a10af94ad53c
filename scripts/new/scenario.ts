import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { UsageError } from "../../suites/lab/command/usage.ts";
import { type LoadedSuite, moduleUrlOf } from "../../suites/lab/plan/asked.ts";
import type { Scenario } from "../../suites/shared/vocabulary.ts";

/** A new scenario is a headline one of its primitive under a new name until it is changed. */
export async function scenarioFile(loaded: LoadedSuite, name: string): Promise<ReadonlyMap<string, string>> {
  const { primitive, scenarios } = loaded.suite;
  const taken = scenarios.find(({ scenario }) => scenario === name || scenario.startsWith(`${name}-`));
  // The file would be looked into for that one, too.
  if (taken !== undefined)
    throw new UsageError(`${primitive} has the scenario ${taken.scenario}: choose another name`);
  const { scenario } = exampleOf(scenarios);
  const module = moduleUrlOf(loaded, scenario);
  const { default: exported } = (await import(module)) as { default: Scenario | readonly Scenario[] };
  const file = basename(fileURLToPath(module));
  const [imported, copied] = Array.isArray(exported)
    ? ["curve", `...curve.find(({ scenario }) => scenario === "${scenario}")!`]
    : ["copied", "...copied"];
  return new Map([
    [
      `suites/${primitive}/scenarios/${name}.ts`,
      `import ${imported} from "./${file}";

/** A copy of ${scenario}, to be changed. Once nothing of that is left, \`race\` of engine/race.ts makes one from the ground. */
export default {
  ${copied},
  scenario: "${name}",
  title: "a copy of ${scenario}, to be changed",
  headline: false,
};
`,
    ],
  ]);
}

/** A race if there is any, and no point of a curve, which pages would draw as another. */
function exampleOf(scenarios: readonly Scenario[]): Scenario {
  const headlines = scenarios.filter(({ headline }) => headline);
  const isAlone = (scenario: Scenario) => scenario.kind === "race" && scenario.point === undefined;
  return headlines.find(isAlone) ?? headlines[0] ?? scenarios[0]!;
}
