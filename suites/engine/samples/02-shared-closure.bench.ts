/**
 * 2. Code that is shared is compiled for all who share it.
 *
 * Lesson: V8 compiles `isEqual` for the values that it has compared. For one kind it knows where fields lie; for five it
 * looks them up. Ask which program you will run: one that compares one kind of value, or one that compares five.
 *
 * Here: run it as it is, and again with `--together`. Times and ratios differ, and both are true.
 */
type Fields = Readonly<Record<string, unknown>>;

function isEqual(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null)
    return one === other;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  for (const key of keys) if (!isEqual((one as Fields)[key], (other as Fields)[key])) return false;
  return true;
}

const twice = <Value>(make: () => Value) => [make(), make()] as const;
const [point, samePoint] = twice(() => ({ x: 1, y: 2 }));
const [user, sameUser] = twice(() => ({ name: "Ada", born: 1815, roles: ["author"] }));
const [list, sameList] = twice(() => [1, 2, 3, 4]);
const [nested, sameNested] = twice(() => ({ of: { of: { of: { value: 1 } } } }));
const [texts, sameTexts] = twice(() => ["one", "two", "three"]);

export const equality = {
  points: () => isEqual(point, samePoint),
  users: () => isEqual(user, sameUser),
  lists: () => isEqual(list, sameList),
  nested: () => isEqual(nested, sameNested),
  texts: () => isEqual(texts, sameTexts),
};
