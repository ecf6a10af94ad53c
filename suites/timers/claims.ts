import type { Bounds, Evidence, Place, SourceClaims } from "../engine/claims.ts";

/** What the source document of timers claims, sentence by sentence, and where our tables show whether it is so. */

/**
 * The source's own: its wheel, on which a message removes and adds a task, and its heap, on which a message writes a
 * stamp and moves nothing.
 */
const SOURCE = { wheel: "source-wheel", heap: "source-heap" } as const;
/** Both with the stamp. */
const STAMPED = { wheel: "source-wheel-stamped", heap: "source-heap" } as const;
/** Both with a timer that a message sets anew, on the heap of the library that the source writes of: it cancels lazily. */
const MOVED = { wheel: "source-wheel", heap: "object-heap-lazy" } as const;
/** The same contest between structures that are alike but for being wheel or heap: of objects, and of typed arrays. */
const OBJECTS = { wheel: "hashed-wheel-rounds", heap: "object-heap" } as const;
const TYPED = { wheel: "hashed-wheel", heap: "four-ary-heap" } as const;

/** From a thousand timers to a million the logarithm doubles. What does not grow by more is no worse than O(log N). */
const DOUBLE = 2;
/** What costs up to this many times as much with more company does not depend on it: what the control is allowed, too. */
const INDEPENDENT = 1.1;
/** "About 60 % less", "about 40 % less". */
const CPU_LEFT = 0.4;
const MEMORY_LEFT = 0.6;
/** A time that is a matter of milliseconds or less has not ten of them. */
const MILLISECONDS_US = 10_000;
/** What is over as good as at once takes no ten microseconds: a hundred thousandth of the second until the next. */
const AT_ONCE_US = 10;
const SECOND_MS = 1_000;
/** From second 11 to second 20. */
const WAITED_MS = 9_000;
/** A hundred times as often: what else a process does is given as much again, tenfold. */
const SELDOM_CALLS = 0.1;
const HALF = 0.5;

const TICK = { kind: "surveyed", scenario: "steps-tick" } as const;
const POLLING = { kind: "surveyed", scenario: "polling-100k", competitor: SOURCE.heap } as const;
const COUNTED_NOTE =
  "Steps are rounds of loops, comparisons, and elements and fields touched, counted in the structure's own code; a look in a map is V8's and counts as none. Times that grow beside them show what caches hold, not what is done.";

export default {
  primitive: "timers",
  source: "时间轮算法在workerman心跳检测中的实战应用",
  author: "unnamed (a blog post on the timing wheel in Workerman)",
  conditions:
    "No program, machine, clock or repetition is given; PHP under Workerman, a wheel of 60 slots of a second, 100,000 connections.",
  statements: [
    {
      quote: "在实际测试中,时间轮算法在处理10万个心跳检测任务时,CPU使用率比最小堆实现降低了约60%",
      translation:
        "In actual tests with 100,000 heartbeat tasks, the timing wheel's CPU usage was about 60 % lower than the min-heap's",
      reading:
        "at 100,000 connections the source's wheel, on which a message removes and adds a task, uses at most 0.4 of the processor time of its heap, on which a message writes last_message_time and moves nothing; ticks and collector included",
      evidence: [lessCpu(SOURCE)],
      beyond: [
        ...[lessCpu(STAMPED), lessCpu(MOVED), lessCpu(OBJECTS), lessCpu(TYPED)],
        ...[
          cheaper("refresh", SOURCE),
          cheaper("renew", MOVED),
          cheaper("renew", OBJECTS),
          cheaper("renew", TYPED),
        ],
      ],
      note: "The two sides of the source differ in more than wheel and heap. Its heap is never touched by a message; its wheel is touched twice. A heap that sets its timers anew for each message is another contest, and stands beside it. Processor time is that of a process with nothing else to do than timers and the bookkeeping of its messages, which is the same for all; what a whole server uses is another question.",
    },
    {
      quote: "内存占用减少了约40%",
      translation: "memory use was about 40 % lower",
      reading: "after 120 s of heartbeats, at most 0.6 of the bytes per timer of the source's heap",
      evidence: [smaller(SOURCE)],
      beyond: [smaller(MOVED), smaller(OBJECTS), smaller(TYPED)],
    },
    {
      quote: "添加/删除任务复杂度为 O(1):无论有多少连接,添加和删除一个心跳任务都是常数时间",
      translation:
        "Adding or removing a task is O(1): however many connections there are, adding and removing a heartbeat task takes constant time",
      reading:
        "on the source's wheel, from 1,000 timers to 1,000,000, setting and cancelling one take no more steps, and no more time",
      evidence: [
        ...[stepping("set", SOURCE.wheel, INDEPENDENT), stepping("cancel", SOURCE.wheel, INDEPENDENT)],
        ...[growing("set", SOURCE.wheel, INDEPENDENT), growing("cancel", SOURCE.wheel, INDEPENDENT)],
      ],
      note: COUNTED_NOTE,
    },
    {
      quote: "添加任务复杂度 | O(log N) | O(1)",
      translation: "Complexity of adding a task | O(log N) with the min-heap | O(1) with the wheel",
      reading:
        "from 1,000 timers to 1,000,000, setting one takes at most twice as many steps with the heap, as log N does, and no more with the wheel",
      evidence: [stepping("set", SOURCE.heap, DOUBLE), stepping("set", SOURCE.wheel, INDEPENDENT)],
      beyond: [
        ...[stepping("set", MOVED.heap, DOUBLE), stepping("set", TYPED.heap, DOUBLE)],
        ...[stepping("set", TYPED.wheel, INDEPENDENT)],
        ...[growing("set", MOVED.heap, DOUBLE), growing("set", SOURCE.wheel, INDEPENDENT)],
      ],
      note: COUNTED_NOTE,
    },
    {
      quote: "删除任务复杂度 | O(log N) | O(1)",
      translation: "Complexity of removing a task | O(log N) with the min-heap | O(1) with the wheel",
      reading: "the same for cancelling, which takes the timer out of the heap, as the source says",
      evidence: [stepping("cancel", SOURCE.heap, DOUBLE), stepping("cancel", SOURCE.wheel, INDEPENDENT)],
      beyond: [
        ...[stepping("cancel", MOVED.heap, DOUBLE), stepping("cancel", TYPED.heap, DOUBLE)],
        ...[stepping("cancel", TYPED.wheel, INDEPENDENT)],
        ...[growing("cancel", MOVED.heap, DOUBLE), growing("cancel", SOURCE.wheel, INDEPENDENT)],
      ],
      note: `${COUNTED_NOTE} The heap of the library does not remove at all but marks.`,
    },
    {
      quote: "tick 的开销与总连接数无关。无论你有 100 个连接还是 1000 万个连接",
      translation:
        "The cost of a tick does not depend on the number of connections, be it 100 connections or 10 million",
      reading:
        "a tick of the source's wheel at which nothing is due takes as many steps, and as much time, with 1,000,000 timers as with 1,000, where all are due in 20 to 30 s: on 60 slots none has a rotation left",
      evidence: [ticking("source", SOURCE.wheel), ticking("sourceTime", SOURCE.wheel)],
      beyond: [
        ...[
          ticking("later", SOURCE.wheel),
          ticking("later", "hashed-wheel"),
          ticking("later", "hierarchical-wheel"),
        ],
        ticking("laterTime", SOURCE.wheel),
        growing("idle", SOURCE.wheel, INDEPENDENT),
      ],
      note: "Where timeouts are longer than a rotation, as those of ten minutes, a tick visits a sixtieth of all tasks to take a turn from each; that stands beside it.",
    },
    {
      quote:
        "空闲时几乎无开销:如果当前 tick 指针指向的槽位是空的(即没有到期任务),那么 tick 方法几乎是瞬间完成的,开销可以忽略不计",
      translation:
        "Hardly any cost when idle: if the slot that the hand points to is empty (no task is due), tick is over as good as at once and its cost can be ignored",
      reading:
        "a tick at which nothing is due takes at most 10 us with 1,000,000 timers due in 20 to 30 s, whose slots are others",
      evidence: [{ ...TICK, competitor: SOURCE.wheel, metric: "sourceTime1m", atMost: AT_ONCE_US }],
      beyond: [{ ...TICK, competitor: SOURCE.wheel, metric: "laterTime1m", atMost: AT_ONCE_US }],
    },
    {
      quote: "tick 方法内部的操作(哈希表查找、删除、数组遍历)都是极速的,单次执行耗时通常在毫秒级甚至微秒级",
      translation:
        "The operations inside tick (hash table look-up, removal, array traversal) are all extremely fast; one execution usually takes milliseconds or even microseconds",
      reading:
        "with 100,000 connections, the longest tick of the source's wheel takes less than ten milliseconds",
      evidence: [pause("steady-100k", SOURCE.wheel)],
      beyond: [
        pause("steady-1m", SOURCE.wheel),
        pause("one-tick-100k", SOURCE.wheel),
        pause("steady-1m", "sweep"),
      ],
    },
    {
      quote: "无需遍历所有任务,只需在每秒钟处理一个槽位中的任务,从而将 CPU 开销降到最低,且开销与任务总数无关",
      translation:
        "No need to traverse all tasks: only the tasks of one slot are handled each second, which lowers the CPU cost to the least, and the cost does not depend on the number of tasks",
      reading:
        "a tick of the source's wheel at which nothing is due takes as many steps, and as much time, with 1,000,000 timers as with 1,000, where all are due in 20 to 30 s",
      evidence: [ticking("source", SOURCE.wheel), ticking("sourceTime", SOURCE.wheel)],
      beyond: [ticking("later", SOURCE.wheel), growing("idle", SOURCE.wheel, INDEPENDENT)],
      note: "Where timeouts are longer than a rotation, a tick visits the tasks of its slot to take a turn from each, and their number does depend on all.",
    },
    {
      quote: "适用场景 | 连接数少 | 高并发连接",
      translation:
        "Suited to | few connections, with the min-heap | many connections at once, with the wheel",
      reading:
        "by the messages of 1,000 connections the source's heap is faster than its wheel, and by those of 100,000 the wheel is faster",
      evidence: [
        { kind: "faster", ...at("refresh", "1k"), competitor: SOURCE.heap, than: SOURCE.wheel },
        { kind: "faster", ...at("refresh", "100k"), competitor: SOURCE.wheel, than: SOURCE.heap },
      ],
      beyond: [
        { kind: "faster", ...at("renew", "1k"), competitor: MOVED.heap, than: MOVED.wheel },
        { kind: "faster", ...at("renew", "100k"), competitor: MOVED.wheel, than: MOVED.heap },
        { kind: "faster", ...at("renew", "1k"), competitor: TYPED.heap, than: TYPED.wheel },
        { kind: "faster", ...at("renew", "100k"), competitor: TYPED.wheel, than: TYPED.heap },
      ],
      note: "No message moves anything in the source's heap, so it is the faster one with many connections, too.",
    },
    {
      quote:
        "如果 tick 频率过低(例如 10 秒),那么当一个连接在第 11 秒超时时,你必须等到第 20 秒才能检测到并关闭它,这会导致不必要的连接资源占用",
      translation:
        "If ticks are too rare (each 10 s, say), a connection that times out in second 11 has to wait until second 20 to be noticed and closed, which holds its resources needlessly",
      reading:
        "with a tick each 10 s the source's wheel reports a timeout up to 9 s late or more, and with one each second at most a second",
      evidence: [
        late("tick-lengths-100k", "latenessMax10s", SOURCE.wheel, { atLeast: WAITED_MS }),
        late("tick-lengths-100k", "latenessMax1s", SOURCE.wheel, { atMost: SECOND_MS }),
      ],
      beyond: [
        {
          kind: "surveyed",
          scenario: "tick-lengths-100k",
          competitor: SOURCE.wheel,
          metric: "ticks10s",
          thanMetric: "ticks1s",
          atMost: INDEPENDENT,
        },
      ],
    },
    {
      quote: "事件循环需要非常频繁地(例如每10毫秒)检查堆顶,虽然检查本身是 O(1),但频繁的系统调用也有开销",
      translation:
        "The event loop has to look at the top of the heap very often (each 10 ms, say); the look itself is O(1), but frequent system calls cost something too",
      reading:
        "with 100,000 idle connections, a look each second makes at most a tenth of the system calls of one each 10 ms, and uses at most half the processor time",
      evidence: [
        { ...POLLING, metric: "calls1s", thanMetric: "calls10ms", atMost: SELDOM_CALLS },
        { ...POLLING, metric: "cpu1s", thanMetric: "cpu10ms", atMost: HALF },
      ],
      note: "A heap need not be polled: it says when its next timer is due, and the event loop can sleep until then.",
    },
  ],
} satisfies SourceClaims;

interface Pair {
  readonly wheel: string;
  readonly heap: string;
}

function lessCpu({ wheel, heap }: Pair): Evidence {
  return {
    kind: "surveyed",
    scenario: "cpu-100k",
    competitor: wheel,
    than: heap,
    metric: "cpuPerMessage",
    atMost: CPU_LEFT,
  };
}

function cheaper(curve: string, { wheel, heap }: Pair): Evidence {
  return { kind: "faster", ...at(curve, "100k"), competitor: wheel, than: heap, atMost: CPU_LEFT };
}

function smaller({ wheel, heap }: Pair): Evidence {
  return {
    kind: "surveyed",
    scenario: "steady-100k",
    competitor: wheel,
    than: heap,
    metric: "bytesSteady",
    atMost: MEMORY_LEFT,
  };
}

/** Steps counted, from a thousand timers to a million. */
function stepping(operation: string, competitor: string, atMost: number): Evidence {
  return {
    kind: "surveyed",
    scenario: `steps-${operation}`,
    competitor,
    metric: "steps1m",
    thanMetric: "steps1k",
    atMost,
  };
}

/** The same of a tick of a second at which nothing is due. */
function ticking(what: string, competitor: string): Evidence {
  return { ...TICK, competitor, metric: `${what}1m`, thanMetric: `${what}1k`, atMost: INDEPENDENT };
}

function late(scenario: string, metric: string, competitor: string, bounds: Bounds): Evidence {
  return { kind: "surveyed", scenario, competitor, metric, ...bounds };
}

/** Times, from a thousand timers to a million: what caches hold less and less of grows with them. */
function growing(curve: string, competitor: string, factor: number): Evidence {
  return { kind: "growth", competitor, from: at(curve, "1k"), to: at(curve, "1m"), is: "at most", factor };
}

function pause(scenario: string, competitor: string): Evidence {
  return { kind: "surveyed", scenario, competitor, metric: "worstTick", atMost: MILLISECONDS_US };
}

function at(curve: string, size: string): Place {
  return { scenario: `${curve}-${size}`, workers: 1 };
}
