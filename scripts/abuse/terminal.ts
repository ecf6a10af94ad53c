/** What a command leaves of the terminal that it ran in, as far as what it printed there shows. */

/** A command in a terminal of its own, as one line for a shell: words are quoted. */
export function shellLine(words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
}

/** Printed by the terminal's shell where the command has changed how the terminal is set. */
export const SETTINGS_CHANGED = "the terminal's settings are changed";

/** Calls the command, `"$@"`, and looks at the terminal's settings before and after. */
export const WATCHED_CALL = `before=$(stty -g); "$@"; code=$?; [ "$(stty -g)" = "$before" ] || echo "${SETTINGS_CHANGED}"; exit $code`;

/** Each thing that is not as it was, in a few words. */
export function terminalFaults(printed: string): string[] {
  const faults: string[] = [];
  if (printed.includes(SETTINGS_CHANGED)) faults.push(SETTINGS_CHANGED);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what terminals obey.
  if (/\x1b(\[[\d;?]*)?$/.test(printed)) faults.push("an escape sequence is not ended");
  if (isLastOf(printed, "\x1b[?25l", "\x1b[?25h")) faults.push("the cursor is hidden");
  if (isLastOf(printed, "\x1b[?1049h", "\x1b[?1049l")) faults.push("the alternate screen is shown");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the same.
  const styles = [...printed.matchAll(/\x1b\[([\d;]*)m/g)];
  if (!RESET.has(styles.at(-1)?.[1] ?? "0")) faults.push("text goes on in colours");
  if (lastLineOf(printed) !== "") faults.push(`the last line is not cleared: ${lastLineOf(printed)}`);
  return faults;
}

/** Ends of bold, dim, italic, underlined, inverse, foreground and background; and of all. */
const RESET = new Set(["", "0", "22", "23", "24", "27", "39", "49"]);

/** Whether `on` was printed, and `off` not after it. */
function isLastOf(printed: string, on: string, off: string): boolean {
  return printed.lastIndexOf(on) > printed.lastIndexOf(off);
}

/** What still stands in the line of the cursor; a Ctrl-C is echoed there by the terminal itself. */
function lastLineOf(printed: string): string {
  const line = printed.split("\n").at(-1)!.split("\r\x1b[K").at(-1)!;
  return visible(line).replaceAll("^C", "").trim();
}

/** A line without what only a terminal understands. */
export function visible(line: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what terminals obey.
  return line.replaceAll(/\x1b\[[\d;?]*[A-Za-z]|[\x00-\x1f]/g, "");
}
