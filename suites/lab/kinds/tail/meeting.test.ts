import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertBroken } from "../../../../structures/shared/broken.ts";
import { type Edit, mutatedModule } from "../../../../structures/shared/mutated.ts";
import {
  brokenLaws,
  EVERYBODY_FINISHES,
  type Law,
  type Part,
} from "../../../../structures/shared/program-laws.ts";
import * as meeting from "./meeting.ts";

type Meeting = typeof meeting;
const MEETING = new URL("meeting.ts", import.meta.url).href;
const WORKERS = 3;
const MEETINGS = 2;

/** A worker notes that it comes to a meeting, and that it goes on. */
const COMES = 1;
const GOES_ON = 2;

const nobodyGoesOnAlone: Law = {
  name: "nobodyGoesOnAlone",
  state({ threads }) {
    const times = (what: number) => threads.map(({ notes }) => notes.filter((note) => note === what).length);
    const [come, gone] = [Math.min(...times(COMES)), Math.max(...times(GOES_ON))];
    return gone > come ? `one went on after meeting ${gone}, and not all had come` : undefined;
  },
  once: ({ threads }) => threads.every(({ notes }) => notes.length === 2 * MEETINGS),
};

function explored({ makeMeeting, meet }: Meeting): string[] {
  const once: Part = (memory, { note }) => {
    note(COMES);
    meet(memory, WORKERS);
    note(GOES_ON);
  };
  const threads = Array.from({ length: WORKERS }, () => new Array<Part>(MEETINGS).fill(once));
  return brokenLaws({ memory: makeMeeting(), threads }, [nobodyGoesOnAlone]);
}

describe("a meeting: in every interleaving of three workers that meet twice", () => {
  it("no worker goes on before all have come, and all go on", () => {
    assert.deepEqual(explored(meeting), []);
  });

  const faults: Readonly<Record<string, readonly [Edit, string]>> = {
    "a worker that does not look again when woken": [
      ["while (Atomics.load(meeting, OVER) === over) Atomics.wait", "Atomics.wait"],
      nobodyGoesOnAlone.name,
    ],
    "the last to come, which wakes no other": [
      ["    Atomics.notify(meeting, OVER);\n", ""],
      EVERYBODY_FINISHES,
    ],
  };
  for (const [what, [edit, law]] of Object.entries(faults)) {
    it(`${what} breaks ${law}`, async () => {
      assertBroken(law, explored(await mutatedModule<Meeting>(MEETING, edit)));
    });
  }
});
