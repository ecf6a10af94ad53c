#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { callOf, EXIT, helpText, lineOf, orUsageError, UsageError } from "./arguments.ts";

/** `hotpath-race`: races bench files. What a call does not need is not imported. */

async function main(args: readonly string[], signal: AbortSignal): Promise<number> {
  const call = callOf(args);
  const { stdout: out, stderr: err } = process;
  switch (call.kind) {
    case "help":
      out.write(helpText());
      return EXIT.ok;
    case "version":
      out.write(`${tool()}\n`);
      return EXIT.ok;
    case "judge": {
      const { judgeCommand } = await import("./history/judge-series.ts");
      const { text, exitCode } = orUsageError(() => judgeCommand(call.args));
      out.write(text);
      return exitCode;
    }
    case "init": {
      const { writeWorkflow } = await import("./commits/workflow.ts");
      out.write(`wrote ${orUsageError(() => writeWorkflow(process.cwd()))}\n`);
      return EXIT.ok;
    }
    case "race": {
      const { request } = call;
      const output = { out, err, tool: tool(), signal };
      if (request.base === undefined) return (await import("./race-files.ts")).raceFiles(request, output);
      return (await import("./race-base.ts")).raceBase(request, request.base, output);
    }
  }
}

/** Name and version of this package. */
function tool(): string {
  const manifest = findPackageJSON("..", import.meta.url)!;
  const { name, version } = JSON.parse(readFileSync(manifest, "utf8")) as Record<"name" | "version", string>;
  return `${name} ${version}`;
}

const interrupted = new AbortController();
const interrupt = () => interrupted.abort();
process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
// A reader that has seen enough (`| head`) is no error.
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
try {
  process.exitCode = await main(process.argv.slice(2), interrupted.signal);
} catch (error) {
  process.stderr.write(`${lineOf(error)}\n`);
  process.exitCode = error instanceof UsageError ? EXIT.usage : EXIT.failed;
}
