/** The little markdown that answers and comments have: bold, and code, also within bold. */
export function Inline({ text }: { text: string }) {
  return (
    <>
      {text.split(/(\*\*.+?\*\*|`[^`]+`)/).map((part) => {
        if (part.startsWith("**")) {
          return (
            <b>
              <Inline text={part.slice(2, -2)} />
            </b>
          );
        }
        return part.startsWith("`") ? <code>{part.slice(1, -1)}</code> : part;
      })}
    </>
  );
}
