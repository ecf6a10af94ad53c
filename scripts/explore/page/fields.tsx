import type { ComponentChildren } from "preact";

/** A value, and what a reader sees of it. */
export type Option = readonly [value: string, text: string];

/** One of several in a list. */
export function Choice({
  title,
  value,
  options,
  onChoice,
}: {
  title: ComponentChildren;
  value: string;
  options: readonly Option[];
  onChoice: (value: string) => void;
}) {
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

/** One of few, all of which are in sight. */
export function Radios({
  title,
  value,
  options,
  onChoice,
  children,
}: {
  title: string;
  value: string;
  options: readonly Option[];
  onChoice: (value: string) => void;
  children?: ComponentChildren;
}) {
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
