import { Beating, JITTER } from "../beating.ts";
import { dispatching, named, SMALL } from "../dispatching.ts";

export default dispatching({
  scenario: "jitter-10k",
  title: `the next of ${named(SMALL)} clients beats, and is due again in 600 to 899 s`,
  operation: "beat",
  params: { clients: SMALL, jitter: JITTER },
  inOrder: false,
  attach: (list, params, seed) => new Beating(list, params, seed),
});
