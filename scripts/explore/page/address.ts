/**
 * What the page shows, as the part of its address behind the `#`: so that a view can be linked from a review, and works
 * from a disk as from a server. What is left out is as the page chooses it.
 */
export interface View {
  readonly primitive?: string;
  readonly scenario?: string;
  readonly show: Show;
  readonly workers?: number;
  /** As the lab names it, where that is not its own alone. */
  readonly runtime?: string;
  /** Competitor that ratios are to. */
  readonly base?: string;
  /** File of the record; of `other` the one beside it. */
  readonly record?: string;
  readonly other?: string;
  /** What is required of a competitor: any of these values of each trait. */
  readonly needs: Readonly<Record<string, readonly string[]>>;
  /** What a figure may be at most, by `scenario/metric`. */
  readonly most: Readonly<Record<string, number>>;
  /** Along which figure speed is shown, `scenario/metric`. */
  readonly along?: string;
  /** Profiles, and the worker whose time they show. */
  readonly flame?: string;
  readonly against?: string;
  readonly worker?: string;
  /** Series of nights. */
  readonly series?: string;
}

/** Changes what is shown, and leaves the rest as it is. */
export type Go = (changes: Partial<View>) => void;

export const SHOWS = [
  "ranking",
  "quality",
  "processes",
  "curve",
  "records",
  "runtimes",
  "flames",
  "simulated",
] as const;
export type Show = (typeof SHOWS)[number];

export const HOME: View = { show: "ranking", needs: {}, most: {} };

const TEXTS = [
  "runtime",
  "base",
  "record",
  "other",
  "along",
  "flame",
  "against",
  "worker",
  "series",
] as const;
const NEED = "need.";
const MOST = "most.";

/** What an address asks for. What cannot be read in it is left out. */
export function viewOf(hash: string): View {
  const [path = "", query = ""] = hash.replace(/^#/, "").split("?");
  const [primitive, scenario] = path.split("/").map(decodeURIComponent);
  const asked = new URLSearchParams(query);
  const workers = Number(asked.get("workers") ?? Number.NaN);
  const beginning = (prefix: string) =>
    [...asked].flatMap(([key, value]) =>
      key.startsWith(prefix) && value !== "" ? [[key.slice(prefix.length), value] as const] : [],
    );
  return {
    ...(primitive ? { primitive } : {}),
    ...(scenario ? { scenario } : {}),
    show: SHOWS.find((show) => show === asked.get("show")) ?? HOME.show,
    ...(workers >= 1 ? { workers } : {}),
    ...Object.fromEntries(TEXTS.flatMap((key) => (asked.get(key) ? [[key, asked.get(key)]] : []))),
    needs: Object.fromEntries(beginning(NEED).map(([key, value]) => [key, value.split(",")])),
    most: Object.fromEntries(
      beginning(MOST).flatMap(([key, value]) =>
        Number.isFinite(Number(value)) ? [[key, Number(value)]] : [],
      ),
    ),
  };
}

/** The other way; `""` for the page that one begins with. */
export function hashOf(view: View): string {
  if (view.primitive === undefined) return "";
  const asked = new URLSearchParams();
  if (view.show !== HOME.show) asked.set("show", view.show);
  if (view.workers !== undefined) asked.set("workers", String(view.workers));
  for (const key of TEXTS) if (view[key]) asked.set(key, view[key]);
  for (const [key, values] of Object.entries(view.needs)) {
    if (values.length > 0) asked.set(`${NEED}${key}`, values.join());
  }
  for (const [key, value] of Object.entries(view.most)) asked.set(`${MOST}${key}`, String(value));
  const path = [view.primitive, view.scenario ?? ""].map(encodeURIComponent).join("/");
  // Commas and slashes mean nothing here, and an address is for people, too.
  const query = asked.toString().replaceAll("%2C", ",").replaceAll("%2F", "/");
  return `#${path}${query === "" ? "" : `?${query}`}`;
}
