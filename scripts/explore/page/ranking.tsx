import { ROW_ERROR } from "../../../suites/engine/judge/verdict.ts";
import { rankingOf, ratioSpec } from "../../../suites/lab/pictures/ratios.ts";
import { left } from "../../../suites/lab/tables/columns.ts";
import { raceColumns } from "../../../suites/lab/tables/races.ts";
import { absenceLines, circumstances } from "../../../suites/lab/tables/tables.ts";
import { labCells, shownColumns } from "../../../suites/reporter/src/lab.ts";
import { type ContestProps, type Role, standingsIn } from "./contest.ts";
import { Picture } from "./picture.tsx";
import { Table, VerdictMeanings } from "./table.tsx";

/** Who wins and how sure that is: the table of the scenario, with any of its competitors for the baseline. */
export function Ranking({ data, contest, repository, go }: ContestProps) {
  const { judged, conditions, roles, baseline, source } = contest;
  const ranking = rankingOf(judged, standingsIn(data), judged.conditions);
  const numberless = judged.rows.flatMap(({ competitor, noNumber }) =>
    noNumber === undefined ? [] : [`${competitor}: no number, ${noNumber}`],
  );
  return (
    <>
      {roles.map((role) => (
        <RoleTable key={role.role ?? ""} {...{ data, contest, role, repository, go }} />
      ))}
      {roles.length === 0 && <p>No competitor with a number is left: take away what is required.</p>}
      {ranking !== undefined && <Picture spec={ratioSpec(ranking, source.record, source.file)} />}
      <details>
        <summary>How sure this is</summary>
        <ul>
          {circumstances(conditions).map((line) => (
            <li key={line}>{line}</li>
          ))}
          <li>
            Intervals hold for the whole table: at least {100 * (1 - ROW_ERROR)} % each, widened for{" "}
            {conditions.judged} rows and {conditions.looks} looks while they raced.
          </li>
          {baseline !== contest.racedBaseline && (
            <li>
              Ratios to {baseline} are of the processes that raced both; {contest.racedBaseline} was raced as
              the baseline.
            </li>
          )}
          <VerdictMeanings />
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

/** Of the columns of the lab's tables; those that its pages fold away for the figures of single races are left to them. */
const FOREMOST = [
  "competitor",
  "ratio",
  "verdict",
  "take",
  "rank",
  "median",
  "remarks",
  "throughput",
  "forks",
] as const;

/** Those that compete come first. */
function RoleTable({
  data,
  contest: { judged, baseline, unfit },
  role: { role, rivals, apart },
  repository,
  go,
}: Omit<ContestProps, "view"> & { role: Role }) {
  const competing = rivals.map(({ row, rank }) => ({ ...row, rank, role: undefined }));
  const others = apart.map(({ row }) => ({ ...row, role: undefined }));
  const rows = [...competing, ...others];
  const raced = shownColumns(raceColumns(judged), rows);
  const cells = rows.map((row) => labCells(raced, row));
  const known = [...raced, left("take", "Compare with")];
  const columns = [...FOREMOST, ...judged.columns.map(({ key }) => `extra.${key}`)]
    .flatMap((key) => known.filter((column) => column.key === key))
    .filter(({ key }) => key === "take" || cells.some((own) => (own[key] ?? null) !== null))
    .map((own) => (own.key === "ratio" ? { ...own, title: `Ratio to ${baseline ?? "none"}` } : own));
  const leaders = rivals.filter(({ rank }) => rank?.leads).map(({ row }) => row.competitor);
  const what = role === undefined ? "" : `, ${role}s`;
  return (
    <>
      <p class="leaders" role="status">
        <b>
          {rivals.length} compete{what}
          {unfit.length > 0 && `, ${unfit.length} are not what is required`}.
        </b>{" "}
        {leadersText(leaders)}
      </p>
      <Table
        label={`Ranking${what}`}
        name="ranking"
        caption="Lowest ratio first. Shaded, with a +: the leading group, all that cannot be distinguished from the best.
          Rows that cannot be distinguished share a rank."
        columns={columns}
        rows={[
          ...competing.map(({ competitor, rank }, index) => ({
            name: rank?.leads ? "leads" : "",
            cells: {
              ...cells[index],
              competitor: <Name {...{ data, name: competitor, repository }} />,
              take: competitor !== baseline && (
                <button type="button" class="take" onClick={() => go({ base: competitor })}>
                  <span class="unseen">take {competitor} as </span>baseline
                </button>
              ),
            },
          })),
          ...apart.map(({ row, as }, index) => ({
            name: "apart",
            cells: { ...cells[competing.length + index], competitor: `${row.competitor} (${as})` },
          })),
        ]}
      />
    </>
  );
}

/** In one sentence who leads, of those with a rank. */
function leadersText([first, ...others]: readonly string[]): string {
  if (first === undefined) return "Fewer than two rows are judged.";
  if (others.length === 0) return `${first} is shown to be the fastest of them.`;
  return `${first} has the lowest ratio; ${others.join(", ")} cannot be distinguished from it.`;
}

/** A competitor's name, which opens to what it says of itself. */
function Name({ data, name, repository }: Pick<ContestProps, "data" | "repository"> & { name: string }) {
  const said = data.competitors.find((competitor) => competitor.name === name);
  if (said === undefined) return <span class="name">{name}</span>;
  return (
    <details class="name">
      <summary>{name}</summary>
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
        <a href={`${repository}structures/${data.primitive}/competitors/${name}.ts`}>source and its header</a>
      </div>
    </details>
  );
}
