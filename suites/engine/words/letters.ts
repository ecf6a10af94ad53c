const LETTERS = new Intl.Segmenter();
/** What a terminal shows in two columns; half-width katakana are not. */
const WIDE =
  /^(?![\uff61-\uffdc])[\p{Emoji_Presentation}\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}\u3000-\u303f\uff01-\uffe6]/u;

/** A text as its reader sees it: an emoji of several parts is one letter. */
export function lettersOf(text: string): string[] {
  return Array.from(LETTERS.segment(text), ({ segment }) => segment);
}

/** How many columns of a terminal letters take. */
export function columnsIn(letters: readonly string[]): number {
  return letters.reduce((columns, letter) => columns + (WIDE.test(letter) ? 2 : 1), 0);
}

/** The first letters that fit into this many columns. */
export function fitting(letters: readonly string[], columns: number): string[] {
  let count = letters.length;
  while (columnsIn(letters.slice(0, count)) > columns) count--;
  return letters.slice(0, count);
}
