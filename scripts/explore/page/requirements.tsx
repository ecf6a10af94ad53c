import { type ContestProps, type Figure, figuresOf } from "./contest.ts";
import { Choice } from "./fields.tsx";
import { Inline } from "./inline.tsx";
import type { PrimitiveData, TraitData } from "./site-data.ts";

/** What is required of a competitor: others are left out of every picture and table. */
export function Requirements({ data, contest, view, go }: ContestProps) {
  const raced = [
    ...contest.roles.flatMap(({ rivals }) => rivals.map(({ row }) => row.competitor)),
    ...contest.unfit,
  ];
  const asked = data.traits.flatMap((trait) => {
    const values = valuesOf(data, trait.key, raced);
    return values.size > 1 ? [{ trait, values }] : [];
  });
  const figures = figuresOf(data).filter(({ of }) => raced.some((name) => of.has(name)));
  const isAsked = Object.keys(view.needs).length + Object.keys(view.most).length > 0;
  if (asked.length + figures.length === 0) return null;
  return (
    <details class="requirements" open={isAsked}>
      <summary>What is required{isAsked && ` (${contest.unfit.length} left out)`}</summary>
      <div class="fields">
        {asked.map(({ trait, values }) => (
          <Trait key={trait.key} {...{ trait, values, view, go }} />
        ))}
      </div>
      {figures.length > 0 && <Limits {...{ figures, view, go }} />}
      {isAsked && (
        <button type="button" onClick={() => go({ needs: {}, most: {} })}>
          Require nothing
        </button>
      )}
    </details>
  );
}

/** How many of those that raced have each value, in the order of the alphabet. */
function valuesOf(
  { competitors }: PrimitiveData,
  key: string,
  raced: readonly string[],
): Map<string, number> {
  const values = competitors
    .filter(({ name }) => raced.includes(name))
    .flatMap(({ traits }) => traits[key] ?? [])
    .toSorted();
  return new Map([...Map.groupBy(values, (value) => value)].map(([value, same]) => [value, same.length]));
}

function Trait({
  trait: { key, title, meaning },
  values,
  view: { needs },
  go,
}: Pick<ContestProps, "view" | "go"> & { trait: TraitData; values: ReadonlyMap<string, number> }) {
  const wanted = needs[key] ?? [];
  const toggle = (value: string) => {
    const own = wanted.includes(value) ? wanted.filter((other) => other !== value) : [...wanted, value];
    const { [key]: _, ...others } = needs;
    go({ needs: own.length === 0 ? others : { ...others, [key]: own } });
  };
  return (
    <fieldset>
      <legend>{title}</legend>
      {[...values].map(([value, count]) => (
        <label key={value}>
          <input type="checkbox" checked={wanted.includes(value)} onChange={() => toggle(value)} /> {value}{" "}
          <small>{count}</small>
        </label>
      ))}
      {meaning !== "" && (
        <details class="meaning">
          <summary>
            meaning<span class="unseen"> of {title}</span>
          </summary>
          <p>
            <Inline text={meaning} />
          </p>
        </details>
      )}
    </fieldset>
  );
}

/** What a figure of a simulation or a survey may be at most. */
function Limits({
  figures,
  view: { most },
  go,
}: Pick<ContestProps, "view" | "go"> & { figures: readonly Figure[] }) {
  const free = figures.filter(({ key }) => !(key in most));
  const without = (key: string) =>
    Object.fromEntries(Object.entries(most).filter(([other]) => other !== key));
  return (
    <fieldset>
      <legend>figures, at most</legend>
      {Object.entries(most).map(([key, limit]) => {
        const figure = figures.find((other) => other.key === key);
        return (
          <label key={key}>
            {figure?.title ?? key}
            <input
              type="number"
              step="any"
              value={limit}
              onChange={({ currentTarget: { value } }) =>
                go({ most: value === "" ? without(key) : { ...most, [key]: Number(value) } })
              }
            />{" "}
            {figure?.unit}
          </label>
        );
      })}
      <Choice
        title={<span class="unseen">a figure that is to be limited</span>}
        value=""
        options={[
          ["", `add one of ${free.length} figures`],
          ...free.map(({ key, title, unit }) => [key, `${title} (${unit})`] as const),
        ]}
        onChoice={(value) => {
          const figure = free.find(({ key }) => key === value);
          if (figure !== undefined) go({ most: { ...most, [value]: worstOf(figure) } });
        }}
      />
    </fieldset>
  );
}

/** The limit that leaves out nobody who has the figure. */
function worstOf({ of, digits }: Figure): number {
  const values = [...of.values()].map(({ value }) => value).filter(Number.isFinite);
  const step = 10 ** -digits;
  return Number((Math.ceil(Math.max(...values) / step) * step).toFixed(digits));
}
