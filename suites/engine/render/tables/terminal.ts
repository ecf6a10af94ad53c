import { WriteStream } from "node:tty";
import { type Table, type TerminalOptions, toTerminal } from "../benchmark-reporter-markdown/src/index.ts";
import { type Block, blocksTerminal } from "./blocks.ts";

/** Where nothing says how wide a line may be: a pipe, a file, a terminal that does not know. */
export const USUAL_COLUMNS = 80;

/** In a terminal that is narrower, lines wrap: tables of a name and one figure do not fit into less. */
const FEWEST_COLUMNS = 40;

export type Output = Pick<NodeJS.WriteStream, "write"> & {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
};

/**
 * What a stream can show. A terminal: its own width, 40 at least, and colour unless the environment asks for none
 * (NO_COLOR with any text, TERM=dumb). Anything else: 80 columns and no colour. FORCE_COLOR overrules, as in Node.
 */
export function terminalOf(
  { isTTY = false, columns = 0 }: Omit<Output, "write">,
  env: NodeJS.ProcessEnv,
): TerminalOptions {
  const { NO_COLOR, ...rest } = env;
  return {
    width: isTTY && columns > 0 ? Math.max(FEWEST_COLUMNS, columns) : USUAL_COLUMNS,
    colour:
      (isTTY || env.FORCE_COLOR !== undefined) &&
      // Asked of the class, because a pipe has no such method. Older Nodes take an empty NO_COLOR for a wish.
      WriteStream.prototype.hasColors(NO_COLOR === "" ? rest : env),
  };
}

/** Prints one table of several, with an empty line behind it, as the stream can show it. */
export function printTable(stream: Output, table: Table): void {
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
export function printBlocks(stream: Output, blocks: readonly Block[]): void {
  stream.write(blocksTerminal(blocks, terminalOf(stream, process.env)));
}
