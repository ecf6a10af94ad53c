/** Requests that wait for an upstream with room, in the order in which they began to. */
export class Waiting<Request extends { readonly tried: readonly unknown[] }> {
  readonly #requests = new Set<Request>();
  #tried = 0;

  get size(): number {
    return this.#requests.size;
  }

  /** Whether there is one that could not be sent somewhere, and so may not go to all upstreams. */
  get hasTried(): boolean {
    return this.#tried > 0;
  }

  add(request: Request): void {
    this.#requests.add(request);
    if (request.tried.length > 0) this.#tried++;
  }

  delete(request: Request): void {
    if (this.#requests.delete(request) && request.tried.length > 0) this.#tried--;
  }

  /** All that wait, which no longer do. */
  taken(): readonly Request[] {
    const taken = [...this.#requests];
    this.#requests.clear();
    this.#tried = 0;
    return taken;
  }

  [Symbol.iterator](): IterableIterator<Request> {
    return this.#requests.values();
  }
}
