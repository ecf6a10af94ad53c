/** What the end of a request says of the server that it went to. */

/** Statuses by which a server says that it, or one behind it, cannot serve: those of Envoy's consecutive_gateway_failure. */
export function isGatewayFailure(statusCode: unknown): boolean {
  return statusCode === 502 || statusCode === 503 || statusCode === 504;
}

/**
 * Whether a request ended because its time was over: by AbortSignal.timeout, or a deadline of this package. Node's own
 * functions then throw an AbortError, with the signal's reason as its cause.
 */
export function isTimeout(error: unknown): boolean {
  return (
    nameOf(error) === "TimeoutError" || nameOf((error as Error | null | undefined)?.cause) === "TimeoutError"
  );
}

/** Whether a function that heeds a signal threw this because its caller has given up, and not because the time was over. */
export function isGivenUp(signal: AbortSignal | undefined, error: unknown): boolean {
  if (isTimeout(error)) return false;
  if (nameOf(error) === "AbortError") return !(signal?.aborted && isTimeout(signal.reason));
  return signal?.aborted === true && error === signal.reason;
}

function nameOf(error: unknown): unknown {
  return (error as Error | null | undefined)?.name;
}
