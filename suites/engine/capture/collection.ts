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
  /** Around what stands in no group. */
  readonly #outermost: readonly Group[] = [{ name: undefined, kind: "bench" }];
  #path = this.#outermost;
  /** Groups whose bodies wait for the ones before them. */
  readonly #waiting: Deferred[] = [];
  #isImported = false;
  #isServing = false;
  /** Bodies of groups that were called and go on. */
  #openBodies = 0;
  #hasRun = false;
  #changes = 0;
  /** Names that `apart` has given. */
  readonly #apart = new Set<string>();
  #failure: { readonly error: unknown } | undefined;
  #refusal: string | undefined;

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

  /** Whether the file has called a harness's `run`. */
  get hasRun(): boolean {
    return this.#hasRun;
  }

  /** Whether the file waits for a `run` that never settles. */
  get isPaused(): boolean {
    return this.#hasRun && this.ending === "pause";
  }

  /** Whether a group's body has not ended. One that may wait for a `run` that never settles does not count. */
  get isBusy(): boolean {
    return this.#isServing || this.#waiting.length > 0 || (this.#openBodies > 0 && !this.isPaused);
  }

  /** What an asynchronous body threw. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  /** Why a file that describes no task describes none, in one line without its name, if that is known. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  refuse(reason: string): void {
    this.#changes++;
    this.#refusal ??= reason;
  }

  /** Adds a task in the group that is being described; in `groups`, below that, if given. Returns it as it is kept. */
  add(task: Omit<Task, "groups">, groups?: readonly string[]): Task {
    this.#changes++;
    const names = this.#path.flatMap(({ name }) => name ?? []);
    const added = { ...task, groups: [...names, ...(groups ?? this.#keptApart(names))] };
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
   * The group for all tasks of one object of a harness, which never compares them with those of another. The first object
   * without a name has no group; the second has "bench 2", where `kind` is "bench". Of two objects that are named "parse",
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

  /**
   * Calls `body`, whose tasks are in a group of this name, and returns what it returns. Where that is a promise, so are tasks
   * that it adds until that settles. A group without a name outside of all others is kept `apart`, as one of this kind.
   */
  group<T>(name: string | undefined, kind: string, body: () => T): T {
    this.#changes++;
    const outer = this.#path;
    const inner = [...outer, { name: name || undefined, kind }];
    let isOpen = false;
    // Comes before all that `body` does after an `await`, and after all that its caller does without one.
    queueMicrotask(() => {
      if (isOpen) this.#path = inner;
    });
    this.#path = inner;
    try {
      const result = body();
      if (result instanceof Promise) {
        isOpen = true;
        this.#openBodies++;
        const close = () => {
          isOpen = false;
          this.#path = outer;
          this.#openBodies--;
          this.#changes++;
        };
        result.then(close, (error) => {
          close();
          this.#failure ??= { error };
        });
      }
      return result;
    } finally {
      this.#path = outer;
    }
  }

  /**
   * Keeps a body that may be asynchronous until the file has been imported and the bodies before have ended. So do harnesses
   * that collect before they run. Bodies that it defers itself come right after it, within its group.
   */
  defer(name: string | undefined, kind: string, body: () => unknown): void {
    this.#changes++;
    this.#waiting.push({ path: [...this.#path, { name: name || undefined, kind }], body });
    void this.#serve();
  }

  /** The file's own code has run: what it deferred may. */
  imported(): void {
    this.#isImported = true;
    void this.#serve();
  }

  /** What a harness's `run` returns; `results` are made up where the file goes on. */
  ran<T>(results: () => T): Promise<T> {
    this.#changes++;
    this.#hasRun = true;
    return this.isPaused ? new Promise(() => {}) : Promise.resolve().then(results);
  }

  /** What comes after these names of groups to keep tasks without any apart. */
  #keptApart(names: readonly string[]): readonly string[] {
    if (names.length > 0) return [];
    const innermost = this.#path.at(-1)!;
    innermost.apart ??= this.apart(undefined, innermost.kind);
    return innermost.apart;
  }

  async #serve(): Promise<void> {
    if (!this.#isImported || this.#isServing) return;
    this.#isServing = true;
    // What defers it may have more to describe first.
    await null;
    while (this.#waiting.length > 0) {
      const { path, body } = this.#waiting.shift()!;
      const later = this.#waiting.splice(0);
      this.#path = path;
      try {
        await body();
      } catch (error) {
        this.#failure ??= { error };
      }
      this.#path = this.#outermost;
      this.#waiting.push(...later);
      this.#changes++;
    }
    this.#isServing = false;
  }
}

/** A group around what is being described. */
interface Group {
  readonly name: string | undefined;
  readonly kind: string;
  /** What keeps one without a name apart; once it has a task. */
  apart?: readonly string[];
}

interface Deferred {
  readonly path: readonly Group[];
  readonly body: () => unknown;
}
