import type { PickCompetitor } from "../../../structures/pick/pick.contract.ts";
import { race } from "../../engine/race.ts";
import { attach, type ChangingParams, lawBroken, prepare, type Shared } from "../changing.ts";
import { unanswered } from "../simulated.ts";

/** What members that change cost the pickers: announced to a picker that has `members`, a rebuild for any other. */
export default race<PickCompetitor, ChangingParams, Shared>({
  scenario: "members-changing",
  title: "one of 8 backends leaves or comes back at every 1,024th pick of one worker",
  operation: "pick",
  headline: false,
  // The order that is rebuilt with the least ado.
  baseline: "shuffled-round-robin",
  params: {
    full: { backends: 8, picksPerChange: 1_024 },
    smoke: { backends: 8, picksPerChange: 64 },
  },
  columns: {
    changes: { title: "Changes", unit: "per pick", reduce: "per-op" },
    putOff: { title: "Put off", unit: "per pick", reduce: "per-op" },
  },
  absent(competitor, { backends }) {
    if (competitor.order === "none") return "a floor has no members";
    if (competitor.variantOf !== undefined) return "a variant: see uniform-8";
    if (competitor.background !== undefined) return "the thread beside the workers would go on with what was";
    if (!competitor.dependsOnBackends) return "its instance is the same for any number of backends";
    const refused = unanswered(competitor) ?? competitor.refuses?.({ backends });
    return refused ?? competitor.refuses?.({ backends: backends - 1 });
  },
  prepare,
  attach,
  law: lawBroken,
});
