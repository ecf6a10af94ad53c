/** What a command prints to: `printed` has each stream's text, and that of both in order; `hear` is called with the latter. */
export function madeOutput(signal = new AbortController().signal, hear: (all: string) => void = () => {}) {
  const printed = { out: "", err: "", all: "" };
  const stream = (name: "out" | "err") =>
    ({
      write(text: string) {
        printed[name] += text;
        printed.all += text;
        hear(printed.all);
      },
    }) as unknown as NodeJS.WriteStream;
  const output = { out: stream("out"), err: stream("err"), tool: "hotpath-race 0", signal };
  return { printed, output: { ...output, startedMs: performance.now() } };
}
