import type { Outcome, SeriesChart, Simulation } from "../../shared/vocabulary.ts";

/** Why a table could not show these metrics. */
export function unclearMetric(
  metrics: Readonly<Record<string, number>>,
  described: Pick<Simulation<unknown, unknown>, "metrics">,
): string | undefined {
  for (const [key, value] of Object.entries(metrics)) {
    if (!Object.hasOwn(described.metrics, key))
      return `its metric ${key} is none that the scenario describes`;
    if (!Number.isFinite(value)) return `its metric ${key} is ${value}`;
  }
  return undefined;
}

/** Why a record could not hold these series. */
export function unclearSeries(series: Outcome["series"]): string | undefined {
  for (const [key, values] of Object.entries(series)) {
    const index = values.findIndex((value) => !Number.isFinite(value));
    if (index !== -1) return `its series ${key} has ${values[index]} at index ${index}`;
  }
  return undefined;
}

/** Why a chart could not be drawn from these series. */
export function unclearChart(chart: SeriesChart | undefined, series: Outcome["series"]): string | undefined {
  if (chart === undefined) return undefined;
  if (chart.lines === undefined) return unevenSeries([chart.low, chart.high], series);
  const keys = chart.lines.map(({ key }) => key);
  const uneven = unevenSeries(keys, series);
  const { along } = chart;
  if (uneven !== undefined || along === undefined) return uneven;
  const [first] = keys;
  const values = series[first!]!.length;
  if (values !== along.at.length)
    return `it has ${values} values of ${first} to draw at ${along.at.length} places`;
  const isClear = along.at.every((at, index) => at > (along.at[index - 1] ?? lowestOf(along.scale)));
  return isClear ? undefined : `its ${along.title} does not rise from place to place as its axis does`;
}

/** Why series could not be drawn in one frame. */
function unevenSeries(keys: readonly string[], series: Outcome["series"]): string | undefined {
  const [first, last] = [keys[0]!, keys.at(-1)!];
  if (keys.some((key) => series[key] === undefined) || series[first]!.length === 0)
    return `it has no values to draw from ${first} to ${last}`;
  const { length } = series[first]!;
  const other = keys.find((key) => series[key]!.length !== length);
  return other === undefined
    ? undefined
    : `it has ${length} values of ${first} and ${series[other]!.length} of ${other} to draw`;
}

/** What every place along an axis is above. */
function lowestOf(scale: "linear" | "log"): number {
  return scale === "log" ? 0 : Number.NEGATIVE_INFINITY;
}
