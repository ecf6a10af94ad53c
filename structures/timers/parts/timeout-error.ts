/** The reason of a signal whose time is over, as AbortSignal.timeout gives it. */
export function timeoutError(): DOMException {
  return new DOMException("The operation was aborted due to timeout", "TimeoutError");
}
