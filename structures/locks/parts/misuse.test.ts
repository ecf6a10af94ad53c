import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { competitorsOf, loadCompetitor } from "../../catalog.ts";
import { workerIdentity } from "../../shared/worker-identity.ts";
import { contract, type Lock, type LockCompetitor } from "../locks.contract.ts";
import { allocated } from "../locks.instance.ts";

describe("locks: to unlock what nobody holds", async () => {
  for (const { name, url } of competitorsOf("locks")) {
    const competitor = (await loadCompetitor(url, contract)) as LockCompetitor;
    const isScoped = competitor.share !== undefined;
    if (isScoped) continue;
    const header = unwrapped(readFileSync(new URL(url), "utf8"));

    if (!/to unlock a free lock throws/i.test(header)) {
      it(`is not told by ${name}, whose header says so`, () => {
        assert.match(header, /to unlock what is not held is not told/i);
      });
      continue;
    }
    it(`is an error of ${name}, and leaves the lock as it was`, () => {
      const { memory, shared } = allocated(competitor, 2);
      competitor.format(memory, 2);
      const one = competitor.attach(memory, workerIdentity(0, 2, 0), shared) as Lock;
      const other = competitor.attach(memory, workerIdentity(1, 2, 0), shared) as Lock;
      const error = { message: /^unlock: .+: unlock once for each lock or tryLock that took it$/ };
      assert.throws(() => one.unlock(), error);
      one.lock();
      one.unlock();
      assert.throws(() => one.unlock(), error);
      assert.throws(() => other.unlock(), error);
      other.lock();
      assert.equal(one.tryLock(), false);
      other.unlock();
    });
  }
});

/** A header as one line. */
function unwrapped(source: string): string {
  return source.replaceAll(/\n \*\s*/g, " ");
}
