import type { Evidence, Place, SourceClaims } from "../engine/claims.ts";

/** What the source document of timers claims, sentence by sentence, and where our tables show whether it is so. */

/** The source's own: its wheel as it wrote it, and the heap of the library it writes about, which cancels lazily. */
const SOURCE = { wheel: "source-wheel", heap: "object-heap-lazy" } as const;
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
const SECOND_MS = 1_000;

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
        "at 100,000 connections, a message that removes and adds its timer costs at most 0.4 of what it costs with the heap, ticks included",
      evidence: [cheaper(SOURCE)],
      beyond: [cheaper(OBJECTS), cheaper(TYPED), cheaper({ wheel: "hashed-wheel", heap: "binary-heap" })],
    },
    {
      quote: "内存占用减少了约40%",
      translation: "memory use was about 40 % lower",
      reading: "after 120 s of heartbeats, at most 0.6 of the bytes per timer",
      evidence: [smaller(SOURCE)],
      beyond: [smaller(OBJECTS), smaller(TYPED)],
    },
    {
      quote: "添加/删除任务复杂度为 O(1):无论有多少连接,添加和删除一个心跳任务都是常数时间",
      translation:
        "Adding or removing a task is O(1): however many connections there are, adding and removing a heartbeat task takes constant time",
      reading:
        "on the source's wheel, from 1,000 timers to 1,000,000, setting and cancelling one do not get dearer",
      evidence: [growing("set", SOURCE.wheel, INDEPENDENT), growing("cancel", SOURCE.wheel, INDEPENDENT)],
      beyond: [growing("set", TYPED.wheel, INDEPENDENT), growing("cancel", TYPED.wheel, INDEPENDENT)],
    },
    {
      quote: "添加任务复杂度 | O(log N) | O(1)",
      translation: "Complexity of adding a task | O(log N) with the min-heap | O(1) with the wheel",
      reading:
        "from 1,000 timers to 1,000,000, setting one gets at most twice as dear with the heap, as log N does, and no dearer with the wheel",
      evidence: [growing("set", SOURCE.heap, DOUBLE), growing("set", SOURCE.wheel, INDEPENDENT)],
      beyond: [growing("set", TYPED.heap, DOUBLE), growing("set", TYPED.wheel, INDEPENDENT)],
    },
    {
      quote: "删除任务复杂度 | O(log N) | O(1)",
      translation: "Complexity of removing a task | O(log N) with the min-heap | O(1) with the wheel",
      reading:
        "the same for cancelling; the source's heap does not remove at all but marks, so the heaps that do stand beside it",
      evidence: [growing("cancel", SOURCE.heap, DOUBLE), growing("cancel", SOURCE.wheel, INDEPENDENT)],
      beyond: [growing("cancel", TYPED.heap, DOUBLE), growing("cancel", TYPED.wheel, INDEPENDENT)],
    },
    {
      quote: "tick 的开销与总连接数无关。无论你有 100 个连接还是 1000 万个连接",
      translation:
        "The cost of a tick does not depend on the number of connections, be it 100 connections or 10 million",
      reading:
        "a tick of the source's wheel at which nothing is due costs as much with 1,000,000 timers as with 1,000",
      evidence: [growing("idle", SOURCE.wheel, INDEPENDENT)],
      beyond: [
        growing("idle", "hashed-wheel", INDEPENDENT),
        growing("idle", "hierarchical-wheel", INDEPENDENT),
        growing("idle", "four-ary-heap", INDEPENDENT),
      ],
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
      quote: "确保在 30 秒超时后,最快在第 31 秒就能处理掉连接,及时释放服务器资源",
      translation:
        "ensures that after a 30 s timeout the connection is dealt with in the 31st second at the soonest, and its resources freed in time",
      reading: "with one slot per second, no timeout of 30 s is reported more than a second late",
      evidence: [
        {
          kind: "surveyed",
          scenario: "steady-100k",
          competitor: SOURCE.wheel,
          metric: "latenessMax",
          atMost: SECOND_MS,
        },
      ],
      beyond: [
        {
          kind: "surveyed",
          scenario: "steady-100k",
          competitor: "sweep",
          metric: "latenessMax",
          atMost: SECOND_MS,
        },
      ],
    },
  ],
} satisfies SourceClaims;

interface Pair {
  readonly wheel: string;
  readonly heap: string;
}

function cheaper({ wheel, heap }: Pair): Evidence {
  return { kind: "faster", ...at("renew", "100k"), competitor: wheel, than: heap, atMost: CPU_LEFT };
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

function growing(curve: string, competitor: string, factor: number): Evidence {
  return { kind: "growth", competitor, from: at(curve, "1k"), to: at(curve, "1m"), is: "at most", factor };
}

function pause(scenario: string, competitor: string): Evidence {
  return { kind: "surveyed", scenario, competitor, metric: "worstTick", atMost: MILLISECONDS_US };
}

function at(curve: string, size: string): Place {
  return { scenario: `${curve}-${size}`, workers: 1 };
}
