import { stripVTControlCharacters } from "node:util";

/** What a command leaves of the terminal that it ran in, as far as what it printed there shows. */

const SETTINGS_CHANGED = "the terminal's settings are changed";

/** Runs the line in the variable `LINE` in a terminal of its own, whose settings are compared before and after. */
export const IN_TERMINAL = [
  ...["script", "--quiet", "--return", "--flush", "/dev/null", "--command"],
  `before=$(stty -g); bash -c "$LINE"; code=$?; [ "$(stty -g)" = "$before" ] || echo "${SETTINGS_CHANGED}"; exit $code`,
];

/** Ends of bold, dim, italic, underlined, inverse, foreground and background; and of all. */
const RESET = /^(|0|2[23479]|39|49)$/;

/** Each thing that is not as it was, in a few words. */
export function terminalFaults(printed: string): string[] {
  const isLast = (on: string, off: string) => printed.lastIndexOf(on) > printed.lastIndexOf(off);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what terminals obey.
  const style = [...printed.matchAll(/\x1b\[([\d;]*)m/g)].at(-1)?.[1] ?? "";
  // The terminal itself echoes a Ctrl-C.
  const line = printed.split("\n").at(-1)!.split("\r\x1b[K").at(-1)!.replaceAll("^C", "");
  const rest = stripVTControlCharacters(line).trim();
  const faults = [
    printed.includes(SETTINGS_CHANGED) && SETTINGS_CHANGED,
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the same.
    /\x1b(\[[\d;?]*)?$/.test(printed) && "an escape sequence is not ended",
    isLast("\x1b[?25l", "\x1b[?25h") && "the cursor is hidden",
    isLast("\x1b[?1049h", "\x1b[?1049l") && "the alternate screen is shown",
    !RESET.test(style) && "text goes on in colours",
    rest !== "" && `the last line is not cleared: ${rest}`,
  ];
  return faults.filter((fault) => typeof fault === "string");
}
