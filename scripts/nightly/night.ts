import { EXIT } from "../../suites/lab/command/usage.ts";
import type { HistoryLine } from "../../suites/lab/series/history.ts";
import { type Change, nightOf, type Series, seriesKey, seriesOf } from "../../suites/lab/series/nights.ts";

/**
 * What a night says, beside the nights before it. Pure: history in, judgement out; the same night judged again says the
 * same, whatever came after it.
 */
export interface Night {
  /** The series of the night's profile and method that the night has a line in, in the order of their first lines. */
  readonly tonight: readonly Series[];
  /** Changes that became known tonight: one night reports each. */
  readonly regressions: readonly Finding[];
  readonly improvements: readonly Finding[];
  /** Changes that are too fresh to be sure of and that a later night may confirm. */
  readonly suspected: readonly Finding[];
  /**
   * Of the same cells in other states of the machine than tonight's. Ratios of two states do not compare, so these series
   * have earlier nights and no line tonight.
   */
  readonly inOtherStates: readonly Series[];
  /** The changes among those that a later night in their state may confirm. */
  readonly openElsewhere: readonly Finding[];
  /** Tonight's cells without a number. */
  readonly numberless: readonly HistoryLine[];
  /**
   * By how much the night's time is before that of the one appended before it, in ms; 0 if it is not. Not before the
   * latest of all, or a single night of a clock that was years ahead would be reported ever after.
   */
  readonly clockBackMs: number;
}

export interface Finding {
  readonly series: Series;
  readonly change: Change;
}

/** Judges the night that consists of `own` lines, which are in the history. */
export function judgeNight(history: readonly HistoryLine[], own: readonly HistoryLine[]): Night {
  const isOwn = nightTest(own);
  const end = history.findLastIndex(isOwn) + 1;
  const known = history.slice(0, end);
  const [first] = own;
  const comparable = known.filter(
    ({ method, profile }) => method === first?.method && profile === first.profile,
  );
  const upToOwn = withoutLater(comparable, isOwn);
  const series = seriesOf(upToOwn);
  const tonight = series.filter(({ lines }) => isOwn(lines.at(-1)!));
  const findings = (isWanted: (change: Change) => boolean, of: readonly Series[] = tonight): Finding[] =>
    of.flatMap((one) => one.changes.filter(isWanted).map((change) => ({ series: one, change })));
  const isSuspected = ({ certainty }: Change) => certainty === "suspected";
  const measured = new Set(tonight.map(({ lines }) => stateless(lines.at(-1)!)));
  const inOtherStates = series.filter(
    (one) => !tonight.includes(one) && measured.has(stateless(one.lines.at(-1)!)),
  );
  const before = known.findLast((line) => !isOwn(line));
  return {
    tonight,
    regressions: findings(({ isNews, before, after }) => isNews && after > before),
    improvements: findings(({ isNews, before, after }) => isNews && after < before),
    suspected: findings(isSuspected),
    inOtherStates,
    openElsewhere: findings(isSuspected, inOtherStates),
    numberless: own.filter(({ medianNs }) => medianNs === null),
    clockBackMs:
      first === undefined || before === undefined
        ? 0
        : Math.max(0, Date.parse(before.at) - Date.parse(first.at)),
  };
}

function nightTest(own: readonly HistoryLine[]): (line: HistoryLine) => boolean {
  const nights = new Set(own.map(nightOf));
  return (line) => nights.has(nightOf(line));
}

/** A series with those of the same cell in all states of the machine. */
function stateless(line: HistoryLine): string {
  return seriesKey({ ...line, state: "any" });
}

/**
 * Without what follows the night in a series that it is in. Suppose a crash cut the night off and its rest was appended
 * after another night. Its first cells would else belong to that other one, and neither would report what it confirms.
 */
function withoutLater(
  lines: readonly HistoryLine[],
  isOwn: (line: HistoryLine) => boolean,
): readonly HistoryLine[] {
  const ends = new Map<string, number>();
  for (const [place, line] of lines.entries()) if (isOwn(line)) ends.set(seriesKey(line), place);
  return lines.filter((line, place) => place <= (ends.get(seriesKey(line)) ?? place));
}

/**
 * What the night's script exits with. A regression goes before a cell without a number. It is reported once, while a
 * broken cell is as broken tomorrow, and the summary has both.
 */
export function exitCodeOf({ regressions, numberless }: Night, failed: boolean): number {
  if (regressions.length > 0) return EXIT.regression;
  return failed || numberless.length > 0 ? EXIT.failed : EXIT.ok;
}
