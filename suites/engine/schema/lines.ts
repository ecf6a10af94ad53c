/** Characters that steer a terminal, hide what a text says or turn its direction, as a class of a regular expression. */
export const UNSEEN = "\\u0000-\\u001f\\u007f-\\u009f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff";
const UNSEEN_RUN = new RegExp(`[${UNSEEN}]+`, "gu");

/** Text as one line that a terminal shows as it stands: what it quotes may hold escape sequences. */
export function plainLine(text: string): string {
  return text.replaceAll(UNSEEN_RUN, " ");
}

const JOINERS = "\u200c\u200d";
const NO_ASCII = /^\P{ASCII}$/u;

/** As `plainLine`, of a name that somebody typed: what joins letters, or parts of an emoji, stays. */
export function plainName(text: string): string {
  return text.replaceAll(UNSEEN_RUN, (run, at: number) => {
    const isJoined = [text[at - 1], text[at + run.length]].every((beside) => NO_ASCII.test(beside ?? ""));
    return isJoined && JOINERS.includes(run) ? run : " ";
  });
}

export function firstLine(text: string): string {
  return text.split("\n", 1)[0]!;
}
