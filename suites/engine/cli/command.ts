#!/usr/bin/env node
import { readFileSync } from "node:fs";
import module from "node:module";
import { onInterruption } from "../measure/machine/interruption.ts";
import { COMMAND, callOf } from "./arguments.ts";
import { helpText } from "./command-line.ts";
import { EXIT, lineOf, UsageError } from "./usage.ts";

/** `hotpath-race`: races bench files. What a call does not need is not imported. */

async function main(args: readonly string[], signal: AbortSignal): Promise<number> {
  const call = callOf(args);
  const { stdout: out, stderr: err } = process;
  const output = () => ({ out, err, tool: tool(), startedMs: 0, signal });
  switch (call.kind) {
    case "help":
      out.write(helpText(COMMAND));
      return EXIT.ok;
    case "version":
      out.write(`${tool()}\n`);
      return EXIT.ok;
    case "init": {
      const { writeWorkflows } = await import("./race-base.ts");
      const samples = new URL("../workflows/", import.meta.url);
      for (const path of writeWorkflows(process.cwd(), samples, call.isReplacing))
        out.write(`wrote ${path}\n`);
      out.write("GitHub comments on pull requests once both are on the default branch\n");
      return EXIT.ok;
    }
    case "commands": {
      const { raceCommands } = await import("./race-base.ts");
      return raceCommands(call.request, output());
    }
    case "race": {
      refuseRuntime();
      const { request } = call;
      const { raceBase, raceFiles } = await import("./race-base.ts");
      const { base } = request;
      return base === undefined ? raceFiles(request, output()) : raceBase(request, base, output());
    }
  }
}

/** Name and version of this package. */
function tool(): string {
  const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  const { name, version } = JSON.parse(manifest) as Record<"name" | "version", string>;
  return `${name} ${version}`;
}

/** Throws a UsageError on a runtime that cannot put stand-ins in the place of packages. */
function refuseRuntime(): void {
  if (module.registerHooks !== undefined) return;
  const { node, bun, deno } = process.versions;
  const own = bun !== undefined ? `Bun ${bun}` : deno !== undefined ? `Deno ${deno}` : `Node ${node}`;
  throw new UsageError(`hotpath-race needs Node 22.15 or newer, and this is ${own}`);
}

const { signal } = onInterruption();
// A reader that has seen enough (`| head`) is no error.
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
// Not awaited here: chunks of the package that main imports import this one, and would wait for it while it waits for them.
main(process.argv.slice(2), signal).then(
  (code) => {
    process.exitCode = code;
  },
  (error) => {
    process.stderr.write(`${lineOf(error)}\n`);
    process.exitCode = error instanceof UsageError ? EXIT.usage : EXIT.failed;
  },
);
