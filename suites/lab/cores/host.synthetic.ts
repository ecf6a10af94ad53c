import { CellSimulation } from "./cell-simulation.ts";
import { answering } from "./hosted.ts";
import type { Simulated, Task } from "./machine/simulated.ts";
import { figuresOf } from "./record.synthetic.ts";

/**
 * A host for tests: an operation takes its local work, and an update for each worker. The competitor "throws" is one that
 * cannot be simulated at two workers, and "dies" takes its process along. "never-ends" keeps silent.
 */
export default answering(
  new CellSimulation({
    async simulateInTurn(first, further) {
      const figures = await simulate(first);
      return [figures, ...(await Promise.all(further(figures).map(simulate)))];
    },
  }),
);

async function simulate({ competitor, workers, localNs, costs, operations }: Task): Promise<Simulated> {
  if (competitor === "throws" && workers > 1) throw new Error("it threw: no words\nand a stack");
  if (competitor === "dies") process.exit(3);
  if (competitor === "never-ends") await new Promise(() => {});
  return figuresOf(localNs + workers * costs.update, Array(workers).fill(operations / workers));
}
