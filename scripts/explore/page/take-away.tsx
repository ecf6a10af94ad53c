import { useState } from "preact/hooks";
import type { ContestProps } from "./contest.ts";
import { matrixOn } from "./matrices.ts";
import { csvOf, markdownOf, matrixMarkdownOf, ndjsonOf } from "./texts.ts";

/** The table as text: to the clipboard, or as a file. */
export function TakeAway({ data, contest, view }: ContestProps) {
  const [told, tell] = useState("");
  const [shown, show] = useState<string>();
  const { primitive, scenario } = contest.judged;
  const seen = view.show === "runtimes" ? matrixOn(data, contest, view.record) : undefined;
  const markdown = () =>
    seen === undefined ? markdownOf(data, contest, location.href) : matrixMarkdownOf(seen, location.href);
  const races = seen === undefined ? [contest.judged] : seen.races;
  const workers = races[0]!.conditions[0]!.workers;
  const name = `${primitive}-${scenario}-${workers}w${seen === undefined ? "" : "-runtimes"}`;
  const copy = (what: string, text: string) => {
    navigator.clipboard.writeText(text).then(
      () => tell(`${what} copied`),
      () => {
        tell("the browser does not let this page write to the clipboard: copy it from here");
        show(text);
      },
    );
  };
  return (
    <p class="take-away">
      <button type="button" onClick={() => copy("table", markdown())}>
        Copy as markdown
      </button>
      <button type="button" onClick={() => copy("link", location.href)}>
        Copy link
      </button>
      <button type="button" onClick={() => save(`${name}.csv`, "text/csv", csvOf(races))}>
        CSV
      </button>
      <button
        type="button"
        onClick={() => save(`${name}.verdicts.ndjson`, "application/x-ndjson", ndjsonOf(races))}
      >
        Verdicts as NDJSON
      </button>{" "}
      <span role="status">{told}</span>
      {shown !== undefined && <textarea readOnly rows={8} aria-label="the text to copy" value={shown} />}
    </p>
  );
}

function save(name: string, type: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
