import { endWithParent } from "../machine/patience.ts";
import { BaselineLost, InstrumentBroken, ProcessSpoilt, thrown } from "../plan/failures.ts";
import type { Called, CallJob, ForkMessage, Job, Say, SignedJob, SignedMessage } from "../plan/protocol.ts";

/**
 * A fork: a fresh process that races one group once, or calls a module. Started by process.ts with a channel; takes a job from it, answers with progress and one result, and ends when
 * its parent leaves the channel.
 */

// Taken before any competitor is loaded. A bench file that is imported here finds another `exit`.
const { exit } = process;
const send = process.send!.bind(process);

/** Of the job that is carried out. Kept here, where no other module can have it. */
let token: string | undefined;
const say: Say = (message, sent = () => {}) => void send({ ...message, token } satisfies SignedMessage, sent);

process.on("message", async ({ job, token: given }: SignedJob) => {
  token = given;
  say(await answerTo(job));
});
// Ctrl-C reaches the whole process group; the parent decides what happens to it and kills this process.
process.on("SIGINT", () => {});
// An error in a timer or a rejected promise of a competitor is reported in one line, without a stack.
process.on("uncaughtException", (error) => {
  say({ kind: "fault", reason: `${thrown(error)}, outside of any call` }, () => exit(1));
});
// What a competitor prints without a reader is no reason to lose a fork.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
// Without its parent a fork has no one to answer. Parked workers would keep it alive; they have said everything.
process.once("disconnect", () => exit(1));

/** Imports what carries out the job, and none of the rest. */
async function answerTo(job: Job): Promise<ForkMessage> {
  if (job.kind === "call") return { kind: "called", value: await call(job) };
  return await (await import("./race.ts")).raceOnce(job, say).catch((error: unknown) => {
    if (error instanceof BaselineLost || error instanceof ProcessSpoilt)
      return { kind: "fault", reason: error.message };
    if (error instanceof InstrumentBroken) return { kind: "broken", reason: error.message };
    throw error;
  });
}

async function call({ module, argument, isAlone }: CallJob): Promise<unknown> {
  if (!isAlone) endWithParent();
  const { default: called } = (await import(module)) as { readonly default: Called<unknown, unknown> };
  return await called(argument, say);
}
