import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { competitorsOf, entryForFile, primitives } from "../../structures/catalog.ts";
import { mutants } from "../../structures/heartbeats/heartbeats.mutants.ts";
import { assertBroken } from "../../structures/shared/broken.ts";
import { itRefusesAsWritten } from "../../suites/lab/command/command.trials.ts";
import { LAB_RUNTIMES, notInstalled, startOf } from "../../suites/lab/runtimes/runtimes.ts";
import { blocksMarkdown } from "../../suites/lab/tables/blocks.ts";
import { examinedBlocks } from "./on-runtime.page.ts";
import { type Examined, examineesBelow, examineOn, findingOf } from "./on-runtime.ts";

const OWN = { file: process.execPath, args: [] };

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "hotpath-on-runtime-"));
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** What is found of a competitor's file with this text. */
function findingOfText(text: string, limitMs?: number) {
  const path = join(folder, "planted.js");
  writeFileSync(path, text);
  return findingOf(OWN, { primitive: "heartbeats", entry: entryForFile(path) }, limitMs);
}

describe("an examination in a runtime", () => {
  it("finds that an honest competitor keeps every law", async () => {
    const [examinee] = examineesBelow(["structures/heartbeats/competitors/fixed-interval"]);
    assert.deepEqual(await findingOf(OWN, examinee!), { kind: "kept" });
  });

  it("finds the law that a mutant breaks", async () => {
    const [mutant] = mutants;
    const finding = await findingOf(OWN, { primitive: "heartbeats", entry: mutant! });
    assertBroken(mutant!.breaks, finding.kind === "broken" ? finding.sentences : []);
  });

  it("says why a competitor is absent", async () => {
    const [examinee] = examineesBelow(["structures/locks/competitors/v8-atomics-mutex"]);
    const finding = await findingOf(OWN, examinee!);
    assert.deepEqual(finding, { kind: "absent", reason: "it needs node --harmony-struct" });
  });

  it("says how a process ended that did not answer", async () => {
    const sentences = async (text: string, limitMs?: number) => {
      const finding = await findingOfText(text, limitMs);
      return finding.kind === "broken" ? finding.sentences : finding;
    };
    assert.deepEqual(await sentences("console.error('no'); process.exit(3)"), [
      "its process exited with code 3: no",
    ]);
    assert.deepEqual(await sentences("process.kill(process.pid, 'SIGKILL'); for (;;);"), [
      "its process died of SIGKILL: ",
    ]);
    assert.deepEqual(await sentences("process.exit()"), ["its process ended without an answer"]);
    assert.deepEqual(await sentences("for (;;);", 1), ["its examination was not done after 0.001 s"]);
  });

  it("is made of all that are asked for, whichever lane takes them", async () => {
    const examinees = examineesBelow(["structures/heartbeats/competitors/sequential-"]);
    assert.ok(examinees.length > 2);
    const done: Examined[] = [];
    await examineOn(OWN, examinees, 2, (examined) => done.push(examined));
    const names = (some: readonly Pick<Examined, "entry">[]) => some.map(({ entry }) => entry.name).sort();
    assert.deepEqual(names(done), names(examinees));
  });
});

describe("a lock whose holder is terminated at work is its next holder's alone", () => {
  for (const runtime of LAB_RUNTIMES) {
    const start = startOf(runtime);
    it(`on ${runtime}`, { skip: start === undefined && notInstalled(runtime) }, async () => {
      const [examinee] = examineesBelow(["structures/locks/competitors/robust-futex"]);
      assert.deepEqual(await findingOf(start!, examinee!), { kind: "kept" });
    });
  }
});

describe("npm test -- --runtime refuses what it cannot do, in one line", () => {
  itRefusesAsWritten(
    join(import.meta.dirname, "testdata/runtime-refusals.txt"),
    (args) =>
      spawnSync(process.execPath, [join(import.meta.dirname, "command.ts"), ...args], { encoding: "utf8" }),
    import.meta.dirname,
  );
});

describe("the competitors below paths", () => {
  const cells = (paths: string[]) =>
    examineesBelow(paths).map(({ primitive, entry }) => `${primitive}/${entry.name}`);

  it("are the competitors of the primitive, or the one", () => {
    assert.deepEqual(
      cells(["structures/draws"]),
      competitorsOf("draws").map(({ name }) => `draws/${name}`),
    );
    assert.deepEqual(cells(["structures/pick/competitors/cas-ring.ts"]), ["pick/cas-ring"]);
  });

  it("are all without a path, and none below what is not a structure", () => {
    assert.deepEqual(new Set(cells([]).map((cell) => cell.split("/")[0])), new Set(primitives()));
    assert.deepEqual(cells(["suites"]), []);
  });
});

it("the table counts by primitive, and a dishonest competitor is named there with the reason", () => {
  const one = (primitive: string, name: string, finding: Examined["finding"]): Examined => {
    return { primitive, entry: { name, url: "" }, finding };
  };
  const page = blocksMarkdown(
    examinedBlocks({ name: "Bun", version: "1.2.3", engine: "JavaScriptCore 1a2b" }, [
      one("pick", "two", { kind: "broken", sentences: ["someLaw: 1 is not 2", "otherLaw: 3"] }),
      one("locks", "one", { kind: "absent", reason: "no such thing" }),
      one("pick", "three", { kind: "kept" }),
    ]),
  );
  assert.match(page, /Laws in Bun 1\.2\.3, JavaScriptCore 1a2b/);
  assert.match(page, /\| locks +\| +0 \| +1 \| +0 \|\n\| pick +\| +1 \| +0 \| +1 \|/);
  assert.match(
    page,
    /\n- locks\/one: absent: no such thing\n- pick\/two: someLaw: 1 is not 2; otherLaw: 3\n$/,
  );
});
