import type { Evidence, SourceClaims } from "../engine/claims.ts";

/** What the source document of timers claims of a whole server, in its sections 8 and 9, and where our tables show it. */

/** The source's own wheel, heap and timeout. */
const FLEET_OF_SOURCE = "fleet-of-source";
/** All watchers, five times as fast as time. */
const FLEET = "fleet-20k";
/** The source's wheel mended, and ours, where a second is a second. */
const IN_REAL_TIME = "fleet-30s";
/** "About 60 % less", "about 40 % less". */
const CPU_LEFT = 0.4;
const MEMORY_LEFT = 0.6;
/** What a tick costs a server is next to nothing if that is less than the machine's state moves its figures. */
const NEXT_TO_NOTHING = 1.05;
/** The 31st second begins when 30 are over. */
const IN_THE_31ST_SECOND_MS = 30_000;
/** The end of the 31st second, and what a busy event loop may add. */
const SOON_AFTER_S = 31.5;

export default {
  primitive: "connections",
  source: "时间轮算法在workerman心跳检测中的实战应用",
  author: "unnamed (a blog post on the timing wheel in Workerman)",
  conditions:
    "No program, machine, clock or repetition is given; PHP under Workerman, a wheel of 60 slots of a second, eight processes, 100,000 connections.",
  statements: [
    {
      quote: "在实际测试中,时间轮算法在处理10万个心跳检测任务时,CPU使用率比最小堆实现降低了约60%",
      translation:
        "In actual tests with 100,000 heartbeat tasks, the timing wheel's CPU usage was about 60 % lower than the min-heap's",
      reading:
        "a server that watches 20,000 WebSockets by the source's wheel spends at most 0.4 of the CPU time on a beat that it does with the source's heap",
      evidence: [ofSource("cpu", CPU_LEFT, "object-heap-stamped")],
      beyond: [
        of("cpu", "source-wheel", CPU_LEFT, "object-heap-stamped"),
        of("cpu", "source-wheel", CPU_LEFT, "object-heap-lazy"),
        of("cpu", "hashed-wheel", CPU_LEFT, "object-heap-lazy"),
        of("cpu", "hashed-wheel", CPU_LEFT, "four-ary-heap"),
      ],
    },
    {
      quote: "内存占用减少了约40%",
      translation: "memory use was about 40 % lower",
      reading: "at most 0.6 of the resident memory for each connection, after a timeout",
      evidence: [ofSource("rss", MEMORY_LEFT, "object-heap-stamped")],
      beyond: [
        ofSource("held", MEMORY_LEFT, "object-heap-stamped"),
        of("held", "source-wheel", MEMORY_LEFT, "object-heap-lazy"),
        of("held", "hashed-wheel", MEMORY_LEFT, "object-heap-lazy"),
      ],
    },
    {
      quote:
        "每秒tick能够提供更精确的超时检测,确保在30秒超时后,最快在第31秒就能处理掉连接,及时释放服务器资源",
      translation:
        "A tick each second detects timeouts more precisely, and makes sure that after a timeout of 30 s the connection is dealt with in the 31st second at the soonest",
      reading: "no client is closed before 30 s have passed since its last message",
      evidence: [
        {
          kind: "surveyed",
          scenario: FLEET_OF_SOURCE,
          competitor: "source-wheel",
          metric: "shortestSilenceMs",
          atLeast: IN_THE_31ST_SECOND_MS,
        },
      ],
      beyond: [
        ofSource("closedMax", SOON_AFTER_S),
        closed("source-wheel-mended", SOON_AFTER_S),
        closed("hashed-wheel", SOON_AFTER_S),
        of("closedMax", "sweep", SOON_AFTER_S),
        of("closedMax", "node-set-timeout", SOON_AFTER_S),
        of("closedMax", "object-heap-stamped", SOON_AFTER_S),
        of("closedMax", "ping-pong", SOON_AFTER_S),
      ],
      note: "A task that is added between two ticks is counted from the tick before, so the wheel closes up to a second early.",
    },
    {
      quote:
        "每秒的tick动作用于每个进程,而不是整个系统。因此,CPU的计算压力被均匀地分散到了多个进程和CPU核心上,进一步降低了单个进程的负担",
      translation:
        "The tick of each second is each process's own and not the whole system's. So the load on the CPU is spread evenly over several processes and cores, which further lowers the burden of each process",
      reading: "processes that share the connections evenly also share the CPU time of ticks evenly",
      evidence: [],
      note: "The lab's servers run in two processes, and their CPU time is read together.",
    },
    {
      quote:
        "空闲时几乎无开销:如果当前tick指针指向的槽位是空的(即没有到期任务),那么tick方法几乎是瞬间完成的,开销可以忽略不计",
      translation:
        "Hardly any cost when idle: if the slot at the cursor is empty, that is, nothing is due, a tick is done almost at once, and its cost can be neglected",
      reading:
        "a server with the source's wheel and its tick each second spends at most 5 % more CPU time on a beat than one that watches nobody",
      evidence: [ofSource("cpu", NEXT_TO_NOTHING, "nobody")],
      beyond: [
        of("cpu", "sweep", NEXT_TO_NOTHING, "nobody"),
        of("cpu", "hashed-wheel", NEXT_TO_NOTHING, "nobody"),
      ],
    },
  ],
} satisfies SourceClaims;

/** Of the source's wheel: at most this value, or this multiple of another's. */
function ofSource(metric: string, atMost: number, than?: string): Evidence {
  return surveyed(FLEET_OF_SOURCE, metric, "source-wheel", atMost, than);
}

/** The last dead client, at most this number of seconds after its last message. */
function closed(competitor: string, atMost: number): Evidence {
  return surveyed(IN_REAL_TIME, "closedMax", competitor, atMost);
}

/** The same of any watcher, in all that race there. */
function of(metric: string, competitor: string, atMost: number, than?: string): Evidence {
  return surveyed(FLEET, metric, competitor, atMost, than);
}

function surveyed(
  scenario: string,
  metric: string,
  competitor: string,
  atMost: number,
  than?: string,
): Evidence {
  const held = { kind: "surveyed", scenario, competitor, metric, atMost } as const;
  return than === undefined ? held : { ...held, than };
}
