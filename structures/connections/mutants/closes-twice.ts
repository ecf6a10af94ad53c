import honest from "../competitors/node-set-timeout.ts";
import type { ConnectionsCompetitor } from "../connections.contract.ts";

/** Tells the server of the same connection twice. */
export const breaks = "expiresOnce";

export default {
  ...honest,
  summary: "mutant: each expires twice",
  watch: ({ expired, ...setup }) =>
    honest.watch({
      ...setup,
      expired(connection) {
        expired(connection);
        expired(connection);
      },
    }),
} satisfies ConnectionsCompetitor;
