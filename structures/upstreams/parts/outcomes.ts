/**
 * Whether a request that was never sent failed because its upstream could not be reached. Any error of a connector
 * means that, whatever its code. What undici itself refuses to send, or was stopped from sending, does not.
 */
export function isUnreachable(error: unknown): boolean {
  return !REFUSED.test(codeOf(error));
}

const REFUSED =
  /^UND_ERR_(?:INVALID_ARG|INVALID_RETURN_VALUE|NOT_SUPPORTED|REQ_CONTENT_LENGTH_MISMATCH|ABORTED?|DESTROYED|CLOSED)$/;

/**
 * Whether a request that was sent failed because of its upstream or the connection to it. Not so for an error of the
 * request's body, of the caller's handler, or of a limit that the caller set.
 */
export function isUpstreamFault(error: unknown): boolean {
  return FAULTS.test(codeOf(error));
}

const FAULTS =
  /^(?:UND_ERR_(?:SOCKET|HEADERS_TIMEOUT|BODY_TIMEOUT|HEADERS_OVERFLOW|RES_CONTENT_LENGTH_MISMATCH)|E(?:CONN(?:RESET|REFUSED|ABORTED)|PIPE|TIMEDOUT|HOSTUNREACH|HOSTDOWN|NETUNREACH|NETDOWN)|HPE_.*|ERR_(?:HTTP2|SSL|TLS)_.*)$/;

function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === "string" ? code : "";
}
