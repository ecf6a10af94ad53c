import { NO_JITTER, Reconnecting } from "../beating.ts";
import { dispatching, named, SIZES } from "../dispatching.ts";

export default SIZES.slice(0, 2).map(([label, clients]) =>
  dispatching({
    scenario: `reconnect-${label}`,
    title: `any of ${named(clients)} clients is removed and entered for any second of the next 600`,
    operation: "reconnect",
    params: { clients, jitter: NO_JITTER },
    inOrder: false,
    curve: "reconnect",
    attach: (list, params, seed) => new Reconnecting(list, params, seed),
  }),
);
