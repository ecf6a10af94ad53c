import { spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { command, runCommand } from "../../suites/lab/command/command.ts";
import { EXIT, shownPath, UsageError } from "../../suites/lab/command/usage.ts";
import { checkWritable, RESULTS, writeAll } from "../../suites/lab/store/results.ts";
import { publishedData } from "./data.ts";
import { siteFiles } from "./site.ts";

const COMMAND = command({
  about: "Makes an interactive page of all published results, and opens it.",
  usage: {
    "npm run explore": "make results/site/index.html from all published records, and open it in a browser",
  },
  before: `On the page you choose any competitor as the baseline and filter by requirements; the browser judges with the lab's
    own code. It needs no server: its folder can be opened from a disk or put anywhere.`,
  options: {
    out: { value: "DIR", help: "where the site goes instead of results/site", isPath: true },
    repository: {
      value: "URL",
      default: "../../",
      help: "the prefix of links to files of the repository (default: relative to results/site)",
    },
    history: {
      value: "FILE",
      help: `the history that trends are made from, if the file exists; may be given several times (default
        results/local/history.ndjson and results/local/history-runtimes.ndjson)`,
      isPath: true,
      multiple: true,
    },
    "no-open": { help: "make the page without opening it" },
  },
  exits: { 0: "done", 2: "a record cannot be read, or the request was wrong" },
});

/** Where nights are kept by default. */
const HISTORIES = ["history.ndjson", "history-runtimes.ndjson"].map((file) => join(RESULTS, "local", file));

await runCommand(COMMAND, async ({ options, words }) => {
  if (words.length > 0) throw new UsageError(`explore takes no words: remove ${words.join(", ")}`);
  if (!options.repository.endsWith("/")) {
    throw new UsageError(`--repository ${options.repository} is not a folder: end it with /`);
  }
  const folder = resolve(options.out ?? join(RESULTS, "site"));
  checkWritable(folder, "--out DIR");
  const published = await publishedData(options.history.length === 0 ? HISTORIES : options.history);
  const files = await siteFiles(folder, published, options.repository);
  writeAll(files);
  const page = join(folder, "index.html");
  process.stderr.write(`wrote ${shownPath(page)} and ${files.size - 1} files beside it\n`);
  if (!options["no-open"] && process.stdout.isTTY) open(page);
  return EXIT.ok;
});

/** In whatever the person's system opens pages with; where it has nothing, the path was printed. */
function open(page: string): void {
  const [opener, ...args] = process.platform === "darwin" ? ["open", page] : ["xdg-open", page];
  const child = spawn(opener!, args, { detached: true, stdio: "ignore" });
  child.on("error", () =>
    process.stderr.write("no program was found to open it with: open it in a browser\n"),
  );
  child.unref();
}
