// A bench file without a harness, for the tests of the command.
const text = JSON.stringify({ a: [1, 2, 3] });
export const parse = {
  "JSON.parse": () => JSON.parse(text),
  twice: () => [JSON.parse(text), JSON.parse(text)],
};
export const print = {
  throws: () => {
    throw new Error("not today");
  },
};
