import { formatNumber } from "../../../reporter/src/index.ts";

/** To three digits; none for what there is not. */
export function short(figure: number | undefined): string | null {
  return figure === undefined ? null : formatNumber(figure, 3);
}
