import type { ChildProcess } from "node:child_process";
import { killProcess } from "./processes.ts";

/** What a process can be ordered to do: by name, what it is given and what it answers. */
export type Orders<Of> = {
  readonly [Name in keyof Of]: { readonly given: unknown; readonly answer: unknown };
};

interface Order {
  readonly id: number;
  readonly name: string;
  readonly given: unknown;
}

type Answer =
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly error: string }
  /** Thrown outside of any order: the last that is heard of it. */
  | { readonly fault: string };

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

/** A process that was started, as the one that gives it orders sees it. */
export class Ordered<Of extends Orders<Of>> {
  readonly #child: ChildProcess;
  readonly #name: string;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;
  #end!: (how: string) => void;
  #error: Error | undefined;
  /** Rejects with one line when the process has ended, or thrown outside of any order. */
  readonly ended: Promise<never>;

  constructor(child: ChildProcess, name: string) {
    this.#child = child;
    this.#name = name;
    this.ended = new Promise((_, reject) => {
      this.#end = (how) => {
        this.#error ??= new Error(`${name}: ${how}`);
        for (const waiting of this.#waiting.values()) waiting.reject(this.#error);
        this.#waiting.clear();
        reject(this.#error);
      };
    });
    // Nobody need wait for it.
    this.ended.catch(() => {});
    child.on("message", (answer: Answer) => this.#hear(answer));
    child.once("exit", (code, signal) =>
      this.#end(signal === null ? `exited with code ${code}` : `died of ${signal}`),
    );
    child.once("error", (error) => this.#end(error.message));
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** Rejects with one line if the process throws, or ends before it has answered. */
  ask<Name extends keyof Of & string>(name: Name, given: Of[Name]["given"]): Promise<Of[Name]["answer"]> {
    return new Promise((resolve, reject) => {
      if (this.#error !== undefined) {
        reject(this.#error);
        return;
      }
      const id = ++this.#last;
      this.#waiting.set(id, { resolve, reject });
      // Where it cannot be sent the process is gone, and its exit says why.
      this.#child.send({ id, name, given } satisfies Order, () => {});
    });
  }

  kill(): Promise<void> {
    return killProcess(this.#child);
  }

  #hear(answer: Answer): void {
    if ("fault" in answer) {
      this.#end(answer.fault);
      return;
    }
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if ("error" in answer) waiting?.reject(new Error(`${this.#name}: ${answer.error}`));
    else waiting?.resolve(answer.answer);
  }
}

/** Carries out orders from now on, and ends with the process that gives them. */
export function obey<Of extends Orders<Of>>(
  orders: {
    readonly [Name in keyof Of]: (
      given: Of[Name]["given"],
    ) => Of[Name]["answer"] | Promise<Of[Name]["answer"]>;
  },
): void {
  const say = (answer: Answer, then = () => {}) => {
    if (process.connected) process.send!(answer, then);
  };
  process.on("message", async ({ id, name, given }: Order) => {
    try {
      say({ id, answer: await orders[name as keyof Of](given) });
    } catch (error) {
      say({ id, error: messageOf(error) });
    }
  });
  process.once("disconnect", () => process.exit());
  // Ctrl-C reaches the whole process group; the process that gives orders decides what happens to it.
  process.on("SIGINT", () => {});
  process.on("uncaughtException", (error) => say({ fault: messageOf(error) }, () => process.exit(1)));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
