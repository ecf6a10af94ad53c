import { fastTagNs, isFullSpeed } from "../fork/tag.ts";
import { LAB_RUNTIME } from "../plan/plan.ts";
import type { CrewResult } from "../plan/protocol.ts";

/** Once in this number of forks the core whose turn it is runs, quiet or not: the quietest may be another one by now. */
const TRIED_EVERY = 4;
/** What was seen of a core long ago counts less: a fork's weight is this times that of the next one there. */
const FADING = 0.7;

/**
 * On which core the first worker of every crew runs, fork after fork. On a shared machine one core's sibling may be busy
 * for minutes and another's not, and slices of the quiet state are worth the most. So forks go where most slices were
 * quiet of late, and to each core in turn every few forks.
 */
export class CoreChoice {
  readonly #cores: { quiet: number; slices: number }[];
  #forks = 0;
  #turn = 0;
  /** By runtime: each compiles a tag to code of its own. */
  readonly #referenceNs = new Map<string, number>();

  constructor(cores: number) {
    this.#cores = Array.from({ length: cores }, () => ({ quiet: 0, slices: 0 }));
  }

  /** The orders of the next fork, whose baseline runs on this runtime. */
  next(runtime: string = LAB_RUNTIME): { readonly firstCore: number; readonly referenceNs?: number } {
    const referenceNs = this.#referenceNs.get(runtime);
    const reference = referenceNs === undefined ? {} : { referenceNs };
    const untried = this.#cores.findIndex(({ slices }) => slices === 0);
    if (untried !== -1) return { firstCore: untried, ...reference };
    this.#forks++;
    if (this.#forks % TRIED_EVERY === 0) {
      this.#turn = (this.#turn + 1) % this.#cores.length;
      return { firstCore: this.#turn, ...reference };
    }
    const shares = this.#cores.map(({ quiet, slices }) => quiet / slices);
    return { firstCore: shares.indexOf(Math.max(...shares)), ...reference };
  }

  /** Hears the slices that a fork ran there on one runtime. */
  hear(
    firstCore: number,
    crews: readonly Pick<CrewResult, "workers">[],
    runtime: string = LAB_RUNTIME,
  ): void {
    const tags = crews.flatMap(({ workers: [first] }) => first?.tagNs ?? []);
    const fastNs = fastTagNs(tags);
    const core = this.#cores[firstCore];
    if (fastNs === undefined || core === undefined) return;
    const referenceNs = Math.min(fastNs, this.#referenceNs.get(runtime) ?? fastNs);
    this.#referenceNs.set(runtime, referenceNs);
    core.quiet = FADING * core.quiet + tags.filter((tagNs) => isFullSpeed(tagNs, referenceNs)).length;
    core.slices = FADING * core.slices + tags.length;
  }
}
