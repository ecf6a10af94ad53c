import { changed, like, type Mutants, mutantAsked, mutantsIn } from "../shared/mutants.ts";
import { mutatedCode } from "../shared/mutated-code.ts";
import { type DispatchCompetitor, NOBODY } from "./dispatch.contract.ts";
import { type DispatchCode, RingInCode } from "./parts/wasm.ts";

const TABLE: Mutants<DispatchCompetitor> = {
  /** Begins a second after its start, so that clients due in the next one are taken in this. */
  "begins-late": like("ring-of-slots", "onTime", (honest) => ({
    create: (clients, reach, start = 0) => honest.create(clients, reach, start + 1),
  })),
  /** The source's first list as it was used once slots were assigned, in any order of deadlines. */
  "claims-any-order": like("append-only", "onTime", () => ({ order: "any" })),
  /** Takes a deadline beyond its reach for the furthest it has, and so makes it early without a word. */
  "clamps-the-due": like("ring-of-slots", "badInputIsRefused", (honest) => ({
    create(clients, reach, start = 0) {
      const list = honest.create(clients, reach, start);
      let clock = start;
      return changed(list, {
        enter: (client, deadline) => list.enter(client, Math.min(deadline, clock + reach)),
        take(now) {
          const client = list.take(now);
          clock = Math.max(clock, now);
          return client;
        },
      });
    },
  })),
  /** Looks at the second of the clock only, so that a client entered after it was emptied waits for the next. */
  "forgets-the-overdue": like("ring-of-slots", "onTime", (honest) => ({
    create(clients, reach, start) {
      const list = honest.create(clients, reach, start);
      let doneWith = -1;
      return changed(list, {
        take(now) {
          if (now <= doneWith) return NOBODY;
          const client = list.take(now);
          if (client === NOBODY) doneWith = now;
          return client;
        },
      });
    },
  })),
  /** Says of every client that it was listed. */
  "removes-everybody": like("sorted-list", "answersTruly", (honest) => ({
    create(clients, reach, start) {
      const list = honest.create(clients, reach, start);
      return changed(list, {
        remove(client) {
          list.remove(client);
          return true;
        },
      });
    },
  })),
  /** A ring of half the seconds it needs; a client due further ahead is taken a rotation or more too soon. */
  "short-ring": like("ring-of-slots", "onTime", (honest) => ({
    create(clients, reach, start = 0) {
      const list = honest.create(clients, reach, start);
      const rotation = Math.max(1, reach >>> 1);
      let clock = start;
      return changed(list, {
        enter(client, deadline) {
          const ahead = deadline - clock;
          list.enter(
            client,
            ahead <= reach && ahead > rotation ? clock + 1 + ((ahead - 1) % rotation) : deadline,
          );
        },
        take(now) {
          const client = list.take(now);
          clock = Math.max(clock, now);
          return client;
        },
      });
    },
  })),
  /** Removes a client with a splice which forgets to say how many: those that entered after it go as well. */
  "splices-the-rest": like("sorted-list", "conserved", (honest) => ({
    create(clients, reach, start) {
      const list = honest.create(clients, reach, start);
      const entered: number[] = [];
      return changed(list, {
        enter(client, deadline) {
          list.enter(client, deadline);
          entered.push(client);
        },
        remove(client) {
          if (!list.remove(client)) return false;
          for (const cut of entered.splice(entered.lastIndexOf(client))) list.remove(cut);
          return true;
        },
      });
    },
  })),
  /** Hands out the last client of a second once more, as a loop does that tests for the end one step late. */
  "takes-the-last-again": like("sorted-list", "takenOnce", (honest) => ({
    create(clients, reach, start) {
      const list = honest.create(clients, reach, start);
      let last = NOBODY;
      return changed(list, {
        take(now) {
          const client = list.take(now);
          const again = client === NOBODY ? last : client;
          last = client;
          return again;
        },
      });
    },
  })),
  /** Moves a list in WebAssembly and leaves its back out of the way back: the client entered next cuts it off. */
  "wasm-forgets-the-back": like("wasm-ring-of-slots", "conserved", async () => {
    const faulty = await mutatedCode<DispatchCode>(import.meta.resolve("./parts/dispatch.wat"), [
      ["(i32.store offset=4 (local.get $to) (local.get $back))", ""],
    ]);
    return { create: (clients, reach, start = 0) => new RingInCode(faulty, clients, reach, start) };
  }),
};

export const mutants = mutantsIn(TABLE, import.meta.url);
export default await mutantAsked(TABLE, import.meta.url);
