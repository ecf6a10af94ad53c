import { execFileSync } from "node:child_process";
import { publishedRecords } from "../../suites/lab/store/results.ts";
import { BOTH_RACED, FIRST_TABLE, FLAME, TWO_GROUPS, unlessRoot } from "./planted.ts";
import { type Abuse, type Call, mistreat } from "./trial.ts";

/** Disks that are full, read-only or gone: before a run, while it runs, and at its end. */

/** What is said where there is no room: of a record also how much it takes. */
const NO_ROOM = /ENOSPC/;
const NO_ROOM_FOR_RECORD = /the record .*ENOSPC.*\d+ kB/;
const PUBLISHED = publishedRecords("pick").at(-1)!;
const EXPORT = `"$BIN"/export --format benchstat --out out/export.txt ${PUBLISHED}`;

/** When the first group is whole, bash does this in the folder of the results. */
function onceWhole(line: string): Pick<Call, "when" | "act"> {
  return {
    when: FIRST_TABLE,
    act: (_, { out }) => execFileSync("bash", ["-c", line], { cwd: out, stdio: "ignore" }),
  };
}

/** The results go to a disk of their own. */
const onDisk = (name: string, options: string, line: string, promised: Omit<Call, "line">): Abuse => ({
  name,
  skip: unlessRoot,
  before: `mkdir out && mount -t tmpfs -o ${options} hotpath-abuse out`,
  line,
  ...promised,
});

mistreat("disks", [
  onDisk("no room", "size=4k", TWO_GROUPS, { exit: [0, 1], says: NO_ROOM_FOR_RECORD, kept: "nothing" }),
  onDisk("no room for a flame", "size=4k", FLAME, { exit: [1, 2], says: NO_ROOM, kept: "nothing" }),
  onDisk("no room for an export", "size=4k", EXPORT, { exit: 2, says: NO_ROOM }),
  onDisk("no room for a night", "size=4k", `nightly --from ${PUBLISHED} --history out/h`, {
    exit: 1,
    says: NO_ROOM,
    kept: "nothing",
  }),
  {
    name: "no room for the output",
    line: `report --markdown ${PUBLISHED} > /dev/full`,
    exit: 1,
    says: NO_ROOM,
  },
  onDisk("read-only", "size=1m,ro", TWO_GROUPS, { exit: 2, says: /out.*(EROFS|EACCES).*--out/ }),
  onDisk("full at the second group", "size=1m", TWO_GROUPS, {
    ...onceWhole("cat /dev/zero > others || true"),
    exit: [0, 1],
    says: NO_ROOM,
    kept: ["groups: 1, interrupted", "groups: 2"],
  }),
  { name: "out is a device", line: `${TWO_GROUPS} --out /dev/null`, exit: 2, says: /\/dev\/null.*--out/ },
  { name: "the record is removed", line: TWO_GROUPS, ...onceWhole("rm *.json"), ...BOTH_RACED },
  { name: "the results are removed", line: TWO_GROUPS, ...onceWhole('rm -r "$PWD"'), ...BOTH_RACED },
  { name: "no temporary folder", line: `TMPDIR=/proc/nowhere ${TWO_GROUPS}`, ...BOTH_RACED },
]);
