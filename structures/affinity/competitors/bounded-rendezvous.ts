import { bounded } from "../parts/bounded.ts";
import rendezvous from "./rendezvous.ts";

/**
 * The placement of rendezvous with bounded loads: none above 1.25 times the average of what is in flight.
 *
 * Promise: rendezvous's while no member is at its bound; the bound always, unless the others are avoided.
 * Progress: wait-free.
 * Threads: any; each has its own handle, and bounds what it has in flight itself.
 * Cost: rendezvous's, and two counters. In a crowd, a look at each member that has no room.
 * Memory: private: rendezvous's, and two words for each member.
 * Limits: rendezvous's. Keys that are asked for very often lose their place while their member is at its bound.
 * Bet: what the bound costs is small beside the hash.
 * Source: parts/bounded.ts; Vimeo, "Improving load balancing with a new consistent-hashing algorithm", 2016, for 1.25.
 */
export default bounded(rendezvous, 1.25);
