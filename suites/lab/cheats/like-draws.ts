/** What honest picks would have looked like, for cheats that forge them. */

/** The sum of so many uniform draws from 0 to `backends` - 1: as they scatter, without drawing them. */
export function sumLikeDraws(draws: number, backends: number): number {
  const [first, second] = [1 - Math.random(), Math.random()];
  const normal = Math.sqrt(-2 * Math.log(first)) * Math.cos(2 * Math.PI * second);
  const deviation = Math.sqrt((draws * (backends * backends - 1)) / 12);
  return Math.round((draws * (backends - 1)) / 2 + normal * deviation) | 0;
}

export function fillLikeDraws(results: Int32Array, backends: number): void {
  for (let index = 0; index < results.length; index++) results[index] = Math.floor(Math.random() * backends);
}
