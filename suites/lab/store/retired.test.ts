import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import { competitorsOf } from "../../../structures/catalog.ts";
import { RESULTS } from "./results.ts";

type Entry = Readonly<Record<"primitive" | "competitor" | "record", string>>;
const entries: readonly Entry[] = JSON.parse(readFileSync(join(RESULTS, "retired.json"), "utf8"));

describe("a competitor that has retired", () => {
  for (const [primitive, own] of Map.groupBy(entries, (entry) => entry.primitive))
    it(`of ${primitive} no longer races, and the record that it names has rows of it`, () => {
      const racing = new Set(competitorsOf(primitive).map(({ name }) => name));
      assert.deepEqual(
        own.filter(({ competitor }) => racing.has(competitor)),
        [],
      );
      for (const [path, named] of Map.groupBy(own, ({ record }) => join(RESULTS, record))) {
        // The history keeps the records that newer ones have superseded.
        if (!existsSync(path)) continue;
        const text = gunzipSync(readFileSync(path)).toString();
        for (const { competitor } of named)
          assert.ok(text.includes(`"${competitor}"`), `${path}: ${competitor}`);
      }
    });
});
