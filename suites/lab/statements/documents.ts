import { existsSync, readdirSync, readFileSync } from "node:fs";
import { Compile } from "typebox/compile";
import { primitives } from "../../../structures/catalog.ts";
import { misfitOf } from "../../engine/schema/values.ts";
import { type Evidence, type SourceDocument, StatementsFile } from "./vocabulary.ts";

const validator = Compile(StatementsFile);

const SUITES = new URL("../../", import.meta.url);

/** Every `statements.json` and `<source>.statements.json` of a suite, in the order of their names. */
export function loadDocuments(): SourceDocument[] {
  return primitives().flatMap((primitive) => {
    const folder = new URL(`${primitive}/`, SUITES);
    const files = existsSync(folder) ? readdirSync(folder) : [];
    return files
      .filter((file) => /^(.+\.)?statements\.json$/.test(file))
      .sort()
      .map((file) =>
        documentIn(JSON.parse(readFileSync(new URL(file, folder), "utf8")), `${primitive}/${file}`),
      );
  });
}

/** Throws an Error with one line where the value has another form; `name` stands for it there. */
function documentIn(value: unknown, name: string): SourceDocument {
  if (!validator.Check(value)) throw new Error(`${name}: ${misfitOf(validator.Errors(value))}`);
  const { about: _, bounds: __, remarks = [], ...document } = value;
  const any = Number.POSITIVE_INFINITY;
  const heldToNothing = (piece: (typeof remarks)[number]["seen"][number]): Evidence =>
    piece.kind === "costs" ? { ...piece, atMostNs: any } : { ...piece, atMost: any };
  const said = remarks.map(({ text, seen }) => ({ text, seen: seen.map(heldToNothing) }));
  return { ...document, ...(said.length === 0 ? {} : { remarks: said }) };
}
