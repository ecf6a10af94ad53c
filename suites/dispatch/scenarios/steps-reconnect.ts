import type { DispatchCompetitor } from "../../../structures/dispatch/dispatch.contract.ts";
import { CountedCopy, stepsIn } from "../../shared/counted-work.ts";
import { type Metric, survey } from "../../shared/vocabulary.ts";
import { fleetLaw, INTERVAL, NO_JITTER, Reconnecting } from "../beating.ts";

interface StepParams {
  /** By size label: 1,000 and ten times as many. */
  readonly clients: Readonly<Record<Label, number>>;
}

const LABELS = ["1k", "10k"] as const;
type Label = (typeof LABELS)[number];
const ROUNDS = 8;

export default survey<DispatchCompetitor, StepParams>({
  scenario: "steps-reconnect",
  title:
    "any of 1,000 or 10,000 clients is removed and entered for any second of the next 600: steps counted",
  headline: false,
  baseline: "sorted-list",
  // Code of WebAssembly is not counted.
  competitors: ["sorted-list", "ring-of-slots", "ring-of-blocks", "binary-heap", "hashed-wheel"],
  params: {
    full: { clients: { "1k": 1_000, "10k": 10_000 } },
    smoke: { clients: { "1k": 1_000, "10k": 1_200 } },
  },
  metrics: Object.fromEntries(
    LABELS.map((label): [string, Metric] => [
      `steps${label}`,
      { title: `Steps, ${label}`, unit: "/reconnect", digits: 1 },
    ]),
  ),
  mostForks: 2,

  async run(_competitor, { clients }, seed, { competitorUrl }) {
    const copy = await CountedCopy.of<DispatchCompetitor>(competitorUrl);
    const metrics: Record<string, number> = {};
    for (const label of LABELS) {
      const params = { clients: clients[label], jitter: NO_JITTER };
      const list = copy.competitor.create(params.clients, INTERVAL + NO_JITTER - 1);
      const runner = new Reconnecting(list, params, seed);
      const operations = runner.mostOperations;
      let [steps, checksum] = [0, 0];
      for (let round = 0; round < ROUNDS; round++) {
        runner.prepare(operations);
        const work = await copy.workOf(() => {
          checksum = (checksum + runner.run(operations)) | 0;
        });
        steps += stepsIn(work);
      }
      const done = ROUNDS * operations;
      const broken = fleetLaw({ operations: done, checksum, counters: runner.counters() });
      if (broken !== undefined) throw new Error(broken);
      metrics[`steps${label}`] = steps / done;
    }
    copy.end();
    return metrics;
  },
  law: () => undefined,
});
