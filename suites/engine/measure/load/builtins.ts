/**
 * The builtins that instrument and structures measure and count with. A competitor that replaced one would be measured by
 * a clock of its own, or slow down those beside it. A thread that loads this module before a competitor can see it, because
 * functions are compared by identity.
 */
interface Builtin {
  readonly name: string;
  /** What stands there now. */
  read(): unknown;
  readonly original: unknown;
  restore(): void;
}

const WATCHED: Readonly<Record<string, object>> = {
  Atomics,
  Math,
  Date,
  Number,
  performance,
  "Performance.prototype": Object.getPrototypeOf(performance) as object,
  "process.hrtime": process.hrtime,
};
const GLOBALS = ["Atomics", "Math", "Date", "Number", "BigInt", "performance", "process"];

const builtins: readonly Builtin[] = [
  ...GLOBALS.map((key) => propertyOf(globalThis, key, key)),
  propertyOf(process, "hrtime", "process.hrtime"),
  // An instance has none of these, and would hide its prototype's.
  ...Reflect.ownKeys(WATCHED["Performance.prototype"]!).map((key) =>
    functionOf(performance, key, `performance.${String(key)}`),
  ),
  ...Object.entries(WATCHED).flatMap(([name, owner]) =>
    Reflect.ownKeys(owner).map((key) => functionOf(owner, key, `${name}.${String(key)}`)),
  ),
];

/** Puts all back and throws an Error with one line where a builtin is not what it was when this module was loaded. */
export function assertBuiltins(): void {
  const replaced = builtins.filter((builtin) => !Object.is(builtin.read(), builtin.original));
  if (replaced.length === 0) return;
  for (const builtin of replaced) builtin.restore();
  throw new Error(
    `it replaced ${replaced[0]!.name}, which all are measured with: leave builtins as they are`,
  );
}

/** By what one reads there: some globals are pairs of functions that get and set them. */
function propertyOf(owner: object, key: PropertyKey, name: string): Builtin {
  const read = () => Reflect.get(owner, key) as unknown;
  const original = read();
  const restore = () => {
    Reflect.set(owner, key, original);
  };
  return { name, read, original, restore };
}

/** By the function that stands there, which is not called: some that get a value make it anew each time. */
function functionOf(owner: object, key: PropertyKey, name: string): Builtin {
  const read = (): unknown => {
    const { value, get } = Object.getOwnPropertyDescriptor(owner, key) ?? {};
    return get ?? value;
  };
  const descriptor = Object.getOwnPropertyDescriptor(owner, key);
  const restore = () => {
    if (descriptor === undefined) Reflect.deleteProperty(owner, key);
    else Reflect.defineProperty(owner, key, descriptor);
  };
  return { name, read, original: read(), restore };
}
