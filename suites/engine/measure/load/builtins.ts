import { MessageChannel, MessagePort } from "node:worker_threads";
import { messageOf, ProcessSpoilt } from "../plan/failures.ts";

/**
 * The builtins that instrument, scenarios and structures measure, count and check with: all of the language's, and of
 * Node's what the instrument uses. A competitor that replaced one could be measured by a clock of its own, see what the
 * instrument does, or slow down those beside it. A thread that loads this module before a competitor can tell, because
 * properties are compared by identity.
 *
 * A replacement that was put back between two looks is not seen. So modules of the instrument that run beside a
 * competitor take what they call from the builtins while they are loaded, as this one does.
 */
interface Owner {
  readonly name: string;
  readonly object: object;
  readonly parent: object | null;
  readonly keys: readonly PropertyKey[];
}

interface Property {
  readonly name: string;
  readonly owner: object;
  readonly key: PropertyKey;
  descriptor: PropertyDescriptor;
}

const { getOwnPropertyDescriptor, getPrototypeOf } = Object;
const { apply, defineProperty, deleteProperty, get, has, ownKeys, set, setPrototypeOf } = Reflect;
const { includes } = Array.prototype;

const CLASSES =
  "Object Function Array Number BigInt Boolean String Symbol Date Promise RegExp Error Proxy Map Set WeakMap WeakSet " +
  "WeakRef ArrayBuffer SharedArrayBuffer DataView Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array " +
  "Int32Array Uint32Array BigInt64Array BigUint64Array Float32Array Float64Array";
const NAMESPACES = "Math Atomics JSON Reflect WebAssembly";
const FUNCTIONS = "parseInt parseFloat isNaN isFinite";

const owners: Owner[] = [];
const properties: Property[] = [];

/** Globals that are pairs of functions, by what one reads there. */
const globals = ["performance", "process"].map((key) => ({ key, original: get(globalThis, key) as unknown }));

for (const key of `${CLASSES} ${NAMESPACES} ${FUNCTIONS}`.split(" ")) watchKey(globalThis, key, key);
watchKey(process, "hrtime", "process.hrtime");
// Of a fork's main thread alone: by these its answer goes to the process that asked.
for (const key of ["send", "_send", "binding"]) watchKey(process, key, `process.${key}`);
watch(performance, "performance");
watch(getPrototypeOf(performance) as object, "Performance.prototype");
watch(process.hrtime, "process.hrtime");
for (const name of NAMESPACES.split(" ")) watch(get(globalThis, name) as object, name);
for (const name of CLASSES.split(" ")) watchClass(get(globalThis, name) as Class, name);
watchClass(getPrototypeOf(Int32Array) as Class, "TypedArray");
for (const [name, Own] of Object.entries({ MessagePort, MessageChannel })) watchClass(Own, name);
for (const iterator of [[].values(), new Map().values(), new Set().values(), ""[Symbol.iterator]()])
  for (
    let object = iterator as object;
    object !== Object.prototype;
    object = getPrototypeOf(object) as object
  )
    watch(object, "an iterator's prototype");

type Class = { readonly prototype: object };

function watchClass(watched: Class, name: string): void {
  watch(watched, name);
  if (watched.prototype !== undefined) watch(watched.prototype, `${name}.prototype`);
}

function watch(object: object, name: string): void {
  if (owners.some((owner) => owner.object === object)) return;
  const keys = ownKeys(object);
  owners.push({ object, name, parent: getPrototypeOf(object), keys });
  for (const key of keys) watchKey(object, key, `${name}.${String(key)}`);
}

/** Objects and functions, and pairs of functions: the few others change by themselves, or cannot be changed. */
function watchKey(owner: object, key: PropertyKey, name: string): void {
  const descriptor = getOwnPropertyDescriptor(owner, key);
  const isValue = descriptor?.get === undefined && Object(descriptor?.value) !== descriptor?.value;
  if (descriptor !== undefined && !isValue) properties.push({ owner, key, name, descriptor });
}

/**
 * Puts all back and throws an Error with one line where a builtin is not what it was when this module was loaded, or where
 * objects inherit what they did not. Takes some 0.2 ms.
 */
export function assertBuiltins(): void {
  let found: string | undefined;
  // By index throughout: iterators are builtins too.
  const note = (change: string | undefined) => {
    found ??= change;
  };
  for (let index = 0; index < globals.length; index++) note(replacedGlobal(globals[index]!));
  for (let index = 0; index < properties.length; index++) note(replacedProperty(properties[index]!));
  for (let index = 0; index < owners.length; index++) note(changedOwner(owners[index]!));
  if (found !== undefined) throw new Error(`${found}: leave builtins as they are`);
}

function replaced(name: string): string {
  return `it replaced ${name}, which all are measured with`;
}

function replacedGlobal({ key, original }: (typeof globals)[number]): string | undefined {
  if (get(globalThis, key) === original) return undefined;
  set(globalThis, key, original);
  return replaced(key);
}

function replacedProperty(property: Property): string | undefined {
  const { name, owner, key, descriptor: then } = property;
  const now = getOwnPropertyDescriptor(owner, key);
  if (now !== undefined && now.value === then.value && now.get === then.get && now.set === then.set)
    return undefined;
  // One that cannot be put back is blamed on who replaced it, and on no competitor after it.
  if (!defineProperty(owner, key, then)) property.descriptor = now!;
  return replaced(name);
}

/** What an object has in addition matters where it hides what others inherit, and where all inherit it. */
function changedOwner({ object, name, parent, keys }: Owner): string | undefined {
  let found: string | undefined;
  if (getPrototypeOf(object) !== parent) {
    setPrototypeOf(object, parent);
    found = replaced(`the prototype of ${name}`);
  }
  const now = ownKeys(object);
  for (let index = 0; now.length !== keys.length && index < now.length; index++) {
    const key = now[index]!;
    if (apply(includes, keys, [key])) continue;
    const isHiding = parent !== null && has(parent, key);
    if (!isHiding && object !== Object.prototype) continue;
    deleteProperty(object, key);
    found ??= isHiding
      ? replaced(`${name}.${String(key)}`)
      : `it added ${name}.${String(key)}, which all objects inherit`;
  }
  return found;
}

/**
 * Throws ProcessSpoilt where a builtin of this thread is not what it was, although no competitor is at work in it: one has
 * left something behind, and nobody knows which.
 */
export function assertUnspoilt(): void {
  try {
    assertBuiltins();
  } catch (error) {
    throw new ProcessSpoilt(messageOf(error));
  }
}

/**
 * A competitor as a process's main thread uses it, to prepare its structure and to check its law. The builtins are looked at
 * after each call of a method, so that none bends what its law does next. Such a call throws an Error with one line.
 */
export function checked<Competitor>(competitor: Competitor): Competitor {
  if (typeof competitor !== "object" || competitor === null) return competitor;
  const seen: object = new Proxy(likeness(competitor), {
    get(_likeness, key) {
      const value: unknown = Reflect.get(competitor, key);
      if (typeof value !== "function") return value;
      return function (this: unknown, ...given: unknown[]): unknown {
        try {
          return Reflect.apply(value, this === seen ? competitor : this, given);
        } finally {
          assertBuiltins();
        }
      };
    },
  });
  return seen as Competitor;
}

/** An object with the same keys, none of which is fixed: a proxy may not answer otherwise for one that is. */
function likeness(competitor: object): object {
  const properties = Object.getOwnPropertyDescriptors(competitor) as Record<PropertyKey, PropertyDescriptor>;
  for (const key of Reflect.ownKeys(properties)) properties[key] = { ...properties[key], configurable: true };
  return Object.create(Object.getPrototypeOf(competitor) as object | null, properties) as object;
}
