/** The values that each label of a metric may have, by its name. A metric without labels has `{}`. */
export type Labels = Readonly<Record<string, readonly (string | number)[]>>;

/** A value for each label of a metric. */
export type LabelValues = Readonly<Record<string, string | number>>;

/** Every combination of values, in the order of its numbers: those of the last label follow each other. */
export function seriesOf(labels: Labels): Readonly<Record<string, string>>[] {
  return Object.entries(labels).reduce<Record<string, string>[]>(
    (series, [name, values]) =>
      series.flatMap((one) => values.map((value) => ({ ...one, [name]: String(value) }))),
    [{}],
  );
}

/**
 * Returns which of `seriesOf(labels)` has these values. That throws a RangeError for a label that is missing, and for a
 * label or a value that there is not.
 */
export function finderOf(metric: string, labels: Labels): (values: LabelValues) => number {
  const names = Object.keys(labels);
  const places = names.map((name) => new Map(labels[name]!.map((value, at) => [String(value), at])));
  return (values) => {
    const unknown = Object.keys(values).find((name) => !Object.hasOwn(labels, name));
    if (unknown !== undefined)
      throw new RangeError(`${metric}: there is no label ${unknown}: ${described(metric, names)}`);
    let series = 0;
    for (const [at, name] of names.entries()) {
      const value = values[name];
      if (value === undefined)
        throw new RangeError(`${metric}: ${name} is missing: ${described(metric, names)}`);
      const place = places[at]!.get(String(value));
      if (place === undefined)
        throw new RangeError(
          `${metric}: ${name} ${JSON.stringify(value)} is none of its values: give it in makeMetrics, or count it as another`,
        );
      series = series * places[at]!.size + place;
    }
    return series;
  };
}

function described(metric: string, names: readonly string[]): string {
  return names.length === 0 ? "it has none" : `call ${metric}.labels({ ${names.join(", ")} })`;
}

/** Of one metric. */
const MOST_SERIES = 2 ** 16;

/** Source: the Prometheus data model. Labels that begin with two underscores are Prometheus' own. */
const NAME = /^(?!__)[a-zA-Z_][a-zA-Z0-9_]*$/;

/** Throws, in one line, for labels that Prometheus would not take. `le` is a histogram's own. */
export function assertLabels(metric: string, labels: Labels): void {
  for (const [name, values] of Object.entries(labels)) {
    if (!NAME.test(name) || name === "le")
      throw new RangeError(`${metric}: ${JSON.stringify(name)} is no name for a label`);
    const isList = Array.isArray(values) && values.length > 0;
    if (!isList || values.some((value) => typeof value !== "string" && typeof value !== "number"))
      throw new TypeError(`${metric}: label ${name} has no list of values: give the ones that it may have`);
    if (new Set(values.map(String)).size < values.length)
      throw new RangeError(`${metric}: label ${name} has a value twice`);
  }
  const series = Object.values(labels).reduce((count, { length }) => count * length, 1);
  if (series > MOST_SERIES)
    throw new RangeError(`${metric}: ${series} combinations of labels are more than ${MOST_SERIES}`);
}
