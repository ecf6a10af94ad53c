import { noWorseThanChance, turnsMayResonate } from "../../../structures/slots/slots.laws.ts";
import { admitting, CONTENTION, EVENNESS, fill } from "../admitting.ts";

export default admitting({
  scenario: "reconnect-elsewhere-600",
  title: "about 10,000 clients that leave at random and reconnect to any worker, over 600 seconds",
  operation: "connect or leave",
  headline: false,
  columns: { ...EVENNESS, ...CONTENTION },
  begin: fill,
  run: (clients, own) => clients.arriveOrLeave(own),
  isNoted: ({ takes, gives }, operations, own) => takes + gives === own + operations,
  // The fleet is not of a constant size, and no spread is claimed for that.
  laws: (competitor, workers, loads) =>
    turnsMayResonate(competitor, workers) ? undefined : noWorseThanChance(loads),
});
