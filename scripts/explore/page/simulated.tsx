import type { ContestProps } from "./contest.ts";
import { Inline } from "./inline.tsx";
import { Picture } from "./picture.tsx";
import { Table } from "./table.tsx";

/** What was simulated of the primitive with more cores: apart from all that was measured, and judged nowhere. */
export function Simulated({ data: { primitive, simulated }, repository }: ContestProps) {
  if (simulated.length === 0) return <p>Nothing of {primitive} was simulated with more cores.</p>;
  return (
    <div class="simulated">
      <p>
        <strong>Simulated, not measured:</strong> the structures' own code on models of larger machines.{" "}
        <a href={`${repository}results/cores/README.md`}>How it is simulated, and how far it was checked</a>.
      </p>
      {simulated.map(({ title, spec, table, items, without }) => (
        <div key={title}>
          <h3>{title}</h3>
          <Picture spec={spec} />
          <ul>
            {items.map((item) => (
              <li key={item}>
                <Inline text={item} />
              </li>
            ))}
          </ul>
          <Table
            label={`${title}, as a table`}
            caption="Simulated operations per us of all workers, with the band in parentheses"
            {...table}
          />
          <p>
            <Inline text={without} />
          </p>
        </div>
      ))}
    </div>
  );
}
