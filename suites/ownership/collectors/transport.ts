/**
 * How collectors pass on what they hear: all that they require of a transport.
 *
 * Claims may be lost, late, doubled and out of order on the way: a map of evidence is made for that. So a transport
 * promises little, and says what it has promised. What lies between machines is a broker's work: which members are there, and what is
 * kept, is asked of it and not done here.
 */
export interface Transport {
  /**
   * Sends to all current listeners, but not to its own collector. Resolves when the transport has promised to keep the
   * message for later ones; where it keeps nothing, when it was sent. Rejects where it promises nothing, with NotKept
   * if asking again is useless: then some may have heard it nevertheless.
   */
  broadcast(message: Uint8Array): Promise<void>;
  /** From when it resolves on, all that others broadcast is heard, but for what is lost while the transport is away. */
  listen(hear: Hear): Promise<void>;
  /**
   * Repeats what was kept since a time, by the clock of Date.now; all of it if absent. Resolves with the count of
   * messages, when all that was kept at the call has been delivered. Rejects where the transport goes away meanwhile.
   */
  replay(hear: Hear, sinceMs?: number): Promise<number>;
  /** Whether it can be asked for anything now. */
  readonly isThere: boolean;
  /** Called when it was away and is there again: messages sent meanwhile were not heard. */
  onReturn(returned: (awaySinceMs: number) => void): void;
  /** Resolves when all has been heard whose broadcast was resolved before, by whomever. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export type Hear = (message: Uint8Array) => void;

/** The transport has said that it does not keep a message. */
export class NotKept extends Error {}

/** What a collector's process connects to. */
export interface NatsWay {
  readonly servers: string;
  /** Of collectors that belong together: other runs may use the same broker. A word without dots. */
  readonly run: string;
  readonly store: Store;
}

/** What a broker keeps, at most; when it is full the oldest gives way. */
export interface Store {
  readonly bytes: number;
  readonly ageMs: number;
}
