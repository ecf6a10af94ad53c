import { registerHooks } from "node:module";

/**
 * Preloaded into a test's process and its workers by NODE_OPTIONS: the module at `url` comes with a fault in its source.
 * What is asked for under a query, as planted faults of the tests are, stays as it is.
 */
export interface Fault {
  /** `file:` URL of the module. */
  readonly url: string;
  /** First character that is replaced, and the first after them. */
  readonly from: number;
  readonly to: number;
  readonly replacement: string;
}

/** What `--import` is given so that this module plants the fault. */
export function planting(fault: Fault): string {
  const url = new URL(import.meta.url);
  url.search = new URLSearchParams({ fault: JSON.stringify(fault) }).toString();
  return url.href;
}

export function faulty(source: string, { from, to, replacement }: Omit<Fault, "url">): string {
  return source.slice(0, from) + replacement + source.slice(to);
}

const asked = new URL(import.meta.url).searchParams.get("fault");
if (asked !== null) plant(JSON.parse(asked) as Fault);

function plant(fault: Fault): void {
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      return url === fault.url ? { ...loaded, source: faulty(String(loaded.source), fault) } : loaded;
    },
  });
}
