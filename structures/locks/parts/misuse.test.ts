import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { competitorsOf, loadCompetitor } from "../../catalog.ts";
import { workerIdentity } from "../../shared/worker-identity.ts";
import { contract, type Lock, type LockCompetitor, type ScopedLock } from "../locks.contract.ts";
import { allocated, attachLock, makeLock } from "../locks.instance.ts";

describe("locks: to unlock what nobody holds", async () => {
  for (const { name, url } of competitorsOf("locks")) {
    const competitor = (await loadCompetitor(url, contract)) as LockCompetitor;
    const isScoped = competitor.share !== undefined;
    if (isScoped) continue;
    const header = unwrapped(readFileSync(new URL(url), "utf8"));

    if (!/to unlock a free lock throws/i.test(header)) {
      it(`is not detected by ${name}, whose header says so`, () => {
        assert.match(header, /to unlock what is not held is not detected/i);
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

describe("locks: to lock what this worker holds", async () => {
  for (const { name, url } of competitorsOf("locks")) {
    const competitor = (await loadCompetitor(url, contract)) as LockCompetitor;
    const skip = competitor.unavailable?.() ?? false;
    if (!/to lock what this worker holds throws/i.test(unwrapped(readFileSync(new URL(url), "utf8")))) {
      it(`is not detected by ${name}, whose header says so`, () => {
        assert.match(
          unwrapped(readFileSync(new URL(url), "utf8")),
          /to lock what this worker holds is not detected|nor is to lock what this worker holds/i,
        );
      });
      continue;
    }
    it(`is an error of ${name}, and leaves the lock as it was`, { skip }, () => {
      const instance = makeLock(competitor, 2);
      const [one, other] = [0, 1].map((index) => attachLock(competitor, instance, index));
      if ("hold" in one!) {
        assert.throws(() => one.hold(() => one.hold(() => {})), TypeError);
        assert.ok((other as ScopedLock).tryHold(() => {}));
        return;
      }
      const lock = other as Lock;
      one!.lock();
      assert.throws(() => one!.lock(), { message: /^lock: this worker holds the lock, and would wait / });
      assert.equal(lock.tryLock(), false);
      one!.unlock();
      assert.ok(lock.tryLock());
    });
  }
});

/** A header as one line. */
function unwrapped(source: string): string {
  return source.replaceAll(/\n \*\s*/g, " ");
}
