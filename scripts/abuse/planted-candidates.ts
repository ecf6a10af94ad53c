/** Texts of candidates that are honest but for what is said. */

const STRUCTURES = new URL("../../structures/", import.meta.url);

export interface Planted {
  /** What is honest about it: a competitor's file in `structures`. */
  readonly like?: string;
  /** Runs when the file is imported. */
  readonly atTop?: string;
  /** What its default export has of its own, beside the honest one's. */
  readonly own?: string;
}

/** The text of a candidate's file. */
export function planted({
  like = "pick/competitors/per-worker-random",
  atTop = "",
  own = "",
}: Planted): string {
  return `import honest from ${JSON.stringify(new URL(`${like}.ts`, STRUCTURES).href)};
${atTop}
export default { ...honest, summary: "planted", ${own} };
`;
}
