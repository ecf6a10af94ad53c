import type { ProgressObserver } from "../engine/measure/plan/estimate.ts";
import type { HostNoiseRecord, MachineRecord } from "../engine/schema/envelope.ts";
import { type Disturbance, disturbancesOf } from "./disturbance.ts";

/** A pause of a second is no quiet machine: a compiler has those, too. */
const QUIET_LOOKS = 3;

/** The machine that is looked at, and the time meanwhile. */
export interface Looks {
  readonly machine: MachineRecord;
  /** Looks at the machine for a second or so. */
  observe(): Promise<HostNoiseRecord>;
  nowMs(): number;
}

/**
 * Waits until the machine was quiet for some looks in a row, but no longer than `limitMs`, or until `signal` aborts.
 * Returns what still disturbs, of what passes if one waits.
 */
export async function waitForQuiet(
  limitMs: number,
  { machine, observe, nowMs }: Looks,
  { progress }: ProgressObserver,
  signal: AbortSignal,
): Promise<readonly Disturbance[]> {
  const begunMs = nowMs();
  let quietLooks = 0;
  for (;;) {
    const disturbances = disturbancesOf(await observe(), machine).filter(({ passes }) => passes);
    quietLooks = disturbances.length === 0 ? quietLooks + 1 : 0;
    const waitedMs = nowMs() - begunMs;
    if (quietLooks === QUIET_LOOKS || waitedMs >= limitMs || signal.aborted) return disturbances;
    const why = disturbances.length === 0 ? "quiet now" : disturbances.map(({ by }) => by).join(", ");
    progress(waitedMs / limitMs, limitMs - waitedMs, `waiting for a quiet machine: ${why}`);
  }
}
