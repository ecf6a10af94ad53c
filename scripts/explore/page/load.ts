import { DATA_VERSION, type PrimitiveData, type SiteIndex } from "./site-data.ts";

/** From the page's files to what they hold. Everything that can be wrong with one is said in one line that names it. */
export function siteIndex(): SiteIndex {
  const text = document.getElementById("index")?.textContent ?? "";
  return JSON.parse(text) as SiteIndex;
}

declare global {
  interface Window {
    /** What a file of data calls. */
    receiveLabData?: (data: unknown) => void;
  }
}

const loading = new Map<string, Promise<PrimitiveData>>();

/** What files of data handed over, by the element that loaded each. */
const received = new WeakMap<Element, unknown>();

/** The data of a primitive: fetched once, unless that failed. */
export function loadPrimitive(primitive: string): Promise<PrimitiveData> {
  const known = loading.get(primitive);
  if (known !== undefined) return known;
  const data = fetched(primitive);
  loading.set(primitive, data);
  data.catch(() => loading.delete(primitive));
  return data;
}

function fetched(primitive: string): Promise<PrimitiveData> {
  window.receiveLabData = (data) => {
    if (document.currentScript !== null) received.set(document.currentScript, data);
  };
  const file = `data/${primitive}.js`;
  const script = document.createElement("script");
  script.src = file;
  return new Promise<PrimitiveData>((resolve, reject) => {
    const refuse = (what: string) =>
      reject(new Error(`${file} ${what}: make the site again with npm run explore`));
    script.onerror = () => refuse("is missing, or cannot be read");
    // It comes after the script has run, or could not.
    script.onload = () => {
      const data = received.get(script) as Partial<PrimitiveData> | undefined;
      const fault = faultOf(data, primitive);
      if (fault === undefined) resolve(data as PrimitiveData);
      else refuse(fault);
    };
    document.head.append(script);
  }).finally(() => script.remove());
}

function faultOf(data: Partial<PrimitiveData> | undefined, primitive: string): string | undefined {
  if (data === undefined) return "is damaged: it ends early, or is no data of the lab";
  if (data.version !== DATA_VERSION) return `is of version ${data.version}, this page reads ${DATA_VERSION}`;
  if (data.primitive !== primitive) return `is damaged: it holds ${data.primitive ?? "no primitive"}`;
  const lists = [data.competitors, data.traits, data.scenarios, data.records, data.flames, data.trends];
  return lists.every(Array.isArray) && data.records!.length > 0
    ? undefined
    : "is damaged: a part of it is missing";
}
