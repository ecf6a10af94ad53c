import {
  evenUnderChurn,
  loadsHaveASay,
  noWorseThanChance,
  turnsMayResonate,
} from "../../../structures/slots/slots.laws.ts";
import { admitting, CONTENTION, EVENNESS, fill } from "../admitting.ts";

export default admitting({
  scenario: "reconnect-600",
  title: "10,000 clients that leave at random and reconnect at once to the same worker, over 600 seconds",
  operation: "reconnect",
  headline: false,
  columns: { ...EVENNESS, ...CONTENTION },
  begin: fill,
  run: (clients) => clients.replace(),
  isNoted: ({ takes, gives }, operations, own) => takes === own + operations && gives === operations,
  laws: (competitor, workers, loads) =>
    evenUnderChurn(competitor, workers, loads) ??
    (turnsMayResonate(competitor, workers) ? undefined : noWorseThanChance(loads)) ??
    loadsHaveASay(competitor, loads),
});
