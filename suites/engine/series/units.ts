/** Units as people write them: which are of one kind, and how many of one are one of the other. */

interface Scale {
  /** Alike for units that differ by a factor alone. */
  readonly kind: string;
  readonly factor: number;
}

const SECONDS: readonly (readonly [names: RegExp, factor: number])[] = [
  [/^n(s|anoseconds?)$/i, 1e-9],
  [/^([uµμ]s|microseconds?)$/i, 1e-6],
  [/^m(s|illiseconds?)$/i, 1e-3],
  [/^s(ec(ond)?s?)?$/i, 1],
];
const PREFIXES: Readonly<Record<string, number>> = { "": 1, k: 1e3, m: 1e6, g: 1e9 };

/** What a value in the unit `from` is to be multiplied by to be one in `to`; undefined where they are of different kinds. */
export function conversion(from: string, to: string): number | undefined {
  const [one, other] = [scaleOf(from), scaleOf(to)];
  return one.kind === other.kind ? one.factor / other.factor : undefined;
}

/** Of times, as `us/iter`; of rates, as `kops/sec`; of all else, the unit as it is. */
function scaleOf(unit: string): Scale {
  const [over = "", under = "", ...more] = unit.split("/").map((part) => part.trim());
  const [time, per] = [secondsOf(over), secondsOf(under)];
  if (more.length === 0 && time !== undefined) return { kind: `s/${under.toLowerCase()}`, factor: time };
  const [, prefix = "", counted] = /^([kmg]?)(ops?|runs?|iter)$/i.exec(over) ?? [];
  if (more.length === 0 && per !== undefined && counted !== undefined)
    return {
      kind: `${counted.toLowerCase()}/s`,
      factor: PREFIXES[prefix.toLowerCase()]! / per,
    };
  return { kind: unit.trim(), factor: 1 };
}

function secondsOf(name: string): number | undefined {
  return SECONDS.find(([names]) => names.test(name))?.[1];
}
