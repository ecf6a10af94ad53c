import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { newestOf, withOthers } from "../../pages/newest.ts";
import { recordFiles } from "../../store/generated.ts";
import { mediansIn } from "./measured.ts";

/** Competitors are found under the names that their records have. */
const filesOf = (primitive: string) => recordFiles(primitive, false, new Map());

describe("published medians", () => {
  for (const [primitive, scenario] of [
    ["slots", "reconnect-600"],
    ["locks", "short-section"],
  ] as const) {
    it(`are those of the page of ${primitive}/${scenario}, each with its record`, () => {
      const files = filesOf(primitive);
      const medians = mediansIn(files, scenario);
      const [race] = withOthers(newestOf(files, [scenario])!).races;
      const rows = race!.rows.filter(({ kind }) => kind === "baseline" || kind === "rival");
      assert.ok(rows.length > 0);
      for (const row of rows) {
        if (row.noNumber !== undefined) continue;
        const { ns, file, commit } = medians.at(row.competitor, row.workers)!;
        assert.equal(ns, row.median);
        const { record } = files.find((own) => own.file === file)!;
        assert.equal(commit, record.commit!.hash);
        assert.ok(
          record.groups.some((group) => group.scenario === scenario && group.workers === row.workers),
        );
      }
    });
  }

  it("are of the role that is asked for, where workers have roles", () => {
    const files = filesOf("ownership");
    const readers = mediansIn(files, "one-writer", "reader").at("seqlock-slots", 2);
    const writers = mediansIn(files, "one-writer", "writer").at("seqlock-slots", 2);
    assert.notEqual(readers!.ns, writers!.ns);
    assert.equal(mediansIn(files, "one-writer").at("seqlock-slots", 2), undefined);
  });

  it("are none of a scenario or a worker count that was not raced", () => {
    const files = filesOf("slots");
    assert.equal(mediansIn(files, "connect-6").at("shared-ticket", 1), undefined);
    assert.equal(mediansIn(files, "connect-600").at("shared-ticket", 64), undefined);
  });
});
