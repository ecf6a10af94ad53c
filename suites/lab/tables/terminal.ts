import { type OutputStream, terminalOf } from "../../engine/table/stream.ts";
import { type Table, toTerminal } from "../../reporter/src/index.ts";
import { type Block, blocksTerminal } from "./blocks.ts";

/** Prints one table of several, with an empty line behind it, as the stream can show it. */
export function printTable(stream: OutputStream, table: Table): void {
  stream.write(`${toTerminal(table, terminalOf(stream, process.env))}\n`);
}

/** Makes and prints a text of each, until no reader is left: `| head` ends when it has seen enough. */
export async function printWhileRead<Item>(
  stream: { write(text: string, written: (error?: Error | null) => void): unknown },
  items: Iterable<Item>,
  textOf: (item: Item) => string,
): Promise<void> {
  for (const item of items) {
    const { promise, resolve } = Promise.withResolvers<Error | null | undefined>();
    stream.write(textOf(item), resolve);
    if (await promise) return;
  }
}

/** Prints a whole of several parts as the stream can show them. */
export function printBlocks(stream: OutputStream, blocks: readonly Block[]): void {
  stream.write(blocksTerminal(blocks, terminalOf(stream, process.env)));
}
