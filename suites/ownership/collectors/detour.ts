import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import type { Broker } from "./broker.ts";

/** A way to a broker that can be cut, as a cable can. */
export class Detour {
  readonly servers: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;

  private constructor(server: Server, brokerPort: number) {
    this.#server = server;
    this.servers = `nats://127.0.0.1:${(server.address() as { port: number }).port}`;
    server.on("connection", (client) => this.#join(client, brokerPort));
  }

  static async to({ servers }: Broker): Promise<Detour> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    return new Detour(server, Number(new URL(servers).port));
  }

  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  mend(): void {
    this.#isCut = false;
  }

  close(): void {
    this.cut();
    this.#server.close();
  }

  #join(client: Socket, brokerPort: number): void {
    const broker = connect(brokerPort, "127.0.0.1");
    this.#carry(client, broker);
    this.#carry(broker, client);
    if (this.#isCut) client.destroy();
  }

  #carry(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    // A step waits for small messages: gathering them would take longer than the step.
    from.setNoDelay(true);
    // The other end sees a failed one close.
    from
      .on("error", () => {})
      .on("close", () => {
        this.#sockets.delete(from);
        to.destroy();
      });
    from.pipe(to);
  }
}
