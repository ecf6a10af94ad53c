import { useState } from "preact/hooks";
import { type Box, boxesOf, flamegraphSpec } from "../../../suites/lab/pictures/flamegraph.ts";
import { left, right } from "../../../suites/lab/tables/columns.ts";
import { percentText } from "../../../suites/reporter/src/lab.ts";
import type { ContestProps } from "./contest.ts";
import { Choice, Radios } from "./fields.tsx";
import {
  type FunctionTime,
  frameAt,
  functionsOf,
  keyOf,
  type Profile,
  profilesOf,
  type Step,
  treeAlong,
} from "./flames.ts";
import { Picture } from "./picture.tsx";
import { Table } from "./table.tsx";

/** Where the time goes: one profile, or two beside each other. */
export function Flames({ data, view, go }: Pick<ContestProps, "data" | "view" | "go">) {
  const profiles = profilesOf(data.flames);
  const [first] = profiles;
  if (first === undefined) {
    return (
      <p>
        No flamegraph of {data.primitive} is published: <code>npm run flame -- CELL</code> makes one.
      </p>
    );
  }
  const profile = profiles.find(({ id }) => id === view.flame) ?? first;
  const others = profiles.filter(({ id }) => id !== profile.id);
  const against = others.find(({ id }) => id === view.against);
  const workers = profile.picture.tree.children.map(({ name }) => name);
  const worker = workers.find((name) => name === view.worker);
  return (
    <>
      <div class="fields">
        <Choice
          title="Profile"
          value={profile.id}
          options={profiles.map(({ id, title }) => [id, title])}
          onChoice={(value) => go({ flame: value })}
        />
        <Choice
          title="beside"
          value={against?.id ?? ""}
          options={[["", "nothing"], ...others.map(({ id, title }) => [id, title] as const)]}
          onChoice={(value) => go({ against: value })}
        />
        {workers.length > 1 && (
          <Radios
            title="workers"
            value={worker ?? ""}
            options={[["", "all"], ...workers.map((name) => [name, name] as const)]}
            onChoice={(value) => go({ worker: value })}
          />
        )}
      </div>
      <Zoomable key={`${profile.id} ${worker}`} {...{ profile, against, worker }} />
      {against !== undefined && (
        <Zoomable key={`${against.id} ${worker}`} profile={against} {...{ worker }} />
      )}
      <FunctionTable {...{ profile, against, worker }} />
    </>
  );
}

interface Sides {
  readonly profile: Profile;
  readonly against?: Profile | undefined;
  readonly worker: string | undefined;
}

/** The worker that is looked at, as the way from a tree to it: all of them where it is undefined. */
function wayTo(worker: string | undefined): Step[] {
  return worker === undefined ? [] : [{ name: worker }];
}

/** The picture of a profile, with the differences to another if there is one. A click on a frame makes it as wide as its picture. */
function Zoomable({ profile: { picture }, against, worker }: Sides) {
  const whole = wayTo(worker);
  const [path, zoom] = useState<readonly Step[]>(whole);
  const isWhole = path.length <= whole.length;
  const within = path.at(-1)?.name;
  const shown = {
    ...picture,
    title: within === undefined ? picture.title : `${picture.title}, within ${within}`,
    tree: treeAlong(picture.tree, path),
    // Shares of a part of one tree do not compare with shares of all of the other.
    ...(against === undefined || !isWhole
      ? {}
      : { against: { name: against.title, tree: treeAlong(against.picture.tree, whole) } }),
  };
  const pick = (datum: unknown) => {
    const { from: left, depth: lowest } = datum as Partial<Pick<Box, "from" | "depth">>;
    if (left === undefined || lowest === undefined) return;
    const way = boxesOf(shown).filter(
      ({ from, samples, depth }) => depth > 0 && depth <= lowest && from <= left && left < from + samples,
    );
    // What is gathered, for it is too narrow to be drawn, is no frame.
    if (frameAt(shown.tree, way) !== undefined) zoom(way);
  };
  return (
    <>
      {!isWhole && (
        <button type="button" onClick={() => zoom(path.slice(0, -1))}>
          Back from {within}
        </button>
      )}
      <Picture spec={flamegraphSpec(shown)} onPick={pick} />
    </>
  );
}

/** The most functions listed: the rest has next to no samples. */
const MOST_FUNCTIONS = 20;

function FunctionTable({ profile, against, worker }: Sides) {
  const timesOf = ({ picture: { tree } }: Profile) => functionsOf(frameAt(tree, wayTo(worker)) ?? tree);
  const own = timesOf(profile);
  const others = against === undefined ? [] : timesOf(against);
  const beside = new Map(others.map((time) => [keyOf(time), time]));
  const ownKeys = new Set(own.map(keyOf));
  const rows: readonly (readonly [FunctionTime, FunctionTime | undefined, FunctionTime | undefined])[] = [
    ...own.map((time) => [time, time, beside.get(keyOf(time))] as const),
    ...others.filter((time) => !ownKeys.has(keyOf(time))).map((time) => [time, undefined, time] as const),
  ];
  const most = ([, time, other]: (typeof rows)[number]) => Math.max(time?.self ?? 0, other?.self ?? 0);
  return (
    <Table
      label="Where the time goes, as a table"
      caption={`Where ${worker ?? "all workers"} of ${profile.title} spend their time, the most first. Samples are shares
        of time; they do not say how fast it was.`}
      columns={[
        left("function", "Function"),
        right("self", "In itself"),
        right("total", "With what it calls"),
        ...(against === undefined ? [] : [right("other", `In itself, ${against.title}`)]),
        left("part", "Part"),
        left("place", "Place"),
      ]}
      rows={rows
        .toSorted((a, b) => most(b) - most(a))
        .slice(0, MOST_FUNCTIONS)
        .map(([{ name, part, place }, time, other]) => ({
          cells: {
            function: name,
            self: time && percentText(time.self),
            total: time && percentText(time.total),
            other: other && percentText(other.self),
            part,
            place,
          },
        }))}
    />
  );
}
