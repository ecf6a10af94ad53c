/** The members of upstreams that keep no list of their own which says who is one. */
export class Origins {
  readonly #members: string[] = [];

  /** Throws in one line for none, for one that is no origin of http or https, and for one that is named twice. */
  constructor(origins: readonly string[]) {
    if (origins.length === 0)
      throw new RangeError("upstreams take at least one origin, such as http://10.0.0.1:8080");
    for (const origin of origins) this.add(origin);
  }

  /** In the order in which they were added. */
  get members(): readonly string[] {
    return this.#members;
  }

  /** Returns it as URLs spell it. Throws in one line if it is a member, or no origin of http or https. */
  add(url: string): string {
    const origin = originOf(url);
    if (this.#members.includes(origin)) throw new RangeError(`${origin} is a member already`);
    this.#members.push(origin);
    return origin;
  }

  /** Returns it as URLs spell it. Throws in one line if it is no member. */
  remove(url: string): string {
    const origin = originOf(url);
    const index = this.#members.indexOf(origin);
    if (index < 0) throw new RangeError(`${origin} is no member`);
    this.#members.splice(index, 1);
    return origin;
  }
}

function originOf(url: string): string {
  const { protocol, origin } = URL.canParse(url) ? new URL(url) : { protocol: "", origin: "" };
  if (protocol !== "http:" && protocol !== "https:") {
    throw new RangeError(`"${url}" is no origin: give it as in http://10.0.0.1:8080`);
  }
  return origin;
}
