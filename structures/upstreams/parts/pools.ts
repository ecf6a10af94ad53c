/**
 * Why this runtime has no pools of undici; undefined where it has. Bun puts a module of its own in the place of `undici`.
 * It sends requests by Bun's fetch and ignores their dispatcher.
 */
export function noPools(): string | undefined {
  return process.versions.bun === undefined
    ? undefined
    : "Bun has no dispatchers in its undici: use balancer of hotpath-lab with fetch";
}
