import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Dispatcher } from "undici";
import { assertBroken } from "../../structures/shared/broken.ts";
import npmUndiciAgent from "../../structures/upstreams/competitors/npm-undici-agent.ts";
import npmUndiciBalancedPool from "../../structures/upstreams/competitors/npm-undici-balanced-pool.ts";
import type { UpstreamsCompetitor } from "../../structures/upstreams/upstreams.contract.ts";
import type { Instruments, Survey } from "../shared/vocabulary.ts";
import scenarios from "./scenarios/situations.ts";
import type { SituationParams } from "./situations.ts";

type Dispatch = Dispatcher["dispatch"];
type Handler = Dispatcher.DispatchHandler;

/** How long requests that a liar loses are waited for, in ms. */
const SHORT_MS = 100;
/** So long requests take that some are in flight whenever a server is killed. */
const LONG_MS = 50;

async function surveyed(
  name: string,
  competitor: UpstreamsCompetitor,
  change: Partial<SituationParams> = {},
) {
  const { run, law, params, metrics } = scenarios.find(
    ({ scenario }) => scenario === name,
  ) as unknown as Survey<UpstreamsCompetitor, SituationParams>;
  const ofSize = { ...params.smoke, ...change };
  const figures = await run(competitor, ofSize, 1, {} as Instruments);
  for (const key of Object.keys(figures)) assert.ok(key in metrics, key);
  return { figures, broken: law(competitor, ofSize, figures) };
}

/** An Agent that treats one request in ten in a way of its own. */
function liar(
  lie: (dispatch: Dispatch, request: Dispatcher.DispatchOptions, handler: Handler) => void,
): UpstreamsCompetitor {
  return {
    ...npmUndiciAgent,
    create(origins, options) {
      const honest = npmUndiciAgent.create(origins, options);
      let requests = 0;
      const dispatcher = honest.dispatcher.compose((dispatch) => (request, handler) => {
        if (++requests % 10 !== 0) return dispatch(request, handler);
        lie(dispatch, request, handler);
        return true;
      });
      return { ...honest, dispatcher };
    },
  };
}

/** Hears of nothing. */
const NOBODY: Handler = {
  onRequestStart() {},
  onResponseStart() {},
  onResponseData() {},
  onResponseEnd() {},
  onResponseError() {},
};

const repeats = liar((dispatch, request, handler) => {
  dispatch(request, NOBODY);
  dispatch(request, handler);
});

describe("servers under load", { concurrency: 2 }, () => {
  it("answer all, and get equal shares of an Agent's requests, slow or not", async () => {
    const { figures, broken } = await surveyed("uneven", npmUndiciAgent);
    assert.equal(broken, undefined);
    assert.equal(figures.answered, 60);
    assert.equal(figures.slowShare, 50);
    for (const key of ["p50", "p99", "cpu"]) assert.ok(figures[key]! > 0, key);
  });

  it("refuse, and draw an Agent's requests no less for that", async () => {
    const { figures, broken } = await surveyed("unavailable", npmUndiciAgent);
    assert.equal(broken, undefined);
    assert.deepEqual([figures.refusedShare, figures.answered, figures.errors], [50, 60, 50]);
    assert.equal(figures.p99, undefined, "a request that was refused took longer than any");
  });

  it("die, and take the requests to them along", async () => {
    const { figures, broken } = await surveyed("death", npmUndiciAgent, { meanDemandMs: LONG_MS });
    assert.equal(broken, undefined);
    assert.ok(figures.failed! > 0 && figures.errors! > 0, JSON.stringify(figures));
    assert.equal(figures.p99, undefined, "a request that failed took longer than any");
  });

  it("come and go", async () => {
    const { figures, broken } = await surveyed("members", npmUndiciBalancedPool);
    assert.equal(broken, undefined);
    assert.ok(figures.drained! > 0, JSON.stringify(figures));
  });

  it("are added cold, and get their share of an Agent's requests all the same", async () => {
    const slowly = { requests: 100, perSecond: 100 };
    const { figures, broken } = await surveyed("cold", npmUndiciAgent, slowly);
    assert.equal(broken, undefined);
    assert.ok(Math.abs(figures.addedFirst! - 1) < 0.2, JSON.stringify(figures));
  });

  const LIARS: readonly [string, string, string, UpstreamsCompetitor, Partial<SituationParams>][] = [
    [
      "loses requests",
      "requestsConserved",
      "even",
      liar(() => {}),
      { timeoutMs: SHORT_MS, patienceMs: SHORT_MS },
    ],
    [
      "ends requests twice",
      "requestsConserved",
      "even",
      liar((dispatch, request, handler) => {
        dispatch(request, {
          ...NOBODY,
          onResponseEnd(controller) {
            handler.onResponseEnd!(controller, {});
            handler.onResponseEnd!(controller, {});
          },
        });
      }),
      {},
    ],
    [
      "answers by itself",
      "answersProven",
      "even",
      liar((_dispatch, _request, handler) => {
        const controller = {} as Dispatcher.DispatchController;
        handler.onResponseData!(controller, Buffer.from("0 0 0"));
        handler.onResponseEnd!(controller, {});
      }),
      {},
    ],
    ["asks another server, too", "nothingUnaccounted", "even", repeats, {}],
    ["asks twice", "servedOnce", "even", repeats, { servers: 1 }],
    [
      "claims to wait",
      "drainsWithoutLoss",
      "members",
      { ...npmUndiciAgent, drains: "waits" },
      { meanDemandMs: LONG_MS },
    ],
  ];
  for (const [name, breaks, scenario, competitor, change] of LIARS) {
    it(`tell of a dispatcher that ${name}`, async () => {
      const { broken } = await surveyed(scenario, competitor, change);
      assertBroken(breaks, broken === undefined ? [] : [broken]);
    });
  }
});
