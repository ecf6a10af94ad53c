import { useState } from "preact/hooks";
import type { FlameNode } from "../../../suites/engine/schema/flame.ts";
import { Wide } from "./charts.tsx";
import type { ContestProps } from "./contest.ts";
import {
  type FunctionTime,
  functionsOf,
  keyOf,
  type Profile,
  profilesOf,
  treeAt,
  type Worker,
  workersOf,
} from "./flames.ts";
import { percentText } from "./words.ts";

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
  const against = profiles.find(({ id }) => id === view.against && id !== profile.id);
  const workers = workersOf(profile);
  const at = workers.find((name) => name === view.worker);
  return (
    <>
      <div class="fields">
        <label>
          Profile{" "}
          <select value={profile.id} onChange={({ currentTarget: { value } }) => go({ flame: value })}>
            {profiles.map(({ id, title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <label>
          beside{" "}
          <select
            value={against?.id ?? ""}
            onChange={({ currentTarget: { value } }) => go({ against: value })}
          >
            <option value="">nothing</option>
            {profiles
              .filter(({ id }) => id !== profile.id)
              .map(({ id, title }) => (
                <option key={id} value={id}>
                  {title}
                </option>
              ))}
          </select>
        </label>
        {workers.length > 1 && (
          <fieldset>
            <legend>workers</legend>
            {[undefined, ...workers].map((name) => (
              <label key={name ?? ""}>
                <input
                  type="radio"
                  name="worker"
                  checked={name === at}
                  onChange={() => go({ worker: name ?? "" })}
                />{" "}
                {name ?? "all"}
              </label>
            ))}
          </fieldset>
        )}
      </div>
      {[profile, ...(against === undefined ? [] : [against])].map((one) => (
        <Icicle key={`${one.id} ${at}`} profile={one} tree={treeAt(one, at)} />
      ))}
      <FunctionTable {...{ profile, against, worker: at }} />
    </>
  );
}

const SIZE = { width: 860, row: 20, letterPx: 6.6 };

interface Placed {
  readonly node: FlameNode;
  readonly depth: number;
  readonly left: number;
  readonly width: number;
}

/** What is narrower than a pixel is not drawn: the table has it. */
function placed(node: FlameNode, depth: number, left: number, width: number): Placed[] {
  let from = left;
  const below = node.children.flatMap((child) => {
    const own = (width * child.samples) / node.samples;
    const boxes = own < 1 ? [] : placed(child, depth + 1, from, own);
    from += own;
    return boxes;
  });
  return [{ node, depth, left, width }, ...below];
}

function Icicle({ profile, tree }: { profile: Profile; tree: FlameNode }) {
  const [path, zoom] = useState<readonly FlameNode[]>([]);
  const root = path.at(-1) ?? tree;
  const boxes = placed(root, 0, 0, SIZE.width);
  const height = SIZE.row * (Math.max(...boxes.map(({ depth }) => depth)) + 1);
  return (
    <figure>
      <figcaption>
        {profile.title}, {tree.samples} samples
        {path.length > 0 && (
          <button type="button" onClick={() => zoom(path.slice(0, -1))}>
            Back from {root.name}
          </button>
        )}
      </figcaption>
      <Wide label={`Flamegraph of ${profile.title}`}>
        <svg
          class="chart flame"
          viewBox={`0 0 ${SIZE.width} ${height}`}
          role="img"
          aria-label="The same as the table below"
        >
          {boxes.map(({ node, depth, left, width }) => (
            // biome-ignore lint/a11y/noStaticElementInteractions: a pointer looks closer; the table has it all.
            <g
              key={`${depth} ${left}`}
              class={`frame ${node.part}`}
              onClick={() => {
                if (node !== root) zoom([...path, node]);
              }}
            >
              <title>{`${node.name}${node.place === undefined ? "" : `, ${node.place}`}: ${percentText(node.samples / tree.samples)}`}</title>
              <rect x={left} y={depth * SIZE.row} width={Math.max(0.5, width - 0.5)} height={SIZE.row - 1} />
              {width > 4 * SIZE.letterPx && (
                <text x={left + 4} y={depth * SIZE.row + 14}>
                  {shortened(node.name, (width - 8) / SIZE.letterPx)}
                </text>
              )}
            </g>
          ))}
        </svg>
      </Wide>
    </figure>
  );
}

function shortened(text: string, letters: number): string {
  return text.length <= letters ? text : `${text.slice(0, Math.max(1, Math.floor(letters) - 1))}…`;
}

/** The most functions listed: the rest has next to no samples. */
const MOST_FUNCTIONS = 20;

function FunctionTable({
  profile,
  against,
  worker,
}: {
  profile: Profile;
  against: Profile | undefined;
  worker: Worker;
}) {
  const own = functionsOf(treeAt(profile, worker));
  const others = against === undefined ? undefined : functionsOf(treeAt(against, worker));
  const beside = new Map(others?.map((time) => [keyOf(time), time]));
  const ownKeys = new Set(own.map(keyOf));
  const rows: readonly (readonly [FunctionTime, FunctionTime | undefined, FunctionTime | undefined])[] = [
    ...own.map((time) => [time, time, beside.get(keyOf(time))] as const),
    ...(others ?? [])
      .filter((time) => !ownKeys.has(keyOf(time)))
      .map((time) => [time, undefined, time] as const),
  ];
  const shown = rows
    .toSorted(
      ([, a, b], [, c, d]) => Math.max(c?.self ?? 0, d?.self ?? 0) - Math.max(a?.self ?? 0, b?.self ?? 0),
    )
    .slice(0, MOST_FUNCTIONS);
  const share = (time: FunctionTime | undefined, of: "self" | "total") =>
    time === undefined ? "" : percentText(time[of]);
  return (
    <Wide label="Where the time goes, as a table">
      <table>
        <caption>
          Where {worker ?? "all workers"} of {profile.title} spend their time, the most first. Samples are
          shares of time; they tell nothing of how fast it was.
        </caption>
        <thead>
          <tr>
            <th scope="col">Function</th>
            <th scope="col" class="number">
              In itself
            </th>
            <th scope="col" class="number">
              With what it calls
            </th>
            {against !== undefined && (
              <th scope="col" class="number">
                In itself, {against.title}
              </th>
            )}
            <th scope="col">Part</th>
            <th scope="col">Place</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(([of, time, other]) => (
            <tr key={keyOf(of)}>
              <th scope="row">{of.name}</th>
              <td class="number">{share(time, "self")}</td>
              <td class="number">{share(time, "total")}</td>
              {against !== undefined && <td class="number">{share(other, "self")}</td>}
              <td>{of.part}</td>
              <td>{of.place}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Wide>
  );
}
