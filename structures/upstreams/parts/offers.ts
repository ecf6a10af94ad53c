/** Calls of dispatch that are under way, one within the other: a set's, a pool's, a client's. */
let underWay = 0;
let refusals = 0;

/**
 * Has undici take a request, and returns whether it has room for another. It has after a refusal, too, where undici 6 and 7
 * answer as if they were full.
 */
export function offered(dispatch: () => boolean): boolean {
  const before = refusals;
  underWay++;
  try {
    return dispatch() || refusals > before;
  } finally {
    underWay--;
  }
}

/** Whether a request that was not sent, and whose handler hears of an error now, is refused by undici itself. */
export function isRefused(): boolean {
  // Whatever else may fail, such as a connection, does so later.
  if (underWay === 0) return false;
  refusals++;
  return true;
}
