import type { ComponentChildren } from "preact";

/** What a reader chooses one of. */
interface Field {
  readonly title: ComponentChildren;
  readonly value: string;
  /** Each with what a reader sees of it. */
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onChoice: (value: string) => void;
}

export function Choice({ title, value, options, onChoice }: Field) {
  return (
    <label>
      {title}{" "}
      <select value={value} onChange={({ currentTarget }) => onChoice(currentTarget.value)}>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

/** One of few, all of which are in sight, and what else is said of them. */
export function Radios({
  title,
  value,
  options,
  onChoice,
  children,
}: Field & { title: string; children?: ComponentChildren }) {
  return (
    <fieldset>
      <legend>{title}</legend>
      {options.map(([option, text]) => (
        <label key={option}>
          <input type="radio" name={title} checked={option === value} onChange={() => onChoice(option)} />{" "}
          {text}
        </label>
      ))}
      {children}
    </fieldset>
  );
}
