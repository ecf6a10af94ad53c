import { isCompressed } from "../../../suites/lab/schema/envelope-file.ts";
import { checkRecord, partsOf } from "../../../suites/lab/schema/record-file.ts";
import type { PrimitiveData, RecordFile } from "./site-data.ts";

/** Records of the reader's own: they stay in the browser, until the page is closed. */

/** A file's text, decompressed if gzip has compressed it. */
export async function textOf(file: Blob): Promise<string> {
  const head = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const stream = isCompressed(head)
    ? file.stream().pipeThrough(new DecompressionStream("gzip"))
    : file.stream();
  return new Response(stream).text();
}

/** A file's record. Throws an Error with one line that says what is wrong with it. */
export function recordFrom(name: string, text: string): RecordFile {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(`${name} is no record: it is not JSON`);
  }
  return { file: name, record: checkRecord(value, name), isOwn: true };
}

export function primitivesOf({ record }: RecordFile): string[] {
  return [...new Set(partsOf(record).map(({ primitive }) => primitive))];
}

/** What is published, and behind it, as the newest, the parts of one's own records that are of the primitive. */
export function withOwn(data: PrimitiveData, own: readonly RecordFile[]): PrimitiveData {
  const added = own.flatMap((mine): RecordFile[] => {
    const { record } = mine;
    const isOf = (part: { readonly primitive: string }) => part.primitive === data.primitive;
    if (!partsOf(record).some(isOf)) return [];
    const parts = {
      groups: record.groups.filter(isOf),
      simulations: record.simulations.filter(isOf),
      surveys: (record.surveys ?? []).filter(isOf),
    };
    return [{ ...mine, record: { ...record, ...parts } }];
  });
  return { ...data, records: [...data.records, ...added] };
}
