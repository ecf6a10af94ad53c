import { Beating, NO_JITTER } from "../beating.ts";
import { dispatching, named, SIZES } from "../dispatching.ts";

export default SIZES.map(([label, clients]) =>
  dispatching({
    scenario: `beat-${label}`,
    title: `the next of ${named(clients)} clients beats, and is due again in 600 s`,
    operation: "beat",
    params: { clients, jitter: NO_JITTER },
    inOrder: true,
    curve: "beat",
    attach: (list, params, seed) => new Beating(list, params, seed),
  }),
);
