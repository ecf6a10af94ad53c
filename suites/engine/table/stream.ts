import { WriteStream } from "node:tty";
import type { TerminalOptions } from "../../reporter/src/index.ts";

/** Where nothing says how wide a line may be: a pipe, a file, a terminal that does not know. */
export const USUAL_COLUMNS = 80;

/** In a terminal that is narrower, lines wrap: tables of a name and one figure do not fit into less. */
const FEWEST_COLUMNS = 40;

export type OutputStream = Pick<NodeJS.WriteStream, "write"> & {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
};

/**
 * What a stream can show. A terminal: its own width, 40 at least, and colour unless the environment asks for none
 * (NO_COLOR with any text, TERM=dumb). Anything else: 80 columns and no colour. FORCE_COLOR overrules, as in Node.
 */
export function terminalOf(
  { isTTY = false, columns = 0 }: Omit<OutputStream, "write">,
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
