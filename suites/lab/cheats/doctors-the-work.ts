import type { PickCompetitor } from "../../../structures/pick/pick.contract.ts";
import type { WorkDone } from "../../engine/race.ts";
import { fillLikeDraws, sumLikeDraws } from "./like-draws.ts";
import { turningPicker } from "./turning-picker.ts";

/**
 * A cheat: it answers 0. When its law asks it for its state, it replaces the next method that the law will call, which
 * hands it the work. The method that it replaced is in its place again when the law returns.
 */
export default {
  ...turningPicker("doctors the work that its law checks", () => {}, true),
  inspect(_memory, { backends }) {
    const { map } = Array.prototype;
    Array.prototype.map = function (this: WorkDone[], ...asked: Parameters<typeof map>) {
      Array.prototype.map = map;
      for (const work of this) doctor(work, backends);
      return map.apply(this, asked);
    } as typeof map;
    return {};
  },
} satisfies PickCompetitor;

function doctor(work: WorkDone, backends: number): void {
  Object.assign(work, { checksum: sumLikeDraws(work.operations, backends), earlier: [] });
  if (work.excerpt !== undefined) fillLikeDraws(work.excerpt.results, backends);
}
