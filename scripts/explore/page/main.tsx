import { Component, type ComponentChildren, render } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { scenarioOf } from "../../../suites/engine/measure/plan/plan.ts";
import { isOnRuntimes } from "../../../suites/engine/schema/record.ts";
import { shortProvenance } from "../../../suites/lab/pages/pages.ts";
import { raceTitle } from "../../../suites/lab/tables/races.ts";
import { type Go, HOME, hashOf, SHOWS, type Show, type View, viewOf } from "./address.ts";
import { type ContestProps, contestOf, racesIn } from "./contest.ts";
import { Choice, Radios } from "./fields.tsx";
import { Flames } from "./flame-view.tsx";
import { Growth } from "./growth.tsx";
import { Inline } from "./inline.tsx";
import { loadPrimitive, siteIndex } from "./load.ts";
import { runtimesIn } from "./matrices.ts";
import { primitivesOf, recordFrom, textOf, withOwn } from "./own-records.ts";
import { Processes } from "./process-strips.tsx";
import { Quality } from "./quality.tsx";
import { Ranking } from "./ranking.tsx";
import { Records } from "./records.tsx";
import { Requirements } from "./requirements.tsx";
import { Runtimes } from "./runtimes.tsx";
import { Simulated } from "./simulated.tsx";
import { type PrimitiveData, primitiveFile, type RecordFile, type SiteIndex } from "./site-data.ts";
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
  simulated: "With more cores (simulated)",
};

function Page({ index }: { index: SiteIndex }) {
  const [view, setView] = useState(() => viewOf(location.hash));
  const [own, setOwn] = useState<readonly RecordFile[]>([]);
  const [message, setMessage] = useState("");
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
        setMessage(
          `${file.name} is shown among the records of ${known.join(", ")}; it has not left this browser`,
        );
        location.hash = hashOf(firstViewOf(mine, known[0]!));
      } catch (error) {
        setMessage((error as Error).message);
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
        {entry !== undefined && (
          <Loaded key={entry.primitive} {...{ view, own }} {...entry} repository={index.repository} />
        )}
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
        <p role="status">{message}</p>
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
        Choose a question: its page shows who wins, how sure that is, where the time goes, and how it moved.
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
  const known = primitives.flatMap(({ primitive, nights }) =>
    nights === undefined ? [] : [{ primitive, ...nights }],
  );
  if (known.length === 0) {
    return (
      <p role="status">
        Whether anything got slower lately is not known: this page was made without a history of nights.
      </p>
    );
  }
  const slower = known.filter(({ slowerSince }) => slowerSince !== undefined);
  return (
    <p role="status">
      Nights until{" "}
      {known
        .map(({ last }) => last)
        .toSorted()
        .at(-1)}
      : {slower.length === 0 && "nothing is confirmed to have got slower."}
      {slower.map(({ primitive, slowerSince }) => (
        <>
          <a href={hashOf({ ...HOME, primitive, show: "records" })}>{primitive}</a> is confirmed to have got
          slower in part since {slowerSince}.{" "}
        </>
      ))}
    </p>
  );
}

interface ShownProps {
  readonly view: View;
  readonly own: readonly RecordFile[];
  readonly repository: string;
}

function Loaded({ primitive, question, ...shown }: ShownProps & Record<"primitive" | "question", string>) {
  const [published, setPublished] = useState<PrimitiveData>();
  const [fault, setFault] = useState<string>();
  useEffect(() => {
    loadPrimitive(primitive).then(setPublished, ({ message }: Error) => setFault(message));
  }, [primitive]);
  const file = primitiveFile(primitive);
  return (
    <>
      <p class="question">{question}</p>
      {fault !== undefined && <p role="alert">{fault}</p>}
      {fault === undefined && published === undefined && <p role="status">Reading {file}</p>}
      {published !== undefined && (
        <Guard at={hashOf(shown.view)} file={file}>
          <Shown published={published} {...shown} />
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

/** Data that have the right form and make no sense: the file is named, instead of an empty page. Another view may be whole. */
class Guard extends Component<GuardProps, { fault?: Error; at?: string }> {
  override componentDidCatch(fault: Error): void {
    this.setState({ fault, at: this.props.at });
  }

  override render() {
    const { fault, at } = this.state;
    if (fault === undefined || at !== this.props.at) return this.props.children;
    return (
      <p role="alert">
        {this.props.file} cannot be shown, and may be damaged: {fault.message}; make the site again with npm
        run explore
      </p>
    );
  }
}

function Shown({ published, own, view, repository }: ShownProps & { published: PrimitiveData }) {
  const data = useMemo(() => withOwn(published, own), [published, own]);
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
      {/* All of this is of what was measured. */}
      {view.show !== "simulated" && (
        <>
          <p class="provenance">
            {shortProvenance(source.record)}.{" "}
            <SourceLinks {...{ source, scenario, repository }} primitive={data.primitive} />
          </p>
          <Choices {...shown} />
          {/* A profile is of one competitor, whatever the reader has hidden. */}
          {view.show !== "flames" && <Requirements {...shown} />}
        </>
      )}
      <nav class="shows" aria-label="Views">
        {SHOWS.filter((show) => show !== "simulated" || data.simulated.length > 0).map((show) => (
          <a
            key={show}
            href={hashOf({ ...view, show })}
            aria-current={show === view.show && "page"}
            class={show === "simulated" ? "simulated" : undefined}
          >
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
        {view.show === "simulated" && <Simulated {...shown} />}
      </section>
      {view.show !== "simulated" && <TakeAway {...shown} />}
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
  const runtimes = runtimesIn(data);
  const raced = runtimes.get(scenario) ?? [];
  return (
    <div class="fields">
      <Choice
        title="Scenario"
        value={scenario}
        options={racesIn(data).map((name) => [name, name])}
        onChoice={(value) => {
          const isRacedThere = runtimes.get(value)?.some(({ name }) => name === view.runtime);
          go({ scenario: value, ...(isRacedThere ? {} : { runtime: "" }) });
        }}
      />
      {raced.length > 0 && (
        <Choice
          title="Runtime"
          value={view.runtime ?? ""}
          options={[
            ["", "the lab's own"],
            ...raced.map(({ name, version }) => [name, `${version}, in races of several`] as const),
          ]}
          onChoice={(value) => go({ runtime: value, record: "" })}
        />
      )}
      <Radios
        title="Workers"
        value={`${conditions.workers}`}
        options={workers.map((count) => [`${count}`, `${count}`])}
        onChoice={(value) => go({ workers: Number(value) })}
      >
        {conditions.oversubscribed && <small>more than cores</small>}
      </Radios>
      <Choice
        title="Baseline"
        value={baseline ?? ""}
        options={[
          ...(baseline === undefined ? [["", "none was raced"] as const] : []),
          ...baselines.map(
            (name) => [name, name === racedBaseline ? `${name} (raced as such)` : name] as const,
          ),
        ]}
        onChoice={(value) => go({ base: value })}
      />
      {sources.length > 1 && (
        <Choice
          title="Record"
          value={source.file}
          options={sources.map(({ file, isOwn, record: { methodVersion } }) => [
            file,
            isOwn ? `${file} (yours)` : `${file.slice(0, 18)}, method ${methodVersion}`,
          ])}
          onChoice={(value) => go({ record: value })}
        />
      )}
    </div>
  );
}

render(<Page index={siteIndex()} />, document.getElementById("page")!);
