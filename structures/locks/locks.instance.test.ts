import { itRefusesAsWritten } from "../interleave/calls.trials.ts";
import mcsSpinning from "./competitors/mcs-spinning.ts";
import robust from "./competitors/robust-futex.ts";
import ticket from "./competitors/ticket.ts";
import { attachLock, makeLock, workerExited } from "./locks.instance.ts";

const REFUSALS = new URL("testdata/refusals.txt", import.meta.url);

itRefusesAsWritten("locks: instances of others and of other setups, and a taken seat", REFUSALS, () => {
  const instance = makeLock(mcsSpinning, 2);
  attachLock(mcsSpinning, instance, 0);
  attachLock(mcsSpinning, instance, 1);
  const robustLock = makeLock(robust, 2);
  const another = makeLock(ticket, 2);
  return { attachLock, workerExited, mcsSpinning, robust, instance, robustLock, another };
});
