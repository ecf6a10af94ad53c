import { LATEST_SECOND, LONGEST_REACH, MOST_CLIENTS } from "../dispatch.contract.ts";

/** What a list does with the numbers that it is given; each throws the errors that the contract promises. */

/** The check every `create` starts with. */
export function assertSizes(clients: number, reach: number): void {
  if (!(Number.isInteger(clients) && clients >= 1 && clients <= MOST_CLIENTS))
    throw new RangeError(`clients ${clients} is not an integer in 1 .. ${MOST_CLIENTS}`);
  if (!(Number.isInteger(reach) && reach >= 1 && reach <= LONGEST_REACH))
    throw new RangeError(`reach ${reach} is not an integer of seconds in 1 .. ${LONGEST_REACH}`);
}

export function isClient(client: number, clients: number): boolean {
  return client >>> 0 === client && client < clients;
}

/** The second at which a client entered for `deadline` is due. */
export function deadlineSecond(
  client: number,
  deadline: number,
  clients: number,
  clock: number,
  reach: number,
): number {
  if (!isClient(client, clients)) throw new RangeError(`client ${client} is not in 0 .. ${clients - 1}`);
  if ((deadline | 0) !== deadline || deadline > clock + reach)
    throw new RangeError(`deadline ${deadline} is no second within ${reach} of the clock, ${clock}`);
  return deadline > clock ? deadline : clock;
}

/** Where the clock stands after it was asked to go to `now`. */
export function clockAfter(now: number, clock: number): number {
  if ((now | 0) !== now || now > LATEST_SECOND)
    throw new RangeError(`now ${now} is no second up to ${LATEST_SECOND}`);
  return now > clock ? now : clock;
}

export function alreadyListed(client: number): Error {
  return new Error(`client ${client} is listed already`);
}
