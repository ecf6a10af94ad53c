/**
 * 10. Who runs first wins.
 *
 * Lesson: these tasks do the same work through one function, on records whose fields come in different orders. Where one
 * process runs them in turn, the first have code that was compiled for their records alone. Each later one changes what
 * V8 knows about the function.
 *
 * Here: run it with `node`, and mitata measures them in turn; then with hotpath-race, which finds them the same.
 */
import { bench, run } from "mitata";

interface Item {
  readonly price: number;
  readonly count: number;
  readonly tax: number;
}

const listOf = (item: (place: number) => Item) => Array.from({ length: 1000 }, (_, place) => item(place & 7));

function total(items: readonly Item[]): number {
  let sum = 0;
  for (const { price, count, tax } of items) sum += price * count + tax;
  return sum;
}

const lists = {
  first: listOf((price) => ({ price, count: 2, tax: 1 })),
  second: listOf((price) => ({ price, tax: 1, count: 2 })),
  third: listOf((price) => ({ count: 2, price, tax: 1 })),
  fourth: listOf((price) => ({ count: 2, tax: 1, price })),
  fifth: listOf((price) => ({ tax: 1, price, count: 2 })),
  sixth: listOf((price) => ({ tax: 1, count: 2, price })),
};

for (const [name, list] of Object.entries(lists)) bench(name, () => total(list));
await run();
