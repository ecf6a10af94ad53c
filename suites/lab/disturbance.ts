import type { HostNoiseRecord, MachineRecord } from "../engine/schema/envelope.ts";

/** What of the machine makes results worse than they need be: host noise beyond what medians and pairs bear. Pure. */
export interface Disturbance {
  /** What disturbs, with the figure: "disturbed by ...". */
  readonly by: string;
  /** What it means for results, and what to do. */
  readonly advice: string;
  /** Whether it may pass if one waits. */
  readonly passes: boolean;
}

/**
 * Part of the cores' time that others may have without a word. A slice that another process cuts into does not count or
 * lies far from the others. Medians tolerate a few such slices in a hundred. Shared virtual machines have 1 or 2 % at
 * all times, and the lab's intervals are made on such machines. A compiler or a browser that plays a film has 20 % and
 * more.
 */
export const BEARABLE_SHARE = 0.05;

/** Empty for a record that was made before such things were kept. */
export function disturbancesOf(
  noise: HostNoiseRecord,
  { cores, cpuQuotaCores, governor }: Pick<MachineRecord, "cores" | "cpuQuotaCores" | "governor">,
): Disturbance[] {
  const { seconds, othersCores = 0, stolenCores = 0, quotaStoppedSeconds = 0, heatSlowdowns = 0 } = noise;
  if (seconds === undefined) return [];
  const found: (Disturbance | false)[] = [
    othersCores > BEARABLE_SHARE * cores && {
      by: `other processes (${othersCores.toFixed(1)} of ${cores} cores busy)`,
      advice:
        "intervals get wide and a run takes longer; stop them, or have bench wait for them with --wait-quiet 10m",
      passes: true,
    },
    stolenCores > BEARABLE_SHARE * cores && {
      by: `other virtual machines (${stolenCores.toFixed(1)} of ${cores} cores stolen)`,
      advice:
        "intervals get wide and a run takes longer; come back at a quieter time (--wait-quiet 10m waits), or use a machine that is not shared",
      passes: true,
    },
    cpuQuotaCores !== null && {
      by: `the container's quota of ${cpuQuotaCores} cores${quotaStoppedSeconds > 0 ? ` (stopped for ${quotaStoppedSeconds.toFixed(1)} s)` : ""}`,
      advice:
        "a worker that is stopped in a slice waits for up to 0.1 s; give the container whole cores (--cpuset-cpus) and no quota",
      passes: false,
    },
    heatSlowdowns > 0 && {
      by: `heat (cores slowed ${heatSlowdowns} times)`,
      advice: "costs are higher than they need be, ratios hardly; cool the machine, or let it rest",
      passes: false,
    },
    noise.onBattery === true && {
      by: "running on battery",
      advice: "cores change their speed to save it, and costs with them; plug it in",
      passes: false,
    },
    governor !== null &&
      governor !== "performance" && {
        by: `the cores' governor ${governor}`,
        advice:
          "cores may change their speed from slice to slice; where you may, cpupower frequency-set -g performance",
        passes: false,
      },
  ];
  return found.filter((one) => one !== false);
}

/** One line for each: what disturbs, what that means, and what to do. */
export function hostWarnings(...[noise, machine]: Parameters<typeof disturbancesOf>): string[] {
  return disturbancesOf(noise, machine).map(({ by, advice }) => `disturbed by ${by}: ${advice}`);
}
