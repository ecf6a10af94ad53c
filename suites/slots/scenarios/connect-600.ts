import { evenFilling, loadsHaveASay, noWorseThanChance } from "../../../structures/slots/slots.laws.ts";
import { admitting, CONTENTION } from "../admitting.ts";

export default admitting({
  scenario: "connect-600",
  title: "clients that connect and stay, one of 600 seconds for each",
  operation: "connect",
  headline: true,
  columns: CONTENTION,
  begin: () => {},
  run: (clients) => clients.admit(),
  isNoted: ({ takes, gives }, operations) => takes === operations && gives === 0,
  laws: (competitor, workers, loads) =>
    evenFilling(competitor, workers, loads) ?? noWorseThanChance(loads) ?? loadsHaveASay(competitor, loads),
});
