import type { Bounds, Evidence, SourceClaims } from "../engine/claims.ts";
import type { MetricName } from "./fleets.ts";

const TWO_HOURS = 2;
const A_BIT_OVER_TWO_HOURS: Bounds = { atLeast: TWO_HOURS, atMost: 2.5 };
/** Half way, in percent of the whole fall. */
const STRAIGHT: Bounds = { atLeast: -5, atMost: 5 };

/**
 * What the heartbeat-smoothing document says of its graphs and in its text, beside our fleets. A figure that it gives
 * is held to its own digits, as that of one run. "35" is 35; "700" and "around 180" are as exact as they are rounded,
 * to hundreds and to tens. What the text leaves open was found by trying, and is named with it.
 */
export default {
  primitive: "heartbeats",
  source: "the heartbeat-smoothing document",
  author: "unnamed (a blog post on spreading the heartbeats of a server's clients)",
  conditions:
    "A simulation of its own that is not shown; the graphs are known by their descriptions alone. 10,000 clients, an interval of 600 s, 6 h.",
  statements: [
    {
      quote:
        "Fixed 600 second interval. A graph showing a series of 10,000 high spikes every ten minutes for 6 hours",
      reading: "one spike of all 10,000 every 600 s, and nothing between",
      evidence: [
        figure("fixed", "fixed-interval", "peak", "10,000", exactly(10_000)),
        figure("fixed", "fixed-interval", "spikesApart", "every ten minutes", exactly(600)),
        figure("fixed", "fixed-interval", "low", undefined, exactly(0)),
        figure("fixed", "fixed-interval", "unlikeBefore", undefined, exactly(0)),
      ],
    },
    {
      quote:
        "600 seconds plus up to 15 seconds of jitter. A graph showing a series of spikes every ten minutes, decreasing in height and increasing in width at a log like rate. Starting height is 700, and by 6 hours the spikes are still around 180 high",
      reading: "15 values to draw from, 0 to 14 s; with 16 the first spike would be 670 high",
      evidence: [
        oneRun("jitter-15", "jitter-15", "firstPeak", "700", rounded(700, 100)),
        oneRun("jitter-15", "jitter-15", "lastPeak", "around 180", rounded(180, 10)),
        figure("jitter-15", "jitter-15", "bend", "a log like rate", { atMost: -20 }),
      ],
    },
    {
      quote:
        "600 seconds plus up to 300 seconds of jitter. A graph showing a noisy sine like wave decreasing in amplitude over a bit over two hours, then settling into a noisy signal with offset of around 130 clients",
      reading:
        "the wave of the mean interval, 749.5 s, is worn down to a tenth of the mean after a bit over two hours; 13.3 messages a second remain, 130 in ten seconds",
      evidence: [
        figure("jitter-300", "jitter-300", "waveFallsToTenth", "a bit over two hours", A_BIT_OVER_TWO_HOURS),
        figure("jitter-300", "jitter-300", "meanOfTenSeconds", "around 130", rounded(130, 10)),
      ],
      beyond: [
        figure("jitter-300", "jitter-300", "mean", undefined, { atLeast: 13.2, atMost: 13.47 }),
        figure("jitter-300", "jitter-300", "sent", undefined, { atLeast: 79, atMost: 81 }),
      ],
      note: "The offset of 130 does not come out per second, whatever the choice: 10,000 clients at a mean interval of 749.5 s send 13.3. It does per ten seconds, so it fits only an axis that counts in such bins. The source does not say that a fifth fewer messages are sent.",
    },
    {
      quote:
        "Load based calculation of interval. A spike graph with linearly decreasing amplitude, starting at 1000 and decreasing to 380 over 6 hours",
      isGuessed: true,
      reading:
        "1,000 clients; the load falls by e in a second and rises by 10.5 with each message, and is added to the interval in whole seconds, 300 at most",
      evidence: [
        figure("load-capped", "load-capped", "firstPeak", "1000", exactly(1000)),
        figure("load-capped", "load-capped", "lastPeak", "380", rounded(380, 10)),
        figure("load-capped", "load-capped", "bend", "linearly decreasing", STRAIGHT),
      ],
    },
    {
      quote:
        "Load based calculation of interval. A spike graph with linearly decreasing amplitude, starting at 1000 and decreasing to 50 over 6 hours",
      isGuessed: true,
      reading: "the same load, and nothing is added while it is above 300",
      evidence: [
        figure("load-reset", "load-reset", "firstPeak", "1000", exactly(1000)),
        figure("load-reset", "load-reset", "lastPeak", "50", rounded(50, 10)),
        figure("load-reset", "load-reset", "bend", "linearly decreasing", STRAIGHT),
      ],
    },
    {
      quote:
        "Interestingly, if instead of capping at 300 I reset the extra heartbeat interval to 0 when load is too high, the response is much quicker, although still too slow given that this only shows 1000 clients.",
      isGuessed: true,
      reading: "after six hours its spikes are at most half as high as the 380 of the other graph",
      evidence: [figure("load-reset", "load-reset", "lastPeak", "much quicker", { atMost: 190 })],
      beyond: [figure("load-capped", "load-capped", "lastPeak", "380", rounded(380, 10))],
    },
    {
      quote:
        "Random slot allocation. A somewhat noisy graph with repeating pattern every 600 seconds. Peak of 35 and low of 5, with average of around 16",
      reading: "each client keeps a random second",
      evidence: [
        oneRun("random-slot", "random-slot", "peak", "35", exactly(35)),
        oneRun("random-slot", "random-slot", "low", "5", exactly(5)),
        figure("random-slot", "random-slot", "mean", "around 16", { atLeast: 15, atMost: 17 }),
        figure("random-slot", "random-slot", "unlikeBefore", "repeating pattern", exactly(0)),
      ],
    },
    {
      quote: "Sequential slot allocation. Constant line of 20.",
      reading: "12,000 clients at once",
      evidence: [
        figure("sequential", "sequential-from-origin", "peak", "20", exactly(20)),
        figure("sequential", "sequential-from-origin", "low", "20", exactly(20)),
      ],
    },
    {
      quote:
        "Sequential slot allocation. Repeating spike graph with peak of 118 and low of 0, with inter-spike level of 18",
      reading:
        "10,800 clients, so that the level is 18; the turn is taken for a time, and a first heartbeat whose time has passed is sent at once",
      evidence: [
        oneRun("sequential-arriving", "sequential-from-origin", "peak", "118", exactly(118)),
        figure("sequential-arriving", "sequential-from-origin", "low", "0", exactly(0)),
        figure("sequential-arriving", "sequential-from-origin", "median", "18", exactly(18)),
        figure("sequential-arriving", "sequential-from-origin", "unlikeBefore", "repeating", exactly(0)),
      ],
    },
    {
      quote: "Sequential slot allocation. Repeating spike graph with peak of 20 and low of 16",
      isGuessed: true,
      reading:
        "the turn is counted from the connect; what the text describes, from the clock, gives a constant 18 instead",
      evidence: [
        oneRun("sequential-absolute", "sequential-from-now", "peak", "20", exactly(20)),
        oneRun("sequential-absolute", "sequential-from-now", "low", "16", exactly(16)),
      ],
      beyond: [
        figure("sequential-absolute", "sequential-from-now", "range", "20 - 16", { atLeast: 3, atMost: 5 }),
        figure("sequential-absolute", "sequential-from-now", "median", undefined, {
          atLeast: 17,
          atMost: 19,
        }),
        figure("sequential-absolute", "sequential-slot", "range", undefined, { atLeast: 0, atMost: 1 }),
      ],
      note: "\"Slot 0 is always absolute time mod 600\" would leave no spikes at all, so the source's program does not do what its text says. Of the ways tried, only counting the turn from each connect leaves a ripple like its graph's, of 3 or 4 about a level of 18. Its 16 comes out, its 20 does not: 19 is the highest, at any number of clients tried.",
    },
    {
      quote:
        "When a client connects, it is by definition the last client that needs to send a heartbeat, and is added to the end of the list. This results in a naturally sorted list.",
      reading: "at a fixed interval, nobody is overdue in a list to whose end clients are always added",
      evidence: [figure("unsorted-list", "fixed-interval", "worstLateness", undefined, exactly(0))],
    },
    {
      quote:
        "Sequential slot allocation, unsorted list. Spike graph with peak of 330, decreasing to a peak of 125",
      reading: "the same clients, with due ones taken from a list to whose end they are always added",
      evidence: [
        oneRun("unsorted-list", "sequential-from-now", "firstPeak", "330", rounded(330, 10)),
        oneRun("unsorted-list", "sequential-from-now", "lastPeak", "125", exactly(125)),
      ],
      beyond: [
        figure("unsorted-list", "sequential-from-now", "timesInOrder", undefined, { atLeast: 10 }),
        figure("unsorted-list", "sequential-from-now", "worstLateness", undefined, {
          atLeast: 590,
          atMost: 600,
        }),
        figure("unsorted-list", "sequential-from-now", "unlikeBefore", undefined, exactly(0)),
        oneRun("unsorted-list-churn", "sequential-from-now", "firstPeak", "330", rounded(330, 10)),
        oneRun("unsorted-list-churn", "sequential-from-now", "lastPeak", "125", exactly(125)),
      ],
      note: "Not reproduced as it stands. Without churn nothing decays: a client that was taken late is due 600 s after that, so within the second interval the list is in order and its spikes repeat to the message for ever. Their height hangs on the first seconds' arrivals and on where the turn starts, which is our choice: mostly 200, the most that connect in a second, and in one seed of ten 600. With lives of 4 h they wander, and most seeds end lower than they began, over a range that has the source's 330 and 125 in it; but the source speaks of no churn there. What holds in any case: an append-only list makes peaks ten times those of one in order, and clients are up to 600 s overdue.",
    },
    {
      quote:
        "Over time the clients naturally disconnect and reconnect which means the heartbeat rate smooths out, but it takes ages.",
      reading:
        "at a fixed interval, with lives of an hour, messages vary no more than chance has it before six hours are over, but not before the two hours that the source finds long elsewhere",
      evidence: [
        bound("churn", "fixed-interval", "settled", "smooths out", { atMost: 6 }),
        bound("churn", "fixed-interval", "settled", "ages", { atLeast: TWO_HOURS }),
      ],
      beyond: [
        bound("churn", "fixed-interval", "peakToMean", undefined, { atMost: 2 }),
        bound("churn", "sequential-from-origin", "settled", undefined, { atMost: 6 }),
        bound("churn", "sequential-slot", "dispersion", undefined, { atMost: 0.1 }),
      ],
      note: "Churn smooths down to chance, and no further: what is more level than that, slots given in turn, it makes rougher.",
    },
    {
      quote:
        "Using even 300 seconds of jitter it still takes more than 2 hours to truely settle down, and we're potentially up at 15 minute heartbeat message intervals.",
      reading:
        "the wave is at a tenth of the mean after more than two hours, and two heartbeats of a client can be 900 s apart, 300 s more than asked for, to the minute",
      evidence: [
        figure("jitter-300", "jitter-300", "waveFallsToTenth", "more than 2 hours", { atLeast: TWO_HOURS }),
        figure("jitter-300", "jitter-300", "worstDeviation", "15 minutes", rounded(300, 60)),
      ],
      beyond: [bound("steady", "jitter-300", "settled", undefined, { atLeast: TWO_HOURS })],
      note: "At a tenth of the mean the wave is what the graph shows. Chance hides it earlier: from second to second messages vary no more than by chance sooner than that.",
    },
    {
      quote:
        "If I can get the clients into the right slot in the first place, then I don't need to mess with the subsequent heartbeat intervals.",
      reading:
        "with slots in turn and clients that stay, no second differs from another by more than one message, and no heartbeat is off its interval",
      evidence: [
        bound("steady", "sequential-slot", "range", undefined, { atMost: 1 }),
        bound("steady", "sequential-slot", "worstDeviation", undefined, exactly(0)),
      ],
      beyond: [
        bound("churn", "sequential-slot", "range", undefined, { atMost: 1 }),
        bound("churn", "least-loaded", "range", undefined, { atMost: 1 }),
        bound("departures", "least-loaded", "range", undefined, { atMost: 1 }),
      ],
    },
  ],
} satisfies SourceClaims;

/** From half a unit below to half a unit above. */
function rounded(value: number, unit: number): Bounds {
  return { atLeast: value - unit / 2, atMost: value + unit / 2 };
}

function exactly(value: number): Bounds {
  return { atLeast: value, atMost: value };
}

function figure(
  name: string,
  competitor: string,
  metric: MetricName,
  says: string | undefined,
  bounds: Bounds,
): Evidence {
  return bound(`figure-${name}`, competitor, metric, says, bounds);
}

/** What the source read off a run of its own in which chance has a part. */
function oneRun(
  name: string,
  competitor: string,
  metric: MetricName,
  says: string,
  bounds: Bounds,
): Evidence {
  return { kind: "metric", scenario: `figure-${name}`, competitor, metric, says, isOneRun: true, ...bounds };
}

function bound(
  scenario: string,
  competitor: string,
  metric: MetricName,
  says: string | undefined,
  bounds: Bounds,
): Evidence {
  return { kind: "metric", scenario, competitor, metric, ...(says === undefined ? {} : { says }), ...bounds };
}
