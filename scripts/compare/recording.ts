import type { Turn } from "../../suites/engine/cli/commits/race-pairs.ts";
import { compiledAlike, type GroupPlan } from "../../suites/engine/measure/plan/plan.ts";
import { budgetOf } from "../../suites/engine/measure/plan/timing.ts";
import { raceGroups } from "../../suites/engine/race-groups.ts";
import { SCHEMA_VERSION } from "../../suites/engine/schema/envelope.ts";
import type { GroupRecord } from "../../suites/engine/schema/record.ts";
import type { LabPlan } from "../../suites/lab/kinds/plan.ts";
import type { Request } from "../../suites/lab/plan/asked.ts";
import { beginRun, type RunIdentity, type RunUnderWay } from "../../suites/lab/recorded-run.ts";
import type { BenchRecord } from "../../suites/lab/schema/record.ts";
import { KeptRecord, localPath } from "../../suites/lab/store/keep.ts";

/** Races pairs one after the other, and keeps the record of all that have raced. */
export class Recording {
  readonly #request: Request;
  readonly #identity: RunIdentity;
  readonly #kept: KeptRecord;
  readonly #groups: GroupRecord[] = [];
  #underWay: RunUnderWay | undefined;

  constructor(request: Request, identity: RunIdentity) {
    this.#request = request;
    this.#identity = identity;
    this.#kept = new KeptRecord((line) => process.stderr.write(line));
  }

  /** Races a pair's group. Undefined if it was interrupted. */
  async race(usual: GroupPlan, turn: Turn, stop: () => void): Promise<GroupRecord | undefined> {
    const { signal, progress, reportDisturbed } = await this.#begun(stop);
    const { lab, profile, size, patienceMs } = this.#request;
    const group = turn.isCompiledAlike === true ? compiledAlike(usual) : usual;
    const plan: LabPlan = {
      lab,
      seed: turn.seed,
      profile,
      size,
      patienceMs,
      budgetMs: Math.min(turn.budgetMs, budgetOf(profile, [group])),
      groups: [group],
      simulations: [],
      surveys: [],
      overviews: [],
    };
    const show = (share: number, leftMs: number | undefined, what: string) =>
      progress.show(share, leftMs, `${turn.turn}: ${what}`);
    const [raced] = await raceGroups(plan, { progress: show, judged() {} }, signal);
    progress.clear();
    if (raced === undefined || signal.aborted) return undefined;
    reportDisturbed(`${raced.primitive}/${raced.scenario} ${raced.workers}w`);
    this.#groups.push(raced);
    this.#keep();
    return raced;
  }

  /** Ends the run and returns its record; undefined where nothing has raced. */
  end(): BenchRecord | undefined {
    const facts = this.#underWay?.end();
    return facts === undefined || this.#groups.length === 0 ? undefined : this.#recordOf(facts);
  }

  async #begun(stop: () => void): Promise<RunUnderWay> {
    if (this.#underWay !== undefined) return this.#underWay;
    this.#underWay = beginRun(this.#request, this.#identity);
    const { signal } = this.#underWay;
    signal.addEventListener("abort", stop);
    await this.#underWay.observe();
    if (!signal.aborted) process.stderr.write(`seed ${this.#request.seed}\n`);
    return this.#underWay;
  }

  #recordOf(facts: ReturnType<RunUnderWay["facts"]>): BenchRecord {
    const groups = [...this.#groups];
    return { kind: "bench", schemaVersion: SCHEMA_VERSION, ...facts, groups, simulations: [], surveys: [] };
  }

  #keep(): void {
    const { keptIn } = this.#identity;
    if (keptIn === undefined) return;
    const record = this.#recordOf(this.#underWay!.facts());
    this.#kept.keep(localPath(record, keptIn), record, this.#groups.length);
  }
}
