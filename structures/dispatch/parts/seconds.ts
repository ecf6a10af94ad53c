import { LATEST_SECOND, LONGEST_REACH, LONGEST_RUN, MOST_CLIENTS } from "../dispatch.contract.ts";

/** What a list does with the numbers that it is given; each throws the errors that the contract promises. */

/** The check every `create` starts with. */
export function assertSetup(clients: number, reach: number, start: number): void {
  if (!(Number.isInteger(clients) && clients >= 1 && clients <= MOST_CLIENTS))
    throw new RangeError(`clients ${clients} is not an integer in 1 .. ${MOST_CLIENTS}`);
  if (!(Number.isInteger(reach) && reach >= 1 && reach <= LONGEST_REACH))
    throw new RangeError(`reach ${reach} is not an integer of seconds in 1 .. ${LONGEST_REACH}`);
  if (!(Number.isInteger(start) && start >= 0 && start <= LATEST_SECOND))
    throw new RangeError(`start ${start} is not an integer of seconds in 0 .. ${LATEST_SECOND}`);
}

/** The last second to which the clock of a list goes that begins at `start`. */
export function lastSecond(start: number): number {
  return Math.min(start + LONGEST_RUN, LATEST_SECOND);
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
    throw new RangeError(
      `deadline ${deadline} is no second within ${reach} of the clock, ${clock}: it begins at create's start and take moves it`,
    );
  return deadline > clock ? deadline : clock;
}

/** Where the clock stands after it was asked to go to `now`; `last` is its lastSecond. */
export function clockAfter(now: number, clock: number, last: number): number {
  if ((now | 0) !== now || now > last)
    throw new RangeError(`now ${now} is no second up to ${last}: give create the present as its start`);
  return now > clock ? now : clock;
}

export function alreadyListed(client: number): Error {
  return new Error(`client ${client} is listed already`);
}
