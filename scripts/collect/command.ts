import { competitorsOf } from "../../structures/catalog.ts";
import { command, runCommand } from "../../suites/lab/command/command.ts";
import { EXIT, parseWhole, UsageError } from "../../suites/lab/command/usage.ts";
import { INSTALLS_BROKER } from "../../suites/ownership/collectors/broker.ts";
import { Cluster } from "../../suites/ownership/collectors/cluster.ts";
import { STEP_MS } from "../../suites/ownership/collectors/collector.ts";
import { everyQuestionIsAsked, nobodyIsBlamedWrongly } from "../../suites/ownership/collectors/laws.ts";
import { drawRun, type RunPlan, STORE, sharesOf } from "../../suites/ownership/collectors/run.ts";
import { SMALL_FLEET } from "../../suites/ownership/faults.ts";

const MOST_COLLECTORS = 16;

const COMMAND = command({
  about: `Runs one of several collectors of flow logs, which exchange claims to addresses over a NATS broker, on one machine
    or on several.`,
  usage: {
    "npm run collect -- --node 0 --of 2 --broker nats://HOST:4222":
      "one of the two; start the other with --node 1, there or on another machine",
  },
  before: `First start the broker, on any machine: nats-server -js (${INSTALLS_BROKER}). All collectors draw the same history from the seed, 18
    simulated minutes of 400 addresses. They wait for each other. Each prints what it attributed and a digest of what it knew
    when the last flow began; all digests must be equal.`,
  options: {
    node: { value: "I", help: "which collector this is, from 0 (default: 0)", default: "0" },
    of: { value: "N", help: `how many there are, at most ${MOST_COLLECTORS} (default: 2)`, default: "2" },
    broker: {
      value: "URL",
      help: "where the broker is (default: nats://127.0.0.1:4222)",
      default: "nats://127.0.0.1:4222",
    },
    seed: { value: "N", help: "of the history, the same for all (default: 1)", default: "1" },
  },
  after: `The broker keeps all messages of a seed. A collector that starts again, or starts after it was killed, learns from them
    what the others know. Its digest is then of all that was ever sent.`,
  exits: {
    0: "all questions were answered, and no owner was blamed wrongly",
    1: "a law was broken, or the broker or a peer was lost",
    2: "the request was wrong, or there is no broker there",
  },
});

await runCommand(COMMAND, async ({ options, words }) => {
  if (words.length > 0) throw new UsageError(`collect takes no words: remove ${words.join(", ")}`);
  const nodes = parseWhole("--of", options.of, 1, MOST_COLLECTORS);
  const node = parseWhole("--node", options.node, 0, nodes - 1);
  const seed = parseWhole("--seed", options.seed, 0, 2 ** 32 - 1);
  const plan: RunPlan = { fleet: SMALL_FLEET, faults: {}, nodes, asks: "at every lag" };
  const drawn = drawRun(plan, seed);
  const cluster = await Cluster.start({
    competitorUrl: competitorsOf("ownership").find(({ name }) => name === "flat-sorted-arrays")!.url,
    nodes,
    plan: drawn.plan,
    workloads: drawn.workloads.map((workload, index) => (index === node ? workload : undefined)),
    way: { kind: "nats", servers: options.broker, run: `seed-${seed}-of-${nodes}`, store: STORE },
  }).catch(({ message }: Error) => {
    throw new UsageError(
      `${options.broker} is no broker: ${message}; start one with nats-server -js (${INSTALLS_BROKER})`,
    );
  });
  try {
    await cluster.runTo(drawn.plan.horizonMs / STEP_MS);
    await cluster.settle();
    const [held] = await cluster.holdings();
    await cluster.runTo(drawn.steps);
    const [report] = await cluster.end();
    const { tally, cpuMs, messages, heardAfterUs } = report!;
    const { wrong, lookups, missingAtLast } = sharesOf([tally]);
    const broken = nobodyIsBlamedWrongly(wrong, lookups) ?? everyQuestionIsAsked(tally.unserved);
    process.stdout.write(
      `collector ${node} of ${nodes}: ${tally.questions} flow reports, ${(100 - missingAtLast).toFixed(2)} % attributed in the end, ${wrong} wrongly
${Math.round(tally.questions / (cpuMs / 1000))} reports per CPU second; ${messages.sent} messages sent, ${messages.heard} heard, ${messages.replayed} of them replayed; sent to heard p99 ${(heardAfterUs.p99 / 1000).toFixed(1)} ms
${held!.holdings.resources.length} ranges known when the last flow began: ${held!.digest.slice(0, 16)}
`,
    );
    if (broken === undefined) return EXIT.ok;
    process.stderr.write(`${broken}\n`);
    return EXIT.failed;
  } finally {
    await cluster.stop();
  }
});
