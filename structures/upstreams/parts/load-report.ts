/** What a server reports of itself with an answer. */
export interface LoadReport {
  /**
   * How much it has to do, a whole number in 0 .. 2^32 - 1: requests in flight, or anything that grows with its load and
   * that all servers measure alike.
   */
  readonly load: number;
  /** How long it expects a request to take, in ms. If absent, as long as the one that it answered. */
  readonly latencyMs?: number | undefined;
}

/** The header that carries an ORCA load report. */
export const ORCA_HEADER = "endpoint-load-metrics";

/**
 * The load in an ORCA report, as Envoy and gRPC read them, in the formats TEXT and JSON:
 *
 *     endpoint-load-metrics: TEXT application_utilization=0.75,named_metrics.requests_in_flight=12
 *     endpoint-load-metrics: JSON {"cpu_utilization":0.75}
 *
 * The load is the metric `named_metrics.requests_in_flight`. Where there is none it is the application's utilization, else
 * that of the CPU, in thousandths. Undefined where the report has none of them, is in the format BIN, or is malformed.
 *
 * Source: cncf/xds, xds/data/orca/v3/orca_load_report.proto; Envoy, source/common/orca/orca_parser.h.
 */
export function orcaReport(header: string): LoadReport | undefined {
  const metrics = metricsIn(header.trim());
  const inFlight = metrics.get("named_metrics.requests_in_flight");
  const utilization = metrics.get("application_utilization") ?? metrics.get("cpu_utilization");
  const load = Math.round(inFlight ?? (utilization ?? Number.NaN) * 1000);
  return load >>> 0 === load ? { load } : undefined;
}

function metricsIn(report: string): ReadonlyMap<string, number> {
  const format = report.slice(0, FORMAT_LENGTH);
  const rest = report.slice(FORMAT_LENGTH);
  if (format === "JSON ") return metricsInJson(rest);
  if (format !== "TEXT ") return new Map();
  const pairs = rest.split(",").map((pair) => pair.split("="));
  return new Map(pairs.map(([name = "", value = ""]) => [name.trim(), Number.parseFloat(value)]));
}

const FORMAT_LENGTH = "TEXT ".length;

function metricsInJson(json: string): ReadonlyMap<string, number> {
  const metrics = new Map<string, number>();
  const add = (prefix: string, values: unknown) => {
    for (const [name, value] of Object.entries(values ?? {})) {
      if (typeof value === "number") metrics.set(prefix + name, value);
      else if (prefix === "" && name === "named_metrics") add("named_metrics.", value);
    }
  };
  try {
    add("", JSON.parse(json));
  } catch {
    // A malformed report is none.
  }
  return metrics;
}
