import { scaleLog } from "d3-scale";
import {
  formatNumber,
  formatRatio,
  formatThroughput,
} from "../../../suites/engine/render/benchmark-reporter-markdown/src/index.ts";
import { absenceLines, circumstances } from "../../../suites/engine/render/tables/tables.ts";
import type { JudgedMeasured } from "../../../suites/engine/schema/verdict.ts";
import type { Go } from "./address.ts";
import { Mark, MarkMeanings, RatioText, VerdictMark, Wide } from "./charts.tsx";
import type { Contest, ContestProps, Role } from "./contest.ts";
import type { CompetitorData, PrimitiveData } from "./site-data.ts";
import { leadersText, percentText, standingOf } from "./words.ts";

/** Who wins and how sure that is: the table of the scenario, with any of its competitors for the baseline. */
export function Ranking({ data, contest, repository, go }: ContestProps) {
  const { judged, conditions, roles, baseline } = contest;
  const numberless = judged.rows.flatMap(({ competitor, noNumber }) =>
    noNumber === undefined ? [] : [`${competitor}: no number, ${noNumber}`],
  );
  return (
    <>
      {roles.map((role) => (
        <RoleTable key={role.role ?? ""} {...{ data, contest, role, repository, go }} />
      ))}
      {roles.length === 0 && <p>No competitor with a number is left: take away what is required.</p>}
      <details>
        <summary>How sure this is</summary>
        <ul>
          {circumstances(conditions).map((line) => (
            <li key={line}>{line}</li>
          ))}
          <li>
            Intervals hold for the whole table: at least 99.8 % each, widened for {conditions.judged} rows and{" "}
            {conditions.looks} looks while they raced.
          </li>
          {baseline !== contest.racedBaseline && (
            <li>
              Ratios to {baseline} are of the processes that raced both; {contest.racedBaseline} was raced as
              the baseline.
            </li>
          )}
          <MarkMeanings />
        </ul>
      </details>
      {numberless.length + judged.absent.length > 0 && (
        <details>
          <summary>Who has no number, or does not take part</summary>
          <ul>
            {[...numberless, ...absenceLines(judged.absent)].map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function RoleTable({
  data,
  contest,
  role: { role, rivals, apart },
  repository,
  go,
}: {
  data: PrimitiveData;
  contest: Contest;
  role: Role;
  repository: string;
  go: Go;
}) {
  const { judged, baseline } = contest;
  const all = [...rivals.map(({ row }) => row), ...apart.map(({ row }) => row)];
  const bars = barScale(rivals.map(({ row }) => row));
  const leaders = rivals.filter(({ rank }) => rank?.leads).map(({ row }) => row.competitor);
  const what = role === undefined ? "" : `, ${role}s`;
  const extra = judged.columns.filter(({ key }) => all.some((row) => row.extra[key] !== undefined));
  // A narrow screen shows these two beside the name, and the others once it is moved.
  const answer = (row: JudgedMeasured) => (
    <>
      <td class="number">
        <RatioText text={ratioText(row)} />
      </td>
      <td class={`verdict ${standingOf(row)}`}>
        <VerdictMark of={standingOf(row)} /> {row.verdict}
        {row.flags.length > 0 && <small>{row.flags.join("; ")}</small>}
      </td>
    </>
  );
  const figures = (row: JudgedMeasured) => (
    <>
      <td>
        <Bar row={row} scale={bars} />
      </td>
      <td class="number">{formatNumber(row.median)}</td>
      <td class="number">
        {row.sees === undefined || row.verdict === "noise floor" ? "" : percentText(row.sees)}
      </td>
      <td class="number">{row.forks}</td>
      <td class="number">{formatThroughput(row.throughputPerSecond)}</td>
      {extra.map(({ key }) => (
        <td class="number" key={key}>
          {row.extra[key] === undefined ? "" : formatNumber(row.extra[key])}
        </td>
      ))}
    </>
  );
  return (
    <>
      <p class="leaders" role="status">
        <b>
          {rivals.length} compete{what}
          {contest.unfit.length > 0 && `, ${contest.unfit.length} are not what is required`}.
        </b>{" "}
        {leadersText(leaders)}
      </p>
      <Wide label={`Ranking${what}`}>
        <table class="ranking">
          <caption>
            Lowest ratio first. Shaded, with a +: the leading group, all that cannot be distinguished from the
            best. Rows that cannot be distinguished share a rank.
          </caption>
          <thead>
            <tr>
              <th scope="col">Competitor{what}</th>
              <th scope="col" class="number">
                Ratio to {baseline ?? "nothing"} (interval)
              </th>
              <th scope="col">Verdict</th>
              <th scope="col">Rank</th>
              <th scope="col">
                <span class="unseen">Take as the baseline</span>
              </th>
              <th scope="col">Faster | slower</th>
              <th scope="col" class="number">
                ns/{judged.operation}
              </th>
              <th scope="col" class="number">
                Sees
              </th>
              <th scope="col" class="number">
                Processes
              </th>
              <th scope="col" class="number">
                Throughput
              </th>
              {extra.map(({ key, title, unit }) => (
                <th scope="col" class="number extra" key={key}>
                  {title} ({unit})
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rivals.map(({ row, rank }) => (
              <tr key={row.cell} class={rank?.leads ? "leads" : ""}>
                <th scope="row">
                  <Name {...{ data, name: row.competitor, repository }} />
                </th>
                {answer(row)}
                <td>
                  {rank === undefined ? "" : rank.place}
                  {rank?.leads && <span title="in the leading group"> +</span>}
                </td>
                <td>
                  {row.competitor !== baseline && (
                    <button type="button" class="take" onClick={() => go({ base: row.competitor })}>
                      <span class="unseen">take {row.competitor} as </span>baseline
                    </button>
                  )}
                </td>
                {figures(row)}
              </tr>
            ))}
          </tbody>
          {apart.length > 0 && (
            <tbody class="apart">
              {apart.map(({ row, as }) => (
                <tr key={row.cell}>
                  <th scope="row">
                    {row.competitor} ({as})
                  </th>
                  {answer(row)}
                  <td />
                  <td />
                  {figures(row)}
                </tr>
              ))}
            </tbody>
          )}
        </table>
      </Wide>
    </>
  );
}

function ratioText(row: JudgedMeasured): string {
  if (row.ratio !== undefined) return formatRatio(row.ratio);
  return row.verdict === "baseline" ? "1" : "";
}

/** A competitor's name, which opens to what it says of itself. */
function Name({ data, name, repository }: { data: PrimitiveData; name: string; repository: string }) {
  const said = data.competitors.find((competitor) => competitor.name === name);
  if (said === undefined) return <span class="name">{name}</span>;
  return (
    <details class="name">
      <summary>{name}</summary>
      <Said {...{ data, said, repository }} />
    </details>
  );
}

function Said({ data, said, repository }: { data: PrimitiveData; said: CompetitorData; repository: string }) {
  return (
    <div class="said">
      <p>{said.summary}.</p>
      <ul>
        <li>memory: {said.memory}</li>
        {data.traits.map(({ key, title }) => (
          <li key={key}>
            {title}: {said.traits[key]}
          </li>
        ))}
      </ul>
      <a href={`${repository}structures/${data.primitive}/competitors/${said.name}.ts`}>
        source and its header
      </a>
    </div>
  );
}

const BAR = { width: 150, height: 16 };

type BarScale = ReturnType<typeof barScale>;

/** One scale for all rows of a table: a ratio of 2 is as far to the right as one of 1/2 to the left. */
function barScale(rows: readonly JudgedMeasured[]) {
  const ratios = rows.flatMap(({ ratio }) =>
    ratio === undefined ? [] : [ratio.low, ratio.high, ratio.value],
  );
  const known = ratios.filter((ratio) => ratio > 0 && Number.isFinite(ratio));
  const [least, most] = [Math.min(0.9, ...known), Math.max(1.1, ...known)];
  return scaleLog([least, most], [6, BAR.width - 6]).clamp(true);
}

function Bar({ row, scale }: { row: JudgedMeasured; scale: BarScale }) {
  const { ratio, toBaseline } = row;
  const middle = BAR.height / 2;
  const floor = toBaseline?.floor;
  return (
    <svg class="bar" width={BAR.width} height={BAR.height} aria-hidden="true">
      {floor !== undefined && (
        <rect
          class="floor"
          x={scale(1 / (1 + floor))}
          width={scale(1 + floor) - scale(1 / (1 + floor))}
          y="0"
          height={BAR.height}
        />
      )}
      <line class="one" x1={scale(1)} x2={scale(1)} y1="0" y2={BAR.height} />
      {ratio !== undefined && (
        <line
          class={`interval ${standingOf(row)}`}
          x1={scale(ratio.low > 0 ? ratio.low : Number.MIN_VALUE)}
          x2={scale(Number.isFinite(ratio.high) ? ratio.high : Number.MAX_VALUE)}
          y1={middle}
          y2={middle}
        />
      )}
      <Mark x={scale(ratio?.value ?? 1)} y={middle} of={standingOf(row)} size={4.5} />
    </svg>
  );
}
