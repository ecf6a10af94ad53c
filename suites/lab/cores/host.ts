import { CellSimulation } from "./cell-simulation.ts";
import { answering } from "./hosted.ts";
import { Simulator } from "./machine/simulator.ts";

/** What a process does that simulates cells: called in a fork, once for each cell (see `CallJob`). */
export default answering(new CellSimulation(new Simulator()));
