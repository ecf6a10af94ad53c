/** A text that begins with a heading, with paragraphs set between the heading and the rest; each ends its line. */
export function underHeading(text: string, paragraphs: readonly string[]): string {
  const { heading, body } = headingAndBody(text);
  return [heading, ...paragraphs, body].join("\n");
}

/** A table without its heading, where what stands above it is heading enough. */
export function withoutHeading(text: string): string {
  return headingAndBody(text).body;
}

/** A heading is the first line, with an empty one below it. */
function headingAndBody(text: string): { heading: string; body: string } {
  const end = text.indexOf("\n\n");
  return { heading: text.slice(0, end + 1), body: text.slice(end + 2) };
}
