import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { METHOD_VERSION, SCHEMA_VERSION } from "../../engine/schema/envelope.ts";
import { versionMisfit } from "../../engine/schema/values.ts";

/** By the script that makes it. */
export const KINDS = {
  bench: "npm run bench",
  calibration: "npm run calibrate",
  flame: "npm run flame",
  simulated: "npm run cores",
} as const;
export type Kind = keyof typeof KINDS;

/** Throws an Error with one line unless `value`, which `name` stands for, is a record of this kind in today's form. */
export function checkEnvelope(value: unknown, kind: Kind, name: string): void {
  const { kind: of, schemaVersion, methodVersion } = (value ?? {}) as { readonly [key: string]: unknown };
  if (of !== kind) throw new Error(`${name} is not a record of ${KINDS[kind]}`);
  if (schemaVersion !== SCHEMA_VERSION) {
    throw new Error(`${name} ${versionMisfit("schema version", schemaVersion, SCHEMA_VERSION)}`);
  }
  if (typeof methodVersion === "number" && methodVersion > METHOD_VERSION) {
    throw new Error(`${name} ${versionMisfit("method version", methodVersion, METHOD_VERSION)}`);
  }
}

/** With these two bytes begins what gzip has compressed (RFC 1952). */
const GZIP = [0x1f, 0x8b] as const;

/** Whether a file is compressed, whatever its name says. */
export function isCompressed(bytes: Uint8Array): boolean {
  return bytes[0] === GZIP[0] && bytes[1] === GZIP[1];
}

/**
 * The JSON of a file, which may be compressed by gzip. Throws an Error with a one-line message if it has none. The
 * message says what makes such a file anew.
 */
export function readJson(path: string, kind: Kind): unknown {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new Error(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code ?? error}`);
  }
  try {
    return JSON.parse((isCompressed(bytes) ? gunzipSync(bytes) : bytes).toString());
  } catch {
    throw new Error(`${path} is damaged: it is not JSON; make the record again with ${KINDS[kind]}`);
  }
}
