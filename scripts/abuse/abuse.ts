import type { Scene } from "./scene.ts";

/** The vocabulary of the cases: how a command is mistreated, and what it promises to do then. */

/** One way to mistreat a command: a first call, and those that follow from it. */
export interface Abuse extends Call {
  /** Its kind and what is wrong: `candidates/hangs-in-pick`. */
  readonly name: string;
  /** Texts of the files that are planted where it is called, by their names. */
  readonly files?: Readonly<Record<string, string>>;
  /** Makes ready what a text cannot; returns what takes it away again. */
  readonly setUp?: (scene: Scene) => (() => void) | undefined;
  /** Why this machine cannot show it; undefined where it can. */
  readonly skip?: () => string | undefined;
  /** Each is called when the one before has ended. */
  readonly afterwards?: readonly Call[];
}

export interface Call {
  /** The npm script and its arguments. `$RECORD` is the record that is kept so far, `$FOLDER` where it is called. */
  readonly command: readonly [script: string, ...args: string[]];
  /** Folder of the checkout whose script it is, from where it is called; without, this one. */
  readonly checkout?: string;
  /** Beside the environment of the harness; undefined takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** How bash calls the command, which is `"$@"` there. */
  readonly shell?: string;
  /** Whether it has a terminal, which must be as before afterwards. */
  readonly inTerminal?: true;
  /** In this order. */
  readonly moments?: readonly Moment[];
  readonly promised: Promised;
}

/** What is done to a command while it runs. */
export interface Moment {
  /**
   * The text that tells that it is time, in all that was printed so far, or the file whose being there does, which is
   * taken away.
   */
  readonly when: RegExp | { readonly file: string };
  readonly act: (running: Running) => void;
}

/** A command that runs. */
export interface Running {
  readonly scene: Scene;
  /** To the command alone. */
  signal(name: NodeJS.Signals): void;
  /** To all of its processes, as a terminal does. */
  signalAll(name: NodeJS.Signals): void;
  /** At its terminal. */
  type(text: string): void;
}

/** What holds whatever happens is not said: no stack, no process, file or broken terminal left. */
export interface Promised {
  /** Any of them. With 2, as everywhere, there is one line on stderr, nothing on stdout, and nothing is kept. */
  readonly exit: Exit | readonly Exit[];
  /** Stands in what is printed. */
  readonly says?: RegExp;
  /** Does not. */
  readonly neverSays?: RegExp;
  readonly kept?: Kept;
  /** Whether stdout is a record and nothing else. */
  readonly json?: true;
}

/** What a process ends with: its exit code or the signal that it died of. */
export type Exit = number | NodeJS.Signals;

/** What stands in the folder `out`. A record can be read, has at least this number of groups, and says whether it was interrupted. */
export type Kept = "nothing" | { readonly groups: number; readonly interrupted?: boolean };

/** Beside the exit code 2. */
export const REFUSED = 2;
