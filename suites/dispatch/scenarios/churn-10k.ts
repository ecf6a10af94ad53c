import { Churning, Fleet, NO_JITTER } from "../beating.ts";
import { dispatching, named, SMALL } from "../dispatching.ts";

export default dispatching({
  scenario: "churn-10k",
  title: `the next of ${named(SMALL)} clients beats, and after every sixth beat any of them reconnects`,
  operation: "beat",
  params: { clients: SMALL, jitter: NO_JITTER },
  inOrder: false,
  headline: true,
  attach: (list, params, seed) => new Churning(list, new Fleet(params, seed, true), "anywhere"),
});
