/** The little of RFC 6455 that a client needs which sends short frames and gets shorter ones. */
const TEXT = 0x1;
const CLOSE = 0x8;
const PING = 0x9;
const PONG = 0xa;
const FIN = 0x80;
const MASKED = 0x80;
/** Any will do: a mask is there against caches between client and server. */
const MASK = Buffer.from([0x5a, 0xa5, 0x3c, 0xc3]);
/** Longer frames have a longer head. */
const LONGEST_PAYLOAD = 125;
const HEAD_BYTES = 2;
const END_OF_RESPONSE = "\r\n\r\n";
const NORMAL_CLOSURE = Buffer.from([0x03, 0xe8]);

export const BEAT = clientFrame(TEXT, Buffer.from("beat"));
export const CLOSING = clientFrame(CLOSE, NORMAL_CLOSURE);
const EMPTY_PONG = clientFrame(PONG, Buffer.alloc(0));

export function upgradeRequest(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: aG90cGF0aC1sYWIgYmVhdA==\r\nSec-WebSocket-Version: 13\r\n\r\n`;
}

export function pongFor(payload: Buffer): Buffer {
  return payload.length === 0 ? EMPTY_PONG : clientFrame(PONG, payload);
}

export interface ServerHears {
  text(payload: string): void;
  ping(payload: Buffer): void;
}

/** Reads what a server sends to one client, in whatever pieces it comes. */
export class ServerReader {
  readonly #hears: ServerHears;
  #rest: Buffer | undefined;
  #isOpen = false;

  constructor(hears: ServerHears) {
    this.#hears = hears;
  }

  /** Throws an Error for any other server than this suite's. `chunk` is not kept. */
  read(chunk: Buffer): void {
    let rest = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk]);
    if (!this.#isOpen) rest = this.#upgraded(rest);
    if (this.#isOpen) rest = this.#frames(rest);
    this.#rest = rest.length === 0 ? undefined : Buffer.from(rest);
  }

  /** What comes after the response to the upgrade, once that is whole. */
  #upgraded(data: Buffer): Buffer {
    const end = data.indexOf(END_OF_RESPONSE);
    if (end === -1) return data;
    const [status] = data.toString("latin1", 0, end).split("\r\n", 1);
    if (!status!.startsWith("HTTP/1.1 101 ")) throw new Error(`the server answered ${status}`);
    this.#isOpen = true;
    return data.subarray(end + END_OF_RESPONSE.length);
  }

  #frames(data: Buffer): Buffer {
    let rest = data;
    while (rest.length >= HEAD_BYTES) {
      const length = rest[1]!;
      if (length > LONGEST_PAYLOAD) throw new Error("the server sent a frame that is masked or long");
      if (rest.length < HEAD_BYTES + length) break;
      const payload = rest.subarray(HEAD_BYTES, HEAD_BYTES + length);
      const opcode = rest[0]! & 0x0f;
      if (opcode === TEXT) this.#hears.text(payload.toString());
      else if (opcode === PING) this.#hears.ping(payload);
      rest = rest.subarray(HEAD_BYTES + length);
    }
    return rest;
  }
}

function clientFrame(opcode: number, payload: Buffer): Buffer {
  const masked = payload.map((byte, index) => byte ^ MASK[index % MASK.length]!);
  return Buffer.concat([Buffer.from([FIN | opcode, MASKED | payload.length]), MASK, masked]);
}
