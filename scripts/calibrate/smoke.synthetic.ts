import type { Request } from "../../suites/lab/plan/asked.ts";
import { SMOKE, smokeRequest } from "../../suites/lab/request.synthetic.ts";

/** Slices that the lab takes of each crew. */
export const ROUNDS = 12;

/** Of this number of slices, each crew warmed up and judged as in a calibration. */
export function calibrationRequest(filters: readonly string[]): Promise<Request> {
  const profile = { ...SMOKE, secondsPerCell: 1, precision: 0.01, exactly: { forks: 1, rounds: ROUNDS } };
  return smokeRequest({ filters, profile });
}
