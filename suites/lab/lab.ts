import { existsSync } from "node:fs";
import { Piscina } from "piscina";
import * as layout from "../../structures/shared/layout.ts";
import type { Lab } from "../engine/lab.ts";
import type { Allocator } from "../engine/words/layout.ts";

/**
 * What this repository hands to the instrument: how its structures allocate, and piscina's pools for the threads of a
 * crew. Imported in each fork and thread by its URL.
 */
export default {
  keepsFlags: true,
  async load(url, allocator) {
    await shareAllocator(url, allocator);
    const competitor = (await import(url)) as { readonly default: unknown } & Partial<typeof layout>;
    // A candidate may bring its own copy of that module along, as one does that `npm run new` wrote.
    competitor.allocateWith?.(allocator);
    return competitor.default;
  },
  startThreads(program, count, hear) {
    const pool = new Piscina({
      filename: program,
      minThreads: count,
      maxThreads: count,
      // A worker that sleeps in its task must not also sleep in the pool's own Atomics.wait.
      atomics: "disabled",
      recordTiming: false,
      execArgv: [],
    });
    // A thread that piscina starts in place of one that ended may fail again without a task to report it. The task that
    // ended has already reported.
    pool.on("error", () => {});
    pool.on("message", hear);
    return {
      run: (task, transferList = []) => pool.run(task, { transferList }),
      get workers() {
        return pool.threads;
      },
      destroy: () => pool.destroy(),
    };
  },
} satisfies Lab;

/**
 * Makes the structures of this folder allocate with `allocator`. If the competitor is of another checkout (see
 * compare/), so do the structures that it brings along.
 */
async function shareAllocator(url: string, allocator: Allocator): Promise<void> {
  layout.allocateWith(allocator);
  const found = URL.parse("../../shared/layout.ts", url);
  if (found === null || found.href === OWN_LAYOUT || !existsSync(found)) return;
  const other = (await import(found.href).catch(() => undefined)) as Partial<typeof layout> | undefined;
  other?.allocateWith?.(allocator);
}

const { href: OWN_LAYOUT } = new URL("../../structures/shared/layout.ts", import.meta.url);
