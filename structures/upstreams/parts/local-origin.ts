import { EventEmitter, once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A server of this process, for examinations and tests: the caller decides when it answers, and whether. */
export class LocalOrigin extends EventEmitter<{ received: [request: IncomingMessage] }> {
  /** `cuts`: it closes the connection instead of an answer. `refuses`: it answers with 503. */
  does: "answers" | "holds" | "cuts" | "refuses" = "answers";
  /** Headers of each answer. */
  headers: Readonly<Record<string, string>> = {};
  url = "";
  readonly #server = createServer((request, response) => this.#serve(request, response));
  readonly #held: ServerResponse[] = [];

  static async open(): Promise<LocalOrigin> {
    const origin = new LocalOrigin();
    await origin.listen(0);
    return origin;
  }

  async listen(port: number): Promise<void> {
    this.#server.listen(port, "127.0.0.1");
    await once(this.#server, "listening");
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Answers what it holds, and all that comes. */
  answer(): void {
    this.does = "answers";
    for (const response of this.#held.splice(0)) this.#end(response);
  }

  /** From now on connections are refused. */
  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    request.resume();
    this.emit("received", request);
    // Once it has read all of the request.
    if (this.does === "answers") request.once("end", () => this.#end(response));
    else if (this.does === "refuses") response.writeHead(503).end();
    else if (this.does === "cuts") request.socket.destroy();
    else this.#held.push(response);
  }

  #end(response: ServerResponse): void {
    response.writeHead(200, this.headers).end("served");
  }
}
