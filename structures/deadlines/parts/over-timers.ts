import { timeoutError } from "../../timers/parts/timeout-error.ts";
import type { Deadline, Deadlines } from "../deadlines.contract.ts";

/** One-shot timers that do not keep the process alive. */
export interface Timers<Timer> {
  start(fire: () => void, delayMs: number): Timer;
  stop(timer: Timer): void;
}

/** Deadlines of an AbortController, a timer and a listener each: what is written by hand. */
export function overTimers<Timer>({ start, stop }: Timers<Timer>): Deadlines {
  return {
    make(delayMs: number, caller?: AbortSignal): Deadline {
      const controller = new AbortController();
      const { signal } = controller;
      if (caller?.aborted) {
        controller.abort(caller.reason);
        return { signal, cancel() {} };
      }
      const end = () => {
        stop(timer);
        caller?.removeEventListener("abort", follow);
      };
      const follow = () => {
        end();
        controller.abort(caller!.reason);
      };
      const pass = () => {
        end();
        controller.abort(timeoutError());
      };
      const timer = start(pass, delayMs);
      caller?.addEventListener("abort", follow);
      return { signal, cancel: end };
    },
  };
}
