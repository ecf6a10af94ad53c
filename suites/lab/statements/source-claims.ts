import { existsSync, readdirSync, readFileSync } from "node:fs";
import Type, { type TProperties } from "typebox";
import { Compile } from "typebox/compile";
import { primitives } from "../../../structures/catalog.ts";
import { misfitOf } from "../../engine/schema/values.ts";
import type { Evidence, SourceClaims } from "./vocabulary.ts";

/** The form of a `claims.json`; engine/claims.ts says what its parts mean. */
const closed = { additionalProperties: false };
const Text = Type.String({ minLength: 1 });
const maybe = Type.Optional;
const Factor = Type.Number();
const at = { scenario: Text, workers: Type.Integer({ minimum: 1 }) };
const Place = Type.Object(at, closed);
const Yes = maybe(Type.Literal(true));

function piece<Kind extends string, Fields extends TProperties>(kind: Kind, fields: Fields) {
  return Type.Object({ kind: Type.Literal(kind), competitor: Text, ...fields }, closed);
}

const metric = { scenario: Text, metric: Text, says: maybe(Text), isOneRun: Yes };
const surveyed = { scenario: Text, metric: Text, than: maybe(Text), thanMetric: maybe(Text) };
const least = { atLeast: Factor, atMost: maybe(Factor) };
const most = { atMost: Factor, atLeast: maybe(Factor) };
const Pieces = Type.Array(
  Type.Union([
    piece("faster", { ...at, than: Text, atMost: maybe(Factor) }),
    piece("slowest", { ...at, among: maybe(Type.Array(Text)) }),
    piece("growth", { from: Place, to: Place, is: Type.Enum(["at most", "at least"]), factor: Factor }),
    piece("costs", { ...at, atMostNs: Factor }),
    piece("counted", { ...at, column: Text, atLeast: Factor }),
    piece("metric", { ...metric, ...least }),
    piece("metric", { ...metric, ...most }),
    piece("surveyed", { ...surveyed, ...least }),
    piece("surveyed", { ...surveyed, ...most }),
  ]),
);
/** Of a remark: held to nothing. */
const Seen = Type.Union([piece("metric", metric), piece("surveyed", surveyed), piece("costs", at)]);

const Figure = { method: Text, mean: Text, error: Text, stdDev: Text, ratio: Text, competitor: Text };
const Statement = {
  quote: Text,
  translation: maybe(Text),
  reading: Text,
  condition: maybe(Pieces.items),
  evidence: Pieces,
  isGuessed: Yes,
  otherwise: maybe(Type.Object({ rule: Text, evidence: Type.Array(Pieces.items, { minItems: 1 }) }, closed)),
  beyond: maybe(Pieces),
  note: maybe(Text),
};
const Claims = Type.Object(
  {
    primitive: Text,
    /** For readers of the file: of which part of the source it is, and why bounds are what they are. */
    about: maybe(Text),
    bounds: maybe(Type.Record(Text, Text)),
    source: Text,
    author: Text,
    conditions: Text,
    figures: maybe(
      Type.Object({ scenario: Text, unit: Text, rows: Type.Array(Type.Object(Figure, closed)) }, closed),
    ),
    statements: Type.Array(Type.Object(Statement, closed)),
    remarks: maybe(Type.Array(Type.Object({ text: Text, seen: Type.Array(Seen) }, closed))),
  },
  closed,
);
const validator = Compile(Claims);

const SUITES = new URL("../../", import.meta.url);

/** Every `claims.json` and `<source>.claims.json` of a suite, in the order of their names. */
export function loadSourceClaims(): SourceClaims[] {
  return primitives().flatMap((primitive) => {
    const folder = new URL(`${primitive}/`, SUITES);
    const files = existsSync(folder) ? readdirSync(folder) : [];
    return files
      .filter((file) => /^(.+\.)?claims\.json$/.test(file))
      .sort()
      .map((file) =>
        claimsIn(JSON.parse(readFileSync(new URL(file, folder), "utf8")), `${primitive}/${file}`),
      );
  });
}

/** Throws an Error with one line where the value has another form; `name` stands for it there. */
function claimsIn(value: unknown, name: string): SourceClaims {
  if (!validator.Check(value)) throw new Error(`${name}: ${misfitOf(validator.Errors(value))}`);
  const { about: _, bounds: __, remarks = [], ...claims } = value;
  const any = Number.POSITIVE_INFINITY;
  const heldToNothing = (piece: (typeof remarks)[number]["seen"][number]): Evidence =>
    piece.kind === "costs" ? { ...piece, atMostNs: any } : { ...piece, atMost: any };
  const said = remarks.map(({ text, seen }) => ({ text, seen: seen.map(heldToNothing) }));
  return { ...claims, ...(said.length === 0 ? {} : { remarks: said }) };
}
