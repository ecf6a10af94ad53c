/** What a service passes on of a request: a small object, as each of the three ways to make bytes of it has it. */
export interface Entry {
  readonly id: number;
  readonly user: { readonly name: string; readonly roles: readonly string[] };
  readonly atMs: number;
  readonly sizes: readonly number[];
}

const ROLES = ["reader", "writer"];
const SIZES = 8;

export function entryOf(id: number): Entry {
  const sizes = Array.from({ length: SIZES }, (_, index) => id + index);
  return { id, user: { name: `user ${id % 1000}`, roles: ROLES }, atMs: 1.5 * id, sizes };
}

/** A number to which all of its parts contribute. */
export function sumOf({ id, user, atMs, sizes }: Entry): number {
  const texts = user.roles.reduce((sum, role) => sum + role.length, user.name.length);
  return id + texts + atMs + sizes.reduce((sum, size) => sum + size, 0);
}

/** Bytes by a schema that both threads know: fields one after the other, and lengths in front of texts and lists. */
export class Schema {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder();

  constructor(longest: number) {
    this.#bytes = new Uint8Array(longest);
    this.#view = new DataView(this.#bytes.buffer);
  }

  encode({ id, user, atMs, sizes }: Entry): Uint8Array {
    const view = this.#view;
    view.setFloat64(0, id);
    view.setFloat64(8, atMs);
    view.setUint8(16, sizes.length);
    let at = 17;
    for (const size of sizes) {
      view.setFloat64(at, size);
      at += 8;
    }
    at = this.#putText(at, user.name);
    view.setUint8(at++, user.roles.length);
    for (const role of user.roles) at = this.#putText(at, role);
    return this.#bytes.subarray(0, at);
  }

  decode(bytes: Uint8Array): Entry {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const sizes: number[] = [];
    let at = 17;
    for (let left = view.getUint8(16); left > 0; left--, at += 8) sizes.push(view.getFloat64(at));
    const text = () => {
      const end = at + 1 + view.getUint8(at);
      const part = this.#decoder.decode(bytes.subarray(at + 1, end));
      at = end;
      return part;
    };
    const name = text();
    const roles: string[] = [];
    for (let left = view.getUint8(at++); left > 0; left--) roles.push(text());
    return { id: view.getFloat64(0), atMs: view.getFloat64(8), user: { name, roles }, sizes };
  }

  #putText(at: number, text: string): number {
    const { written } = this.#encoder.encodeInto(text, this.#bytes.subarray(at + 1));
    this.#view.setUint8(at, written);
    return at + 1 + written;
  }
}
