import { Component, type ComponentChildren, render } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { scenarioOf } from "../../../suites/engine/measure/plan/plan.ts";
import { shortProvenance } from "../../../suites/engine/render/pages/pages.ts";
import { raceTitle } from "../../../suites/engine/render/tables/races.ts";
import { isOnRuntimes } from "../../../suites/engine/schema/record.ts";
import { type Go, HOME, hashOf, SHOWS, type Show, type View, viewOf } from "./address.ts";
import { type ContestProps, contestOf, racesIn } from "./contest.ts";
import { Flames } from "./flame-view.tsx";
import { Growth } from "./growth.tsx";
import { Inline } from "./inline.tsx";
import { loadPrimitive, loadRuntimes, siteIndex } from "./load.ts";
import { primitivesOf, recordFrom, textOf, withOwn } from "./own-records.ts";
import { Processes } from "./process-strips.tsx";
import { Quality } from "./quality.tsx";
import { Ranking } from "./ranking.tsx";
import { Records } from "./records.tsx";
import { Requirements } from "./requirements.tsx";
import { Runtimes } from "./runtimes.tsx";
import {
  type PrimitiveData,
  primitiveFile,
  type RecordFile,
  runtimesFile,
  type SiteIndex,
} from "./site-data.ts";
import { SourceLinks } from "./source-links.tsx";
import { TakeAway } from "./take-away.tsx";

const TITLES: Readonly<Record<Show, string>> = {
  ranking: "Who wins",
  quality: "Speed and quality",
  processes: "Every process",
  curve: "Growth",
  records: "Over time",
  runtimes: "On other runtimes",
  flames: "Where time goes",
};

function Page({ index }: { index: SiteIndex }) {
  const [view, setView] = useState(() => viewOf(location.hash));
  const [own, setOwn] = useState<readonly RecordFile[]>([]);
  const [told, tell] = useState("");
  useEffect(() => {
    const follow = () => setView(viewOf(location.hash));
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  const { primitive } = view;
  useEffect(() => {
    document.title = primitive === undefined ? "hotpath-lab" : `${primitive} · hotpath-lab`;
  }, [primitive]);
  const take = async (files: Iterable<File>) => {
    for (const file of files) {
      try {
        const mine = recordFrom(file.name, await textOf(file));
        const known = primitivesOf(mine).filter((name) =>
          index.primitives.some((entry) => entry.primitive === name),
        );
        if (known.length === 0)
          throw new Error(`${file.name} holds nothing of a primitive that is published here`);
        setOwn((before) => [...before.filter((other) => other.file !== mine.file), mine]);
        tell(`${file.name} is shown among the records of ${known.join(", ")}; it has not left this browser`);
        location.hash = hashOf(firstViewOf(mine, known[0]!));
      } catch (error) {
        tell((error as Error).message);
      }
    }
  };
  useEffect(() => {
    const over = (event: DragEvent) => event.preventDefault();
    const drop = (event: DragEvent) => {
      event.preventDefault();
      void take(event.dataTransfer?.files ?? []);
    };
    addEventListener("dragover", over);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("drop", drop);
    };
  });
  const entry = index.primitives.find((known) => known.primitive === primitive);
  return (
    <>
      <header>
        <button type="button" class="skip" onClick={skip}>
          To the content
        </button>
        <h1>
          <a href="#/">hotpath-lab</a>
        </h1>
        <nav aria-label="Primitives">
          {index.primitives.map(({ primitive: name }) => (
            <a
              key={name}
              href={hashOf({ ...HOME, primitive: name })}
              aria-current={name === primitive && "page"}
            >
              {name}
            </a>
          ))}
        </nav>
      </header>
      <main id="content" tabIndex={-1}>
        {primitive === undefined && <Home index={index} />}
        {primitive !== undefined && entry === undefined && (
          <p role="alert">There is no primitive {primitive} here.</p>
        )}
        {entry !== undefined && <Loaded key={entry.primitive} {...{ view, own, entry, index }} />}
      </main>
      <footer>
        <label>
          A record of your own, which stays in this browser: choose it, or drop it on the page{" "}
          <input
            type="file"
            accept=".json,.gz"
            multiple
            onChange={({ currentTarget: { files } }) => void take(files ?? [])}
          />
        </label>
        <p role="status">{told}</p>
      </footer>
    </>
  );
}

/** What a record of the reader's own is looked at first in. */
function firstViewOf({ record }: RecordFile, primitive: string): View {
  const scenario = record.groups.find((group) => group.primitive === primitive)?.scenario;
  if (scenario === undefined) return { ...HOME, primitive };
  const view = { ...HOME, primitive, scenario: scenarioOf(scenario) };
  return isOnRuntimes(record) ? { ...view, show: "runtimes" } : view;
}

/** A button, because the address behind the # is the view's, so that no link can lead there. */
function skip(): void {
  document.getElementById("content")?.focus();
}

function Home({ index: { primitives, repository } }: { index: SiteIndex }) {
  return (
    <>
      <p>
        Structures compete, and records keep what was seen of them. Choose a question: its page shows who
        wins, how sure that is, where the time goes, and how it moved.
      </p>
      <Slower primitives={primitives} />
      <dl class="questions">
        {primitives.map(({ primitive, question, answer, newest, scenarios }) => (
          <div key={primitive}>
            <dt>
              <a href={hashOf({ ...HOME, primitive })}>{primitive}</a>: {question}
            </dt>
            <dd>
              {answer !== undefined && <Inline text={answer} />}{" "}
              <small>
                {scenarios} scenarios, newest record of {newest.slice(0, 10)},{" "}
                <a href={`${repository}results/${primitive}/README.md`}>all tables of {primitive}</a>
              </small>
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

/** Whether anything got slower, of all primitives that nights are known of. */
function Slower({ primitives }: Pick<SiteIndex, "primitives">) {
  const last = primitives
    .flatMap(({ nights }) => nights?.last ?? [])
    .toSorted()
    .at(-1);
  if (last === undefined) {
    return (
      <p role="status">
        Whether anything got slower lately is not known: this page was made without a history of nights.
      </p>
    );
  }
  const slower = primitives.flatMap(({ primitive, nights }) =>
    nights?.slowerSince === undefined ? [] : [{ primitive, since: nights.slowerSince }],
  );
  return (
    <p role="status">
      Nights until {last}:{" "}
      {slower.length === 0
        ? "nothing is confirmed to have got slower."
        : "confirmed to have got slower is something of "}
      {slower.map(({ primitive, since }, index) => (
        <>
          {index > 0 && ", "}
          <a href={hashOf({ ...HOME, primitive, show: "records" })}>{primitive}</a> (since {since})
        </>
      ))}
      {slower.length > 0 && "."}
    </p>
  );
}

type Entry = SiteIndex["primitives"][number];

function Loaded({
  view,
  own,
  entry,
  index,
}: {
  view: View;
  own: readonly RecordFile[];
  entry: Entry;
  index: SiteIndex;
}) {
  const { primitive, question } = entry;
  const [published, setPublished] = useState<PrimitiveData>();
  const [ownFault, setOwnFault] = useState<string>();
  const [runtimesFault, setRuntimesFault] = useState<string>();
  const isOfRuntimes = view.runtime !== undefined || view.show === "runtimes";
  const lacksRuntimes =
    isOfRuntimes &&
    published !== undefined &&
    published.runtimeRecords === undefined &&
    Object.keys(published.runtimes).length > 0;
  const file = isOfRuntimes ? runtimesFile(primitive) : primitiveFile(primitive);
  const fault = ownFault ?? (isOfRuntimes ? runtimesFault : undefined);
  useEffect(() => {
    loadPrimitive(primitive).then(setPublished, ({ message }: Error) => setOwnFault(message));
  }, [primitive]);
  useEffect(() => {
    if (!lacksRuntimes) return;
    loadRuntimes(primitive).then(
      ({ records }) => setPublished((before) => before && { ...before, runtimeRecords: records }),
      ({ message }: Error) => setRuntimesFault(message),
    );
  }, [primitive, lacksRuntimes]);
  const data = useMemo(
    () => (published === undefined || lacksRuntimes ? undefined : withOwn(published, own)),
    [published, lacksRuntimes, own],
  );
  return (
    <>
      <p class="question">{question}</p>
      {fault !== undefined && <p role="alert">{fault}</p>}
      {fault === undefined && data === undefined && <p role="status">Reading {file}</p>}
      {data !== undefined && (
        <Guard at={hashOf(view)} file={file}>
          <Shown {...{ data, view, repository: index.repository }} />
        </Guard>
      )}
    </>
  );
}

interface GuardProps {
  readonly file: string;
  /** What is shown. */
  readonly at: string;
  readonly children: ComponentChildren;
}

/** Data that have the right form and make no sense: the file is named, instead of an empty page. */
class Guard extends Component<GuardProps, { fault?: Error | undefined }> {
  override componentDidCatch(fault: Error): void {
    this.setState({ fault });
  }

  /** Another view may be whole. */
  override componentDidUpdate({ at }: GuardProps): void {
    if (at !== this.props.at && this.state.fault !== undefined) this.setState({ fault: undefined });
  }

  override render() {
    const { fault } = this.state;
    if (fault === undefined) return this.props.children;
    return (
      <p role="alert">
        {this.props.file} cannot be shown, and may be damaged: {fault.message}; make the site again with npm
        run explore
      </p>
    );
  }
}

function Shown({ data, view, repository }: { data: PrimitiveData; view: View; repository: string }) {
  const contest = contestOf(data, view);
  const go: Go = (changes) => {
    location.hash = hashOf({ ...view, ...changes });
  };
  if (contest === undefined)
    return (
      <p role="alert">
        No record has races of {view.scenario ?? data.primitive}
        {view.runtime !== undefined && ` on ${view.runtime}`}.
      </p>
    );
  const { judged, scenario, source } = contest;
  const shown = { data, contest, view, repository, go };
  return (
    <>
      <h2>{raceTitle(judged)}</h2>
      <p class="provenance">
        {shortProvenance(source.record)}.{" "}
        <SourceLinks {...{ source, scenario, repository }} primitive={data.primitive} />
      </p>
      <Choices {...shown} />
      {/* A profile is of one competitor, whatever the reader has hidden. */}
      {view.show !== "flames" && <Requirements {...shown} />}
      <nav class="shows" aria-label="Views">
        {SHOWS.map((show) => (
          <a key={show} href={hashOf({ ...view, show })} aria-current={show === view.show && "page"}>
            {TITLES[show]}
          </a>
        ))}
      </nav>
      <section aria-label={TITLES[view.show]}>
        {view.show === "ranking" && <Ranking {...shown} />}
        {view.show === "quality" && <Quality {...shown} />}
        {view.show === "processes" && <Processes {...shown} />}
        {view.show === "curve" && <Growth {...shown} />}
        {view.show === "records" && <Records {...shown} />}
        {view.show === "runtimes" && <Runtimes {...shown} />}
        {view.show === "flames" && <Flames {...shown} />}
      </section>
      <TakeAway {...shown} />
    </>
  );
}

/** Which races, and against what. */
function Choices({
  data,
  contest: { scenario, workers, conditions, baseline, baselines, racedBaseline, source, sources },
  view,
  go,
}: ContestProps) {
  return (
    <div class="fields">
      <label>
        Scenario{" "}
        <select
          value={scenario}
          onChange={({ currentTarget: { value } }) => {
            const isRacedThere = data.runtimes[value]?.some(({ name }) => name === view.runtime);
            go({ scenario: value, ...(isRacedThere ? {} : { runtime: "" }) });
          }}
        >
          {racesIn(data).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <RuntimeChoice runtimes={data.runtimes[scenario] ?? []} {...{ view, go }} />
      <fieldset>
        <legend>Workers</legend>
        {workers.map((count) => (
          <label key={count}>
            <input
              type="radio"
              name="workers"
              checked={count === conditions.workers}
              onChange={() => go({ workers: count })}
            />{" "}
            {count}
          </label>
        ))}
        {conditions.oversubscribed && <small>more than cores</small>}
      </fieldset>
      <label>
        Baseline{" "}
        <select
          value={baseline ?? ""}
          onChange={({ currentTarget: { value } }) => {
            go({ base: value });
          }}
        >
          {baseline === undefined && <option value="">none was raced</option>}
          {baselines.map((name) => (
            <option key={name} value={name}>
              {name === racedBaseline ? `${name} (raced as such)` : name}
            </option>
          ))}
        </select>
      </label>
      {sources.length > 1 && (
        <label>
          Record{" "}
          <select value={source.file} onChange={({ currentTarget: { value } }) => go({ record: value })}>
            {sources.map(({ file, isOwn, record: { methodVersion } }) => (
              <option key={file} value={file}>
                {isOwn ? `${file} (yours)` : `${file.slice(0, 18)}, method ${methodVersion}`}
              </option>
            ))}
          </select>
        </label>
      )}
    </div>
  );
}

/** The lab's own, or one of those that the scenario was raced on in records of their own. */
function RuntimeChoice({
  runtimes,
  view,
  go,
}: {
  runtimes: PrimitiveData["runtimes"][string];
  view: View;
  go: Go;
}) {
  if (runtimes.length === 0) return null;
  return (
    <label>
      Runtime{" "}
      <select
        value={view.runtime ?? ""}
        onChange={({ currentTarget: { value } }) => go({ runtime: value, record: "" })}
      >
        <option value="">the lab's own</option>
        {runtimes.map(({ name, version }) => (
          <option key={name} value={name}>
            {version}, in races of several
          </option>
        ))}
      </select>
    </label>
  );
}

render(<Page index={siteIndex()} />, document.getElementById("page")!);
