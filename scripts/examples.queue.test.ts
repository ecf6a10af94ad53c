import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { pino } from "pino";
import { QueueDestination } from "../examples/pino/destination.ts";
import { QueuedPool } from "../examples/piscina-queue/pool.ts";

const DESTINATION = new URL("../examples/pino/destination.ts", import.meta.url).href;
const TASK = fileURLToPath(new URL("../examples/piscina-queue/worker.ts", import.meta.url));

describe("pino over a queue", () => {
  const folder = mkdtempSync(join(tmpdir(), "hotpath-lab-pino-"));
  after(() => rmSync(folder, { recursive: true }));
  const linesOf = (file: string) =>
    readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly number: number; readonly msg: string });

  it("writes every line once and in order, however long", async () => {
    const file = join(folder, "lines");
    const destination = new QueueDestination(file);
    const logger = pino({ base: null }, destination);
    const texts = ["short", "é".repeat(9_000), "x".repeat(100_000)];
    for (let number = 0; number < 3_000; number++)
      logger.info({ number }, texts[number % 100 < 98 ? 0 : (number % 2) + 1]);
    await destination.close();
    const lines = linesOf(file);
    assert.deepEqual(
      lines.map(({ number }) => number),
      [...new Array(3_000).keys()],
    );
    assert.deepEqual(new Set(lines.map(({ msg }) => msg)), new Set(texts));
    assert.equal(destination.dropped, 0);
    logger.info("too late");
    assert.equal(destination.dropped, 1);
  });

  it("writes the last lines of a process that exits without closing it", () => {
    const file = join(folder, "last");
    const program = join(folder, "program.mjs");
    const text = `import { QueueDestination } from ${JSON.stringify(DESTINATION)};
      const destination = new QueueDestination(${JSON.stringify(file)});
      for (let number = 0; number < 100; number++) destination.write(JSON.stringify({ number }) + "\\n");`;
    writeFileSync(program, text);
    execFileSync(process.execPath, [program]);
    assert.equal(linesOf(file).length, 100);
  });
});

describe("a Piscina pool over a queue", () => {
  it("answers each request, and rejects what failed and what ended with its thread", async () => {
    const pool = new QueuedPool(TASK, 2);
    const texts = Array.from({ length: 500 }, (_, number) => `request ${number}`);
    assert.deepEqual(
      await Promise.all(texts.map((text) => pool.run(text))),
      texts.map((text) => text.toUpperCase()),
    );
    await assert.rejects(pool.run(""), /^Error: there is nothing to answer$/);
    const [thread] = pool.threads;
    const exited = once(thread!, "exit");
    await thread!.terminate();
    await exited;
    assert.equal(await pool.run("again"), "AGAIN");
    await pool.close();
  });
});
