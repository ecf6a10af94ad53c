import { ProgramError, type TracedStep } from "./program.ts";

/**
 * Schedules as text: which thread does what, step by step. A thread's number stands for a step of its own, with `!` the
 * thread stops, with `~` its wait times out. `*n` repeats a step n times. For example, `0*3 1 0~` is three steps of
 * thread 0, one of thread 1, and the end of a wait of thread 0. Of a thread that awaits several promises, `0~1` times out
 * the second that has a limit, and `0+` resolves the one that was notified first. Where plain accesses are weak, `0<1` is
 * a plain load that returns the first of the older values, and `0^1` is when the second of all plain stores that are kept
 * back arrives.
 */
export interface Choice {
  readonly thread: number;
  readonly event: Event;
  /** Which of several such steps, from 0 on; 0 if absent. */
  readonly nth?: number;
}

export type Event = TracedStep["event"];

const MARKS: Readonly<Record<Event, string>> = {
  runs: "",
  stops: "!",
  "times out": "~",
  resumes: "+",
  "store arrives": "^",
};

/** Of a plain load that returns an older value. */
const OLDER = "<";

export function written(choices: readonly Choice[]): string {
  const tokens: { text: string; times: number }[] = [];
  for (const { thread, event, nth = 0 } of choices) {
    const mark = event === "runs" && nth > 0 ? OLDER : MARKS[event];
    const text = `${thread}${mark}${nth > 0 ? nth : ""}`;
    const last = tokens.at(-1);
    if (last?.text === text) last.times++;
    else tokens.push({ text, times: 1 });
  }
  return tokens.map(({ text, times }) => (times === 1 ? text : `${text}*${times}`)).join(" ");
}

/** Throws an Error where `schedule` is none. */
export function read(schedule: string): Choice[] {
  return schedule
    .split(" ")
    .filter((token) => token !== "")
    .flatMap((token) => {
      const [, thread, mark, nth, times] = TOKEN.exec(token) ?? [];
      const event = mark === OLDER ? "runs" : EVENTS.find((one) => MARKS[one] === mark);
      if (thread === undefined || event === undefined)
        throw new ProgramError(
          `"${token}" is no step of a schedule: expected a thread's number, as in "0*3 1 0~"`,
        );
      const choice = { thread: Number(thread), event, ...(nth === undefined ? {} : { nth: Number(nth) }) };
      return new Array<Choice>(Number(times ?? 1)).fill(choice);
    });
}

const EVENTS = Object.keys(MARKS) as Event[];
const TOKEN = /^(\d+)([!~+^<]?)(?:(?<=[~^<])(\d+))?(?:\*(\d+))?$/;
