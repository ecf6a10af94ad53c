import type { Task } from "./task.ts";

/**
 * What a call of a harness's `run` comes to. `pause`: a promise that never settles, so that a file neither prints nor
 * writes afterwards. `go-on`: made-up results, for files that describe further tasks only then.
 */
export type RunEnding = "pause" | "go-on";

/**
 * The tasks that a file describes while it is imported. Harnesses that stand in for real ones (see harnesses/) add to it.
 * One for each thread.
 */
export class Collection {
  readonly ending: RunEnding;
  readonly #tasks: Task[] = [];
  #path: readonly string[] = [];
  /** Groups whose bodies wait for the ones before them. */
  readonly #waiting: Deferred[] = [];
  #isServing = false;
  #isPaused = false;
  #changes = 0;
  /** Names that `apart` has given. */
  readonly #apart = new Set<string>();
  #failure: { readonly error: unknown } | undefined;

  constructor(ending: RunEnding) {
    this.ending = ending;
  }

  get tasks(): readonly Task[] {
    return this.#tasks;
  }

  /** Grows with all that a file does here; it is quiet while this stays the same. */
  get changes(): number {
    return this.#changes;
  }

  /** Whether a group's body has not ended. */
  get isBusy(): boolean {
    return this.#isServing || this.#waiting.length > 0;
  }

  /** Whether the file waits for a `run` that never settles. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** What a deferred body threw. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  /** Adds a task in the group that is being described; in `groups`, below that, if given. Returns it as it is kept. */
  add(task: Omit<Task, "groups">, groups: readonly string[] = []): Task {
    this.#changes++;
    const added = { ...task, groups: [...this.#path, ...groups] };
    this.#tasks.push(added);
    return added;
  }

  /** Takes back a task that `add` returned. */
  remove(task: Task): void {
    this.#changes++;
    const index = this.#tasks.indexOf(task);
    if (index !== -1) this.#tasks.splice(index, 1);
  }

  /**
   * The group for all tasks of one object of a harness, which never compares them with those of another: no group for the
   * first object without a name, and "bench 2" for the second, where `kind` is "bench". Of two objects that are named "parse",
   * the second gets "parse (2)".
   */
  apart(name: string | undefined, kind: string): readonly string[] {
    const first = name ?? "";
    let given = first;
    for (let count = 2; this.#apart.has(given); count++) {
      given = first === "" ? `${kind} ${count}` : `${first} (${count})`;
    }
    this.#apart.add(given);
    return given === "" ? [] : [given];
  }

  /** Calls `body`, whose tasks are in a group of this name; in no group of its own without a name. Returns what it returns. */
  group<T>(name: string | undefined, body: () => T): T {
    const outer = this.#path;
    this.#path = name === undefined || name === "" ? outer : [...outer, name];
    try {
      return body();
    } finally {
      this.#path = outer;
    }
  }

  /**
   * Keeps a body that may be asynchronous until the ones before it have ended, as harnesses do that collect before they run.
   * Bodies that it defers itself come right after it, within its group.
   */
  defer(name: string | undefined, body: () => unknown): void {
    this.#changes++;
    const path = name === undefined || name === "" ? this.#path : [...this.#path, name];
    this.#waiting.push({ path, body });
    if (!this.#isServing) void this.#serve();
  }

  /** What a harness's `run` returns; `results` are made up where the file goes on. */
  ran<T>(results: () => T): Promise<T> {
    this.#changes++;
    if (this.ending === "go-on") return Promise.resolve().then(results);
    this.#isPaused = true;
    return new Promise(() => {});
  }

  async #serve(): Promise<void> {
    this.#isServing = true;
    // The file may still be describing what comes before.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const { path, body } = this.#waiting.shift()!;
      const later = this.#waiting.splice(0);
      this.#path = path;
      try {
        await body();
      } catch (error) {
        this.#failure ??= { error };
      }
      this.#path = [];
      this.#waiting.push(...later);
      this.#changes++;
    }
    this.#isServing = false;
  }
}

interface Deferred {
  readonly path: readonly string[];
  readonly body: () => unknown;
}
