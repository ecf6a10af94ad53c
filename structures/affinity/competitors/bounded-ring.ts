import { bounded } from "../parts/bounded.ts";
import ring from "./ring.ts";

/**
 * The placement of ring with bounded loads: none above 1.25 times the average of what is in flight.
 *
 * Promise: ring's while no member is at its bound; the bound always, unless the others are avoided.
 * Progress: wait-free.
 * Threads: any; each has its own handle, and bounds what it has in flight itself.
 * Cost: ring's, and two counters. In a crowd, a look at each member that has no room.
 * Memory: private: ring's, and two words for each member.
 * Limits: ring's. Keys that are asked for very often lose their place while their member is at its bound.
 * Bet: what the bound costs is small beside the hash.
 * Source: parts/bounded.ts; Vimeo, "Improving load balancing with a new consistent-hashing algorithm", 2016, for 1.25.
 */
export default bounded(ring, 1.25);
