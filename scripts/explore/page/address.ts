/**
 * What the page shows, as the part of its address behind the `#`: a view can be linked from a review, and works from a disk
 * as from a server. What is left out is as the page chooses it.
 */
export interface View {
  readonly primitive?: string;
  readonly scenario?: string;
  readonly show: Show;
  /**
   * What the reader chose, by the name of its field: `workers`, `base`, `record`, `other` (the record beside it), `series`; `need.` and a trait for its values; `most.` and a figure for its limit.
   */
  readonly chosen: Readonly<Record<string, string>>;
}

export const SHOWS = ["ranking", "records"] as const;
export type Show = (typeof SHOWS)[number];

export const HOME: View = { show: SHOWS[0], chosen: {} };

/** What an address asks for. */
export function viewOf(hash: string): View {
  const [path = "", query = ""] = hash.replace(/^#/, "").split("?");
  const [primitive, scenario] = path.split("/").map(decodeURIComponent);
  const { show, ...chosen } = Object.fromEntries(new URLSearchParams(query));
  return {
    ...(primitive ? { primitive } : {}),
    ...(scenario ? { scenario } : {}),
    show: SHOWS.find((known) => known === show) ?? HOME.show,
    chosen,
  };
}

/** The other way; `#` for the page that one begins with. */
export function hashOf({ primitive, scenario = "", show, chosen }: View): string {
  if (primitive === undefined) return "#";
  const asked = new URLSearchParams(show === HOME.show ? {} : { show });
  for (const [field, value] of Object.entries(chosen)) if (value !== "") asked.set(field, value);
  const path = [primitive, scenario].map(encodeURIComponent).join("/");
  // Commas and slashes mean nothing here, and an address is for people, too.
  const query = asked.toString().replaceAll("%2C", ",").replaceAll("%2F", "/");
  return `#${path}${query === "" ? "" : `?${query}`}`;
}

/** A view with some of its fields chosen otherwise; an empty text leaves the choice to the page. */
export function choosing({ scenario, ...view }: View, changes: Readonly<Record<string, string>>): View {
  const { scenario: other = scenario, ...chosen } = changes;
  return {
    ...view,
    ...(other === undefined ? {} : { scenario: other }),
    chosen: { ...view.chosen, ...chosen },
  };
}

/** What is required of a competitor: any of these values of each trait. */
export function needsOf(view: View): [trait: string, values: string[]][] {
  return chosenBehind("need.", view).map(([trait, values]) => [trait, values.split(",")]);
}

/** What a figure may be at most, by `scenario/metric`. */
export function limitsOf(view: View): [figure: string, limit: number][] {
  return chosenBehind("most.", view).flatMap(([figure, limit]) =>
    Number.isFinite(Number(limit)) ? [[figure, Number(limit)] as [string, number]] : [],
  );
}

function chosenBehind(prefix: string, { chosen }: View): [name: string, value: string][] {
  return Object.entries(chosen).flatMap(([field, value]) =>
    field.startsWith(prefix) && value !== "" ? [[field.slice(prefix.length), value] as [string, string]] : [],
  );
}
