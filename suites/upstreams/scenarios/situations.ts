import {
  cold,
  death,
  even,
  members,
  type SituationParams,
  situationOf,
  unavailable,
  uneven,
} from "../situations.ts";

const FULL: SituationParams = {
  servers: 5,
  slots: 8,
  perSecond: 4_000,
  meanDemandMs: 4,
  requests: 10_500,
  uncounted: 500,
  timeoutMs: 10_000,
  patienceMs: 10_000,
};
const SMOKE: SituationParams = { ...FULL, servers: 2, perSecond: 2_000, requests: 60, uncounted: 10 };
/** With servers of which one falls ever further behind. */
const GIVES_UP_MS = 1_000;

const title = (what: string) =>
  `4,000 requests a second to five servers, each of which does eight at once in 4 ms on average: ${what}`;
const ONE_SLOW = "one takes twelve times as long, and a request fails after 1 s";

export default [
  situationOf(
    even,
    { scenario: "even", title: title("all alike"), headline: false },
    { full: FULL, smoke: SMOKE },
  ),
  situationOf(
    uneven,
    { scenario: "uneven", title: title(ONE_SLOW), headline: false },
    { full: { ...FULL, timeoutMs: GIVES_UP_MS }, smoke: SMOKE },
  ),
  situationOf(
    uneven,
    {
      scenario: "uneven-brief",
      title: title(`${ONE_SLOW}; for half a second`),
      headline: true,
      // Because all headline scenarios together are to take a few minutes.
      competitors: ["npm-undici-agent", "npm-undici-balanced-pool", "balanced-two-choices"],
    },
    { full: { ...FULL, requests: 2_500, timeoutMs: GIVES_UP_MS }, smoke: SMOKE },
  ),
  situationOf(
    unavailable,
    {
      scenario: "unavailable",
      title: title("one answers with 503 at once"),
      headline: false,
    },
    { full: FULL, smoke: SMOKE },
  ),
  situationOf(
    death,
    {
      scenario: "death",
      title: title("one is killed, and restarted a quarter of the time later"),
      headline: false,
    },
    { full: FULL, smoke: SMOKE },
  ),
  situationOf(
    members,
    {
      scenario: "members",
      title: title("one is added, and one drained and then killed at once"),
      headline: false,
    },
    { full: FULL, smoke: SMOKE },
  ),
  situationOf(
    cold,
    {
      scenario: "cold",
      title: title("one is added that takes twelve times as long at first, until it has answered 200"),
      headline: false,
    },
    { full: FULL, smoke: SMOKE },
  ),
];
