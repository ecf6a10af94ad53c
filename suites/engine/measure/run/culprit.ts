import { failedCrew } from "../plan/failures.ts";
import type { CrewResult, RaceJob } from "../plan/protocol.ts";
import { askFork, type Lost } from "./process.ts";

/** A crew that lost its process in this number of turns is not raced again, even if it lives alone: others lose theirs with it. */
const TURNS_LOST = 2;

/** Finds out which crew of a group ends the process that it is raced in, so that the others can be raced without it. */
export class Culprits {
  readonly #turnsLost = new Map<string, number>();

  /**
   * Races the crews of a lost fork alone, the one whose turn it was first, until one loses its process again. Returns
   * that one as a crew that failed; undefined where each lives alone: then the machine may have ended the process. Also
   * undefined, at once, where the instrument found itself broken.
   */
  async find(
    job: RaceJob,
    { failure, turn: index, isInstruments }: Lost,
    { estimateMs, signal }: { readonly estimateMs: number; readonly signal: AbortSignal },
  ): Promise<CrewResult | undefined> {
    if (isInstruments) return undefined;
    const { crews } = job.group;
    const turn = index === undefined ? undefined : crews[index];
    const suspects = crews.filter(({ url }) => url !== undefined);
    if (turn !== undefined) this.#turnsLost.set(turn.name, (this.#turnsLost.get(turn.name) ?? 0) + 1);
    for (const suspect of suspects.toSorted((a, b) => Number(b === turn) - Number(a === turn))) {
      if (signal.aborted) return undefined;
      const alone = { ...job.group, crews: [suspect], mostRounds: job.group.rounds };
      const answer = await askFork({ ...job, group: alone }, { estimateMs, signal });
      if (answer.kind === "lost" && !answer.isInstruments && !signal.aborted) {
        return failedCrew(suspect, {
          kind: "fault",
          reason: `${answer.failure.reason}, as it does raced alone`,
        });
      }
    }
    if (turn === undefined || this.#turnsLost.get(turn.name)! < TURNS_LOST) return undefined;
    const reason = `${failure.reason} in its turn, ${TURNS_LOST} times`;
    return failedCrew(turn, { kind: "fault", reason });
  }
}
