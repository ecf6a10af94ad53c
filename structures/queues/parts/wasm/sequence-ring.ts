import type { Region } from "../../../shared/layout.ts";
import { codeIn, placeIn } from "../../../shared/wasm.ts";
import { EMPTY, type QueueSetup, type QueuesCompetitor } from "../../queues.contract.ts";
import { copyIn, copyOut } from "../places.ts";
import CODE from "./queues.wasm.ts";

/** The functions of queues.wasm, whose text (queues.wat) says what they do to the region that they were instantiated for. */
export interface QueuesCode {
  claimFree(): number;
  claimWritten(): number;
  handOn(word: number, further: number): void;
}

const instantiate = codeIn<QueuesCode>(CODE);

export function queuesCode(memory: Region, setup: QueueSetup): QueuesCode {
  return instantiate({ queues: { ...placeIn(setup.linear, memory), ...sizesOf(setup) } });
}

/** The constants of an instance besides its place. */
export function sizesOf({ capacity, longest }: QueueSetup) {
  return { capacity, stride: (1 + longest) * Int32Array.BYTES_PER_ELEMENT };
}

/** Handles of sequence-ring that claim places in the code of their own that `codeFor` makes. */
export function sequenceRingIn(codeFor: typeof queuesCode) {
  return {
    sender(memory, setup) {
      const { claimFree, handOn } = codeFor(memory, setup);
      return {
        trySend(message) {
          const place = claimFree();
          if (place < 0) return false;
          copyIn(memory, place + 1, message, setup.longest);
          handOn(place, 1);
          return true;
        },
      };
    },

    receiver(memory, setup) {
      const { claimWritten, handOn } = codeFor(memory, setup);
      return {
        tryReceive(into) {
          const place = claimWritten();
          if (place < 0) return EMPTY;
          copyOut(memory, place + 1, into, setup.longest);
          handOn(place, setup.capacity - 1);
          return setup.longest;
        },
      };
    },
  } as const satisfies Pick<QueuesCompetitor, "sender" | "receiver">;
}
