import { bounded } from "../parts/bounded.ts";
import maglev from "./maglev.ts";

/**
 * The placement of maglev with bounded loads: none above 1.25 times the average of what is in flight.
 *
 * Promise: maglev's while no member is at its bound; the bound always, unless the others are avoided.
 * Progress: wait-free.
 * Threads: any; each has its own handle, and bounds what it has in flight itself.
 * Cost: maglev's, and two counters. In a crowd, a look at each member that has no room.
 * Memory: private: maglev's, and two words for each member.
 * Limits: maglev's. Keys that are asked for very often lose their place while their member is at its bound.
 * Bet: what the bound costs is small beside the hash.
 * Source: parts/bounded.ts; Vimeo, "Improving load balancing with a new consistent-hashing algorithm", 2016, for 1.25.
 */
export default bounded(maglev, 1.25);
