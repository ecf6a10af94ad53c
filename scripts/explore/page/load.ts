import {
  DATA_VERSION,
  type PrimitiveData,
  primitiveFile,
  type RuntimeData,
  runtimesFile,
  type SiteIndex,
} from "./site-data.ts";

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

const loading = new Map<string, Promise<unknown>>();

/** What files of data handed over, by the element that loaded each. */
const received = new WeakMap<Element, unknown>();

export function loadPrimitive(primitive: string): Promise<PrimitiveData> {
  return loaded<PrimitiveData>(primitiveFile(primitive), primitive, [
    "competitors",
    "traits",
    "scenarios",
    "records",
    "flames",
    "trends",
  ]);
}

export function loadRuntimes(primitive: string): Promise<RuntimeData> {
  return loaded<RuntimeData>(runtimesFile(primitive), primitive, ["records"]);
}

type DataFile = PrimitiveData | RuntimeData;

/** The data in a file, which must have these lists: fetched once, unless that failed. */
function loaded<Data extends DataFile>(
  file: string,
  primitive: string,
  lists: readonly (keyof Data)[],
): Promise<Data> {
  const known = loading.get(file) as Promise<Data> | undefined;
  if (known !== undefined) return known;
  const data = fetched(file, primitive, lists);
  loading.set(file, data);
  data.catch(() => loading.delete(file));
  return data;
}

function fetched<Data extends DataFile>(
  file: string,
  primitive: string,
  lists: readonly (keyof Data)[],
): Promise<Data> {
  window.receiveLabData = (data) => {
    if (document.currentScript !== null) received.set(document.currentScript, data);
  };
  const script = document.createElement("script");
  script.src = file;
  return new Promise<Data>((resolve, reject) => {
    const refuse = (what: string) =>
      reject(new Error(`${file} ${what}: make the site again with npm run explore`));
    script.onerror = () => refuse("is missing, or cannot be read");
    // It comes after the script has run, or could not.
    script.onload = () => {
      const data = received.get(script) as Partial<Data> | undefined;
      const fault = faultOf(data, primitive, lists);
      if (fault === undefined) resolve(data as Data);
      else refuse(fault);
    };
    document.head.append(script);
  }).finally(() => script.remove());
}

function faultOf<Data extends DataFile>(
  data: Partial<Data> | undefined,
  primitive: string,
  lists: readonly (keyof Data)[],
): string | undefined {
  if (data === undefined) return "is damaged: it ends early, or is no data of the lab";
  if (data.version !== DATA_VERSION) return `is of version ${data.version}, this page reads ${DATA_VERSION}`;
  if (data.primitive !== primitive) return `is damaged: it holds ${data.primitive ?? "no primitive"}`;
  return lists.every((list) => Array.isArray(data[list])) && data.records!.length > 0
    ? undefined
    : "is damaged: a part of it is missing";
}
