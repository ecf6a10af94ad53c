import type { Result } from "vega-embed";
import { DATA_VERSION, type PrimitiveData, primitiveFile, type SiteIndex, VEGA_FILES } from "./site-data.ts";

/** From the page's files to what they hold. Everything that can be wrong with one is said in one line that names it. */
export function siteIndex(): SiteIndex {
  return JSON.parse(document.getElementById("index")!.textContent) as SiteIndex;
}

declare global {
  interface Window {
    /** What a file of data calls. */
    receiveLabData?: (data: unknown) => void;
    /** What vega-embed's own file leaves. */
    vegaEmbed?: (at: HTMLElement, spec: object, options: object) => Promise<Result>;
  }
}

const loading = new Map<string, Promise<unknown>>();

/** What a file comes to, which is fetched once, unless that failed. */
function once<T>(file: string, fetched: () => Promise<T>): Promise<T> {
  const known = loading.get(file) as Promise<T> | undefined;
  if (known !== undefined) return known;
  const value = fetched();
  loading.set(file, value);
  value.catch(() => loading.delete(file));
  return value;
}

/** What draws pictures: loaded when the first is drawn, because it is three times as large as the page. */
export async function loadVega(): Promise<NonNullable<Window["vegaEmbed"]>> {
  for (const file of VEGA_FILES) await once(file, () => scriptRun(file));
  if (window.vegaEmbed === undefined) throw refusal(VEGA_FILES.join(" or "), "is damaged");
  return window.vegaEmbed;
}

/** What files of data handed over, by the element that loaded each. */
const received = new WeakMap<Element, unknown>();

export function loadPrimitive(primitive: string): Promise<PrimitiveData> {
  const file = primitiveFile(primitive);
  return once(file, async () => {
    window.receiveLabData = (data) => {
      if (document.currentScript !== null) received.set(document.currentScript, data);
    };
    const data = received.get(await scriptRun(file)) as PrimitiveData | undefined;
    if (data === undefined) throw refusal(file, "is damaged: it ends early, or is no data of the lab");
    if (data.version !== DATA_VERSION) {
      throw refusal(file, `is of version ${data.version}, this page reads ${DATA_VERSION}`);
    }
    return data;
  });
}

/** The element of a script that has run, or could not be parsed: of which a browser says nothing here. */
function scriptRun(file: string): Promise<Element> {
  const script = document.createElement("script");
  script.src = file;
  return new Promise<Element>((resolve, reject) => {
    script.onerror = () => reject(refusal(file, "is missing, or cannot be read"));
    script.onload = () => resolve(script);
    document.head.append(script);
  }).finally(() => script.remove());
}

export function refusal(file: string, fault: string): Error {
  return new Error(`${file} ${fault}: make the site again with npm run explore`);
}
