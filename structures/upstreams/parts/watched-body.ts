import type { Readable } from "node:stream";
import type { Dispatcher } from "undici";

type Body = Dispatcher.DispatchOptions["body"];

/**
 * The body of a request, of which is known whether it failed by itself. Its errors look like those of a connection: a
 * client that leaves during an upload ends the body of the request to the upstream with ECONNRESET.
 *
 * A stream keeps its error. Any other async iterable, such as a web stream, is wrapped.
 */
export class WatchedBody {
  /** What undici is given instead; absent where that is the body itself. */
  readonly wrapped: Readable | undefined;
  readonly #stream: { readonly errored?: unknown } | undefined;
  #error: unknown;

  constructor(body: Body | undefined) {
    const isStream = typeof (Object(body) as Partial<Readable>).pipe === "function";
    if (isStream) this.#stream = body as Readable;
    else if (Symbol.asyncIterator in Object(body))
      // undici takes any async iterable, which its types do not say.
      this.wrapped = this.#watched(body as AsyncIterable<unknown>) as unknown as Readable;
  }

  failedBy(error: unknown): boolean {
    const own = this.#stream?.errored ?? this.#error;
    return own !== undefined && own !== null && own === error;
  }

  async *#watched(body: AsyncIterable<unknown>): AsyncGenerator<unknown, void, undefined> {
    try {
      yield* body;
    } catch (error) {
      this.#error = error;
      throw error;
    }
  }
}
