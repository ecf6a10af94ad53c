import { STRIDE_WORDS } from "../shared/layout.ts";
import { like, type Mutants, mutantAsked, mutantsIn, writtenIn } from "../shared/mutants.ts";
import { bounded, nextSfc32, Random, SFC32_WORDS, seedSfc32 } from "../shared/sfc32.ts";
import { plainRotation } from "./parts/rotation.ts";
import type { PickCompetitor, Picker } from "./pick.contract.ts";

/** Of a shuffled round robin. RESHUFFLES is a word that it leaves unused. */
const NEXT = 0;
const RESHUFFLES = 1;
const ROTATION = STRIDE_WORDS;

/** The arrays of backends that a caller would pass, one for each number of them, like the source's list of servers. */
const passed = new Map<number, Int32Array>();

/** Shows the loads that its picker counts, and answers 0. */
function firstOnly({ pick, release }: Picker): Picker {
  const counted: number[] = [];
  return {
    pick() {
      counted.push(pick());
      return 0;
    },
    release: () => release!(counted.shift()!),
  };
}

const TABLE: Mutants<PickCompetitor> = {
  ...writtenIn<PickCompetitor>(new URL("testdata/mutants.txt", import.meta.url)),
  /** Sends every request to the first backend, and shows loads that are spread. */
  "always-first": like("two-choices", "loadsAreSpread", (honest) => ({
    attach: (memory, setup, worker) => firstOnly(honest.attach(memory, setup, worker)),
  })),
  /**
   * The source's own `Copy()`, which returns the original, so that every balancer shuffles the array its caller
   * passed and keeps that for its own rotation. With a single balancer nothing is wrong.
   */
  "copy-aliasing": like("shuffled-round-robin", "instancesAreIndependent", (honest) => ({
    format(memory, setup) {
      honest.format(memory, setup);
      const backends = passed.get(setup.backends) ?? plainRotation(setup.backends);
      passed.set(setup.backends, new Random(setup.seed).shuffle(backends));
      // What other threads see of it: they cannot share an array.
      memory.set(backends, ROTATION);
    },

    inspect: (memory, setup) => ({
      ...honest.inspect(memory, setup),
      rotation: [...passed.get(setup.backends)!],
    }),
  })),
  /** Leaves the count of its reshuffles at what the word held before, which is 0 in memory that is new. */
  "counts-on-zeroes": like("background-reshuffle", "nothingIsDoneYet", (honest) => ({
    format(memory, setup) {
      const leftover = memory[STRIDE_WORDS + 1]!;
      honest.format(memory, setup);
      memory[STRIDE_WORDS + 1] = leftover;
    },
  })),
  /** Picks by load while it is alone, and the first backend for everybody where others pick beside it. */
  "first-in-company": like("two-choices", "noBackendIsLeftOut", (honest) => ({
    attach(memory, setup, worker) {
      const picker = honest.attach(memory, setup, worker);
      return setup.workers === 2 ? firstOnly(picker) : picker;
    },
  })),
  /** Draws, but the same in every instance, so that processes on one machine pick the same backends in step. */
  "ignores-seed": like("locked-random", "seedsDiffer", (honest) => ({
    format: (memory, setup) => honest.format(memory, { ...setup, seed: 1 }),
    inspect: (memory, setup) => honest.inspect(memory, { ...setup, seed: 1 }),
  })),
  /**
   * A reshuffle in the background that writes one backend over all the others, in a rotation that it does not
   * show, as an order that changes need not.
   */
  "reshuffle-overwrites": like("background-reshuffle", "checksumFitsGap", (honest) => ({
    background: {
      url: import.meta.url,
      attach(memory, setup) {
        const background = honest.background!.attach(memory, setup);
        const rotations = memory.length - honest.words({ ...setup, backends: 0 });
        return {
          ...background,
          step() {
            const done = background.step();
            if (done) memory.fill(0, memory.length - rotations);
            return done;
          },
        };
      },
    },

    inspect(memory, setup) {
      const { rotation: _hidden, ...shown } = honest.inspect(memory, setup);
      return shown;
    },
  })),
  /**
   * The source's sentence taken at its word: a separate thread scrambles the very array that the workers pick
   * from. A backend that is moved from behind the position to before it is picked twice in that rotation and another not
   * at all, and the picker still claims the gap of an order that does not change.
   */
  "reshuffles-in-place": like("shuffled-round-robin", "gapIsBounded", (honest) => ({
    order: "reshuffled",
    background: {
      url: import.meta.url,
      // Nobody has to ask: it always has something to do, but for a moment's sleep that leaves the core to the workers.
      attach(memory, { backends, seed }) {
        const random = new Random(seed, 1);
        const rotation = memory.subarray(ROTATION, ROTATION + backends);
        return {
          sleep() {
            Atomics.wait(memory, RESHUFFLES, Atomics.load(memory, RESHUFFLES), 1);
          },
          step() {
            random.shuffle(rotation);
            Atomics.add(memory, RESHUFFLES, 1);
            return true;
          },
        };
      },
    },

    format(memory, setup) {
      honest.format(memory, setup);
      Atomics.store(memory, RESHUFFLES, 0);
    },

    attach(memory, { backends }) {
      return { pick: () => memory[ROTATION + ((Atomics.add(memory, NEXT, 1) & 0x7fffffff) % backends)]! };
    },

    inspect: (memory, setup) => ({
      ...honest.inspect(memory, setup),
      reshuffles: Atomics.load(memory, RESHUFFLES),
    }),
  })),
  /** The shuffle everybody writes first, which swaps with any place and so brings back what was picked already. */
  "swaps-with-any": like("per-worker-round-robin-reshuffled", "cyclesArePermutations", () => ({
    attach(_memory, { backends, seed }, worker) {
      const random = new Int32Array(SFC32_WORDS);
      seedSfc32(random, 0, seed, worker.seed);
      const rotation = plainRotation(backends);
      let position = 0;
      return {
        pick() {
          const other = bounded(nextSfc32(random, 0), backends);
          const backend = rotation[other]!;
          rotation[other] = rotation[position]!;
          rotation[position] = backend;
          position = position + 1 === backends ? 0 : position + 1;
          return backend;
        },
      };
    },
  })),
};

export const mutants = mutantsIn(TABLE, import.meta.url);
export default await mutantAsked(TABLE, import.meta.url);
