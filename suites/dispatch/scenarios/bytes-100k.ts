import type { DispatchCompetitor } from "../../../structures/dispatch/dispatch.contract.ts";
import { type Instruments, type Metric, survey } from "../../shared/vocabulary.ts";
import { Churning, Fleet, fleetLaw, INTERVAL, NO_JITTER, type Params } from "../beating.ts";
import { LARGE, named, SMOKE_CLIENTS } from "../dispatching.ts";

export default survey<DispatchCompetitor, Params>({
  scenario: "bytes-100k",
  title: `bytes of a list of ${named(LARGE)} clients, entered in the order of their deadlines throughout`,
  headline: false,
  baseline: "sorted-list",
  params: {
    full: { clients: LARGE, jitter: NO_JITTER },
    smoke: { clients: SMOKE_CLIENTS, jitter: NO_JITTER },
  },
  metrics: {
    bytesFilled: { title: "Filled", unit: "B/client", digits: 1 },
    bytesChurned: { title: "After churn", unit: "B/client", digits: 1 },
  } satisfies Record<string, Metric>,
  run: surveyBytes,
  law: () => undefined,
});

/** How often every client beats, and half of them reconnect, before the bytes are counted again. */
const SURVEYED_BEATS = 3;
/** A fleet that runs first, so that what is compiled and learned for the code is not counted as bytes of a list. */
const REHEARSED_CLIENTS = 1000;

/** Bytes that a list holds once filled, and after clients have been removed, taken and entered for a while. */
function surveyBytes(
  competitor: DispatchCompetitor,
  params: Params,
  seed: number,
  { heldBytes }: Instruments,
): Readonly<Record<string, number>> {
  rehearse(competitor, { ...params, clients: REHEARSED_CLIENTS }, seed);
  const { clients } = params;
  const fleet = new Fleet(params, seed, true);
  const bytesBefore = heldBytes();
  const list = competitor.create(clients, INTERVAL);
  const churning = new Churning(list, fleet, "an interval ahead");
  const bytesFilled = (heldBytes() - bytesBefore) / clients;
  const operations = SURVEYED_BEATS * clients;
  const checksum = churning.run(operations);
  const broken = fleetLaw({ operations, checksum, counters: churning.counters() });
  if (broken !== undefined) throw new Error(broken);
  return { bytesFilled, bytesChurned: (heldBytes() - bytesBefore) / clients };
}

/** All that a survey calls, on a list that is garbage afterwards. */
function rehearse(competitor: DispatchCompetitor, params: Params, seed: number): void {
  const list = competitor.create(params.clients, INTERVAL);
  const fleet = new Fleet(params, seed, true);
  new Churning(list, fleet, "an interval ahead").run(SURVEYED_BEATS * params.clients);
}
