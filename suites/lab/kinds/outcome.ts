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
  return unevenSeries(
    chart.lines.map(({ key }) => key),
    series,
  );
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
