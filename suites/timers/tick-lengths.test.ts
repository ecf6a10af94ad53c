import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { systemCallsIn } from "./tick-lengths.ts";

describe("system calls in a summary of strace's", () => {
  it("are the sum of all rows, including rows with errors, without the total", () => {
    const summary = [
      "strace: Process 4711 attached with 11 threads",
      "strace: Process 4711 detached",
      "% time     seconds  usecs/call     calls    errors syscall",
      "------ ----------- ----------- --------- --------- ----------------",
      " 62.50    0.000050           0       120           epoll_pwait",
      " 37.50    0.000030           1        30         7 futex",
      "  0.00    0.000000           0         2           read",
      "------ ----------- ----------- --------- --------- ----------------",
      "100.00    0.000080           0       152         7 total",
      "",
    ].join("\n");
    assert.equal(systemCallsIn(summary), 152);
  });

  it("are unknown where it counted none", () => {
    assert.equal(
      systemCallsIn("strace: attach: ptrace(PTRACE_SEIZE, 1): Operation not permitted\n"),
      undefined,
    );
  });
});
