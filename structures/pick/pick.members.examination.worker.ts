import { loadCompetitor } from "../catalog.ts";
import { STRIDE_WORDS } from "../shared/layout.ts";
import { checkedIndex } from "./parts/simulation.ts";
import { contract, type PickCompetitor } from "./pick.contract.ts";
import { attachPicker } from "./pick.instance.ts";
import { columnOf, ENDED, type MembersReport, type MembersTask, STEPS } from "./pick.members.examination.ts";

/** One worker beside a thread that changes members: picks until it is over and returns what it got. */
export default async function work(task: MembersTask): Promise<MembersReport> {
  const { url, instance, index, schedule, progress, made } = task;
  const { backends } = instance.setup;
  const competitor = (await loadCompetitor(url, contract)) as PickCompetitor;
  const picker = attachPicker(competitor, instance, index);
  const columns = backends + 1;
  const counts = new Int32Array((schedule.length / backends) * columns);
  let picks = 0;
  let strays = 0;

  /** Whether it was a member after any of these changes. */
  function wasMember(backend: number, first: number, last: number): boolean {
    for (let change = first; change <= last; change++)
      if (schedule[change * backends + backend]! > 0) return true;
    return false;
  }

  while (Atomics.load(progress, ENDED) === 0) {
    const before = Atomics.load(progress, STEPS);
    const backend = checkedIndex(picker.pick());
    const after = Atomics.load(progress, STEPS);
    const returned = before >> 1;
    const begun = (after + 1) >> 1;
    const column = columnOf(backend, backends);
    if (column < backends && !wasMember(backend, returned, begun)) strays++;
    if (before % 2 === 0) counts[returned * columns + column]!++;
    picks++;
    Atomics.store(made, index * STRIDE_WORDS, picks);
  }
  return { picks, strays, counts };
}
