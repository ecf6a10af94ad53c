import {
  JetStreamApiError,
  type JetStreamManager,
  type JsMsg,
  jetstream,
  jetstreamManager,
} from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { type Hear, type NatsWay, NotKept, type Store, type Transport } from "./transport.ts";

/**
 * Over NATS. Each collector has a subject, to which all others subscribe. A stream of JetStream has the same subjects,
 * and acknowledges a message when it keeps it. So one message is both: heard at once by present collectors, and kept
 * for absent ones.
 */
const STREAM = "CLAIMS";
const SUBJECTS = "claims.*.*";
const NS_PER_MS = 1e6;
/** A message that is not acknowledged by then is taken for lost. */
const ACKNOWLEDGED_WITHIN_MS = 2_000;
const CONNECTED_WITHIN_MS = 5_000;
/** Between two attempts to come back. */
const RECONNECT_EVERY_MS = 50;
/** A broker that answers no ping for twice this long is away, though it has not hung up. */
const PING_EVERY_MS = 1_000;
/** What was on the way when the connection was lost is older than the loss: a clock's and a network's slack. */
const REPLAY_SLACK_MS = 5_000;
/** Of JetStream. */
const STREAM_NOT_FOUND = 10059;
/** Of JetStream: too little storage, in all or of the stream, or too many bytes in the stream. */
const FULL = [10023, 10047, 10077];

export async function openNats(way: NatsWay, node: number): Promise<Transport> {
  const connection = await connectAs(`collector-${node}`, way);
  try {
    return await transportOver(connection, way, node);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

function connectAs(name: string, { servers }: NatsWay): Promise<NatsConnection> {
  return connect({
    servers,
    name,
    noEcho: true,
    // Of each message that is acknowledged it would else make an error, for its stack.
    noAsyncTraces: true,
    timeout: CONNECTED_WITHIN_MS,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_EVERY_MS,
    reconnectJitter: 0,
    pingInterval: PING_EVERY_MS,
  });
}

async function transportOver(
  connection: NatsConnection,
  { run, store }: NatsWay,
  node: number,
): Promise<Transport> {
  const manager = await jetstreamManager(connection);
  await ensureStream(manager, store);
  const stream = jetstream(connection);
  const subjects = `claims.${run}.*`;
  const subject = `claims.${run}.${node}`;
  let isThere = true;
  let returned: (awaySinceMs: number) => void = () => {};
  void watch();

  async function watch(): Promise<void> {
    let awaySinceMs = 0;
    for await (const { type } of connection.status()) {
      if (type === "disconnect" && isThere) {
        isThere = false;
        awaySinceMs = Date.now();
      } else if (type === "reconnect") {
        isThere = true;
        returned(awaySinceMs);
      }
    }
  }

  return {
    get isThere() {
      return isThere;
    },
    async broadcast(message) {
      // While it is away the client would store what it is given, without end.
      if (!isThere) throw new Error("the broker is away");
      try {
        await stream.publish(subject, message, { timeout: ACKNOWLEDGED_WITHIN_MS });
      } catch (error) {
        throw isFull(error) ? new NotKept((error as Error).message) : error;
      }
    },
    async listen(hear) {
      connection.subscribe(subjects, { callback: (_error, { data }) => hear(data) });
      await connection.flush();
    },
    async replay(hear, sinceMs) {
      const { state } = await manager.streams.info(STREAM);
      if (state.messages === 0) return 0;
      const from =
        sinceMs === undefined
          ? ({ deliver_policy: "all" } as const)
          : ({
              deliver_policy: "by_start_time",
              opt_start_time: new Date(sinceMs - REPLAY_SLACK_MS).toISOString(),
            } as const);
      const consumer = await stream.consumers.get(STREAM, { ...from, filter_subjects: subjects });
      return await consumeTo(consumer, state.last_seq, hear);
    },
    onReturn(callback) {
      returned = callback;
    },
    async flush() {
      await connection.flush();
    },
    async close() {
      await connection.close();
    },
  };
}

function isFull(error: unknown): boolean {
  return error instanceof JetStreamApiError && FULL.includes(error.code);
}

type Consumer = Awaited<ReturnType<ReturnType<typeof jetstream>["consumers"]["get"]>>;

/** Delivers all messages of a consumer up to one of the stream's, and returns how many there were. */
async function consumeTo(consumer: Consumer, lastSequence: number, hear: Hear): Promise<number> {
  // Without it a replay of nothing would wait for the next message.
  const { num_pending: pending } = await consumer.info();
  if (pending === 0) return 0;
  let delivered = 0;
  const messages = await consumer.consume({ max_bytes: REPLAYED_AT_ONCE_BYTES, expires: PATIENCE_MS });
  for await (const message of messages as AsyncIterable<JsMsg>) {
    hear(message.data);
    delivered++;
    if (message.seq >= lastSequence || message.info.pending === 0) break;
  }
  await consumer.delete();
  return delivered;
}

/** Some messages of the largest kind, and far below what the broker lets wait for one client. */
const REPLAYED_AT_ONCE_BYTES = 2 ** 22;
/** After this long without a message it is asked whether there is one. */
const PATIENCE_MS = 2_000;

async function ensureStream(manager: JetStreamManager, { bytes, ageMs }: Store): Promise<void> {
  try {
    await manager.streams.info(STREAM);
  } catch (error) {
    if (!(error instanceof JetStreamApiError && error.code === STREAM_NOT_FOUND)) throw error;
    // Of two that come at once both ask for the same, which is no error.
    await manager.streams.add({
      name: STREAM,
      subjects: [SUBJECTS],
      storage: "file",
      retention: "limits",
      max_bytes: bytes,
      max_age: ageMs * NS_PER_MS,
      discard: "old",
    });
  }
}
