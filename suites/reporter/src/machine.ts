/** The machine that a run was made on, as a line of provenance. */
import { arch, availableParallelism, cpus, platform } from "node:os";
import type { LabelledValue } from "./table.ts";

/** CPU, cores that this process may use, system and Node's version, of the machine on which it is called. */
export function machineLine(): LabelledValue {
  const cores = availableParallelism();
  const cpu = cpus()[0]?.model.trim() || "unknown CPU";
  return [
    "Machine",
    `${cpu}, ${cores} ${cores === 1 ? "core" : "cores"}, ${platform()} ${arch()}, node ${process.versions.node}`,
  ];
}
