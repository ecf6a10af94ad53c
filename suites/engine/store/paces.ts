import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Type from "typebox";
import { Compile } from "typebox/compile";
import { NO_PACES, type Paces } from "../measure/pace.ts";
import { METHOD_VERSION } from "../schema/envelope.ts";
import { writeWhole } from "./results.ts";

/** What runs on a machine took, for the estimates of the next. It is no result: who deletes it loses a good estimate. */
const FOLDER = fileURLToPath(new URL("../../../node_modules/.cache/hotpath-lab/", import.meta.url));

const Times = Type.Record(Type.String(), Type.Number({ minimum: 0 }));
const file = Compile(
  Type.Object({
    methodVersion: Type.Literal(METHOD_VERSION),
    groups: Type.Record(
      Type.String(),
      Type.Object({
        factor: Type.Number({ exclusiveMinimum: 0 }),
        forks: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
      }),
    ),
    simulations: Times,
    surveys: Times,
  }),
);

/** Of the machine with this slug; nothing where there is no such file, or one that is damaged or of another method. */
export function readPaces(slug: string, folder = FOLDER): Paces {
  try {
    const value: unknown = JSON.parse(readFileSync(pathOf(slug, folder), "utf8"));
    return file.Check(value) ? value : NO_PACES;
  } catch {
    return NO_PACES;
  }
}

/** What cannot be written is done without. */
export function writePaces(slug: string, paces: Paces, folder = FOLDER): void {
  try {
    writeWhole(
      pathOf(slug, folder),
      `${JSON.stringify({ methodVersion: METHOD_VERSION, ...paces }, null, 1)}\n`,
    );
  } catch {}
}

function pathOf(slug: string, folder: string): string {
  return join(folder, `paces-${slug}.json`);
}
