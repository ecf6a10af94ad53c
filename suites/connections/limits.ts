import { readFileSync } from "node:fs";
import { platform } from "node:os";

/**
 * How many connections a machine has descriptors and ports for. Every connection takes a descriptor of its server
 * process, one of its client process, and a port of the address that it comes from.
 */
export interface Limits {
  /** Descriptors that one process may have open: `ulimit -n`. */
  readonly openFiles: number;
  /** Ports that one source address has for outgoing connections. */
  readonly ports: number;
  /** Source addresses. */
  readonly addresses: number;
}

/** What else a process has open: its channel, its event loop, modules while they are read. */
const OTHER_FILES = 100;
/**
 * On Linux all of 127.0.0.0/8 is this machine. It moves to the next address after this number of connections, some of
 * which are still closing.
 */
const PER_ADDRESS = 10_000;
const ADDRESSES_ON_LINUX = 2 ** 16;
/** What RFC 6335 leaves to outgoing connections, where the system does not say. */
const USUAL_PORTS = 2 ** 14;

export function limitsHere(): Limits {
  const isLinux = platform() === "linux";
  return {
    openFiles: openFilesHere(),
    ports: isLinux ? portsOfLinux() : USUAL_PORTS,
    addresses: isLinux ? ADDRESSES_ON_LINUX : 1,
  };
}

/** How many of the connections asked for there is room for, and one line that says why not all, if not. */
export function roomFor(
  asked: number,
  { servers, clients }: { readonly servers: number; readonly clients: number },
  { openFiles, ports, addresses }: Limits,
): { readonly taken: number; readonly shortage?: string } {
  const perProcess = Math.max(0, openFiles - OTHER_FILES);
  const byFiles = perProcess * Math.min(servers, clients);
  const byPorts = ports * addresses;
  const taken = Math.min(asked, byFiles, byPorts);
  if (taken === asked) return { taken };
  const found =
    byFiles <= byPorts
      ? `ulimit -n is ${openFiles} for each of ${servers} server and ${clients} client processes`
      : `the one source address has ${ports} ports`;
  return { taken, shortage: `${found}: takes ${taken} of ${asked} connections` };
}

function openFilesHere(): number {
  const report = process.report.getReport() as unknown as {
    readonly userLimits?: { readonly open_files: { readonly soft: number | "unlimited" } };
  };
  const soft = report.userLimits?.open_files.soft ?? "unlimited";
  return soft === "unlimited" ? Number.POSITIVE_INFINITY : Number(soft);
}

function portsOfLinux(): number {
  const [first, last] = readFileSync("/proc/sys/net/ipv4/ip_local_port_range", "utf8").trim().split(/\s+/);
  return Number(last) - Number(first) + 1;
}

let connected = 0;

/** Where the next connection of this process is to come from: an address of its own that has ports left. */
export function localAddress(): { readonly localAddress?: string } {
  if (platform() !== "linux") return {};
  const turn = Math.floor(connected++ / PER_ADDRESS);
  // By process, so that no two share an address and its ports; 127.0.0.0/16 is left to others.
  const second = 1 + (process.pid % 254);
  const third = Math.floor(process.pid / 254) % 256;
  return { localAddress: `127.${second}.${third}.${1 + (turn % 254)}` };
}
