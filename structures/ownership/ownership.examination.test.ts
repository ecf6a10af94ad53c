import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { competitorsOf, loadCompetitor } from "../catalog.ts";
import { type ClaimsCompetitor, contract } from "./ownership.contract.ts";
import { canExamine, examinationThreads, examine } from "./ownership.examination.ts";

const threads = examinationThreads();
after(() => threads.destroy());

const entries = await Promise.all(
  competitorsOf("ownership").map(async ({ name, url }) => ({
    name,
    url,
    competitor: (await loadCompetitor(url, contract)) as ClaimsCompetitor,
  })),
);

describe("ownership: lookups beside a writer, on threads", () => {
  for (const { name, url, competitor } of entries) {
    if (competitor.hears === "claims" && canExamine(competitor))
      it(name, async () => assert.deepEqual(await examine(url, threads), []));
  }
});
