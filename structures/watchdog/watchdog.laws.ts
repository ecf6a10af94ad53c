/**
 * What a watchdog promises, as pure functions over what happened and what it said. Each returns undefined, or one sentence
 * that says what broke and by how much.
 */
export interface History {
  readonly hungMs: number;
  /** The most between two looks while the process runs, in ms. */
  readonly gapMs: number;
  /** In order. */
  readonly events: readonly Event[];
}

export interface Event {
  /** In ms in which the process ran. */
  readonly atMs: number;
  /**
   * `attach`, `beat`, `end`: of a loop. `look`: all that was said at a look stands behind it. `suspend`: no thread ran for
   * some time. `hung`, `back`: what was said of a loop.
   */
  readonly kind: "attach" | "beat" | "end" | "look" | "suspend" | "hung" | "back";
  readonly loop?: number;
  readonly silentMs?: number;
}

/** A loop that is called hung has not beaten for `hungMs`; each time that the process was suspended may count as a gap. */
export function nobodyIsBlamedEarly({ hungMs, gapMs, events }: History): string | undefined {
  return found(events, ({ kind, atMs, loop }, { beatMs, suspended }) => {
    const silentMs = atMs - beatMs;
    if (kind !== "hung" || silentMs + suspended * gapMs >= hungMs) return undefined;
    return `nobodyIsBlamedEarly: loop ${loop} was called hung ${silentMs} ms after its beat`;
  });
}

/** No loop is called hung that nobody has. */
export function endedIsNotBlamed({ events }: History): string | undefined {
  return found(events, ({ kind, atMs, loop }, { isHeld }) =>
    kind === "hung" && !isHeld
      ? `endedIsNotBlamed: loop ${loop} was called hung at ${atMs} ms, when nobody had it`
      : undefined,
  );
}

/** A loop that hangs is called hung by the first look after `hungMs` and a gap. */
export function everyHangIsSeen({ hungMs, gapMs, events }: History): string | undefined {
  return found(events, ({ kind, atMs }, _, loops) => {
    if (kind !== "look") return undefined;
    const missed = loops.findIndex(
      ({ isHeld, isHung, beatMs }) => isHeld && !isHung && atMs - beatMs > hungMs + 2 * gapMs,
    );
    return missed < 0 ? undefined : `everyHangIsSeen: loop ${missed} was not called hung by ${atMs} ms`;
  });
}

/** It says for how long, no more than it was and at most a gap less. */
export function sinceIsRight({ gapMs, events }: History): string | undefined {
  return found(events, ({ kind, atMs, loop, silentMs = 0 }, { beatMs, suspended }) => {
    const wasMs = atMs - beatMs;
    if (kind !== "hung" || (silentMs >= wasMs - gapMs && silentMs <= wasMs + suspended * gapMs))
      return undefined;
    return `sinceIsRight: ${silentMs} ms for loop ${loop}, which was silent for ${wasMs} ms`;
  });
}

/** Of each hang it says once that it began, and once that it is over, by the second look after a beat. */
export function eachIsSaidOnce({ gapMs, events }: History): string | undefined {
  return found(events, ({ kind, atMs, loop }, { isHung }, loops) => {
    if (kind === "hung" && isHung) return `eachIsSaidOnce: loop ${loop} was called hung twice`;
    if (kind === "back" && !isHung) return `eachIsSaidOnce: loop ${loop} was back that was not hung`;
    const late = loops.findIndex((one) => one.isHung && one.beatMs > one.hungAtMs + 2 * gapMs);
    return kind === "look" && late >= 0 && atMs > loops[late]!.beatMs + gapMs
      ? `eachIsSaidOnce: loop ${late} has beaten, and was not called back by ${atMs} ms`
      : undefined;
  });
}

/** A loop as the events before have left it. */
interface Loop {
  isHeld: boolean;
  isHung: boolean;
  hungAtMs: number;
  /** Of its last beat. */
  beatMs: number;
  /** How often the process was suspended since. */
  suspended: number;
}

/** What the law says first, of an event and its loop before it. */
function found(
  events: readonly Event[],
  law: (event: Event, loop: Loop, loops: readonly Loop[]) => string | undefined,
): string | undefined {
  const loops: Loop[] = [];
  for (const event of events) {
    const { atMs, kind, loop = 0 } = event;
    loops[loop] ??= { isHeld: false, isHung: false, hungAtMs: 0, beatMs: 0, suspended: 0 };
    const of = loops[loop];
    const broken = law(event, of, loops);
    if (broken !== undefined) return broken;
    if (kind === "suspend") for (const one of loops) one.suspended++;
    if (kind === "attach" || kind === "beat") Object.assign(of, { beatMs: atMs, suspended: 0 });
    if (kind === "attach") of.isHeld = true;
    if (kind === "end") of.isHeld = false;
    if (kind === "hung") Object.assign(of, { isHung: true, hungAtMs: atMs });
    if (kind === "back") of.isHung = false;
  }
  return undefined;
}
