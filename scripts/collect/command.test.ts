import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type Ended, itRefusesAsWritten } from "../../suites/lab/command/command.trials.ts";
import { brokerAbsent } from "../../suites/ownership/collectors/broker.ts";
import { withBroker } from "../../suites/ownership/collectors/run.ts";

const COMMAND = join(import.meta.dirname, "command.ts");

function call(args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [COMMAND, ...args], (_, stdout, stderr) =>
      resolve({ status: child.exitCode, stdout, stderr }),
    );
  });
}

describe("collect", () => {
  itRefusesAsWritten(join(import.meta.dirname, "testdata/refusals.txt"), call, import.meta.dirname);

  it("has two collectors agree over a broker", { skip: brokerAbsent() ?? false }, async () => {
    await withBroker(async ({ servers }) => {
      const ended = await Promise.all(
        ["0", "1"].map((node) => call(["--node", node, "--of", "2", "--broker", servers])),
      );
      const digests = ended.map(({ status, stdout, stderr }) => {
        assert.equal(status, 0, stderr);
        return /ranges known when the last flow began: ([0-9a-f]{16})$/m.exec(stdout)![1];
      });
      assert.equal(digests[0], digests[1]);
    });
  });
});
