import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { competitorsOf, loadCompetitor } from "../../catalog.ts";
import { contract, type Lock, type LockCompetitor, type ScopedLock } from "../locks.contract.ts";
import { attachLock, makeLock } from "../locks.instance.ts";

/** Each misuse that a header says is detected is an error, and leaves the lock as it was; of the others it says so. */
for (const { name, url } of competitorsOf("locks")) {
  const competitor = (await loadCompetitor(url, contract)) as LockCompetitor;
  const header = readFileSync(new URL(url), "utf8").replaceAll(/\n \*\s*/g, " ");
  const skip = competitor.unavailable?.() ?? false;
  const pair = () => {
    const instance = makeLock(competitor, 2);
    return [0, 1].map((index) => attachLock(competitor, instance, index)) as [Lock, Lock];
  };

  describe(`locks: of ${name}`, { skip }, () => {
    if (competitor.share === undefined) {
      it("to unlock what nobody holds", () => {
        if (!/to unlock a free lock throws/i.test(header))
          return assert.match(header, /to unlock what is not held is not detected/i);
        const [one, other] = pair();
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

    it("to lock what this worker holds", () => {
      if (!/to lock what this worker holds throws/i.test(header))
        return assert.match(
          header,
          /to lock what this worker holds is not detected|nor is to lock what this/i,
        );
      const [one, other] = pair();
      if ("hold" in one) {
        const [mine, another] = [one, other] as unknown as [ScopedLock, ScopedLock];
        assert.throws(() => mine.hold(() => mine.hold(() => {})), TypeError);
        assert.ok(another.tryHold(() => {}));
        return;
      }
      one.lock();
      assert.throws(() => one.lock(), { message: /^lock: this worker holds the lock, and would wait / });
      assert.equal(other.tryLock(), false);
      one.unlock();
      assert.ok(other.tryLock());
    });
  });
}
