/**
 * What a record says, on a page of markdown. Records come from elsewhere: the names and texts in one are shown as they are
 * written there, and are no markup, link or mention on the page.
 */

/** Signs that begin or end markup, unless they stand where they cannot. The names of controls begin with a tilde. */
const MARKUP = /[\\`*[\]|$]|(?<!\w)_|_(?!\w)|<(?=[\w/!?])|&(?=#?\w+;)|~(?![a-z])|(?<=:)\/\/|(?<=\bwww)\./gi;
/** A person, a team or an address; an issue. */
const REFERENCE = /(?<!\w)@(?=\w)|(?<=\w)@(?=[\w-]+\.)|(?<!&)#(?=\w)/g;
/** Stands in code, by `codeSpan`, where signs mean nothing. */
const CODE = "command";

/** Markdown that shows this text; of anything else a copy whose texts are such. What was one object is one again. */
export function asWritten<Value>(value: Value): Value {
  const copies = new Map<unknown, unknown>();
  const copied = (part: unknown): unknown => {
    if (typeof part !== "string" && (typeof part !== "object" || part === null)) return part;
    const made = copies.get(part) ?? copyOf(part);
    copies.set(part, made);
    return made;
  };
  const copyOf = (part: object | string): unknown => {
    if (typeof part === "string") return part.replaceAll(MARKUP, "\\$&").replaceAll(REFERENCE, "$&<!-- -->");
    if (Array.isArray(part)) return part.every((one) => typeof one === "number") ? part : part.map(copied);
    if (part instanceof Set) return new Set([...part].map(copied));
    if (part instanceof Map) return new Map([...part].map(([key, own]) => [copied(key), copied(own)]));
    return Object.fromEntries(
      Object.entries(part).map(([key, own]) => [copied(key), key === CODE ? own : copied(own)]),
    );
  };
  return copied(value) as Value;
}

/** Text as code, whatever signs are in it. */
export function codeSpan(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const space = /^`|`$/.test(text) ? " " : "";
  return `${fence}${space}${text}${space}${fence}`;
}
