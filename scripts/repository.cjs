// Where a package is published from. No file of this repository says it, because a copy of it may be published: GitHub's
// environment of a workflow does. publish.yml starts this for the folder of a package, whose description and pages it changes.
const { readdirSync, readFileSync, writeFileSync } = require("node:fs");
const { join, posix } = require("node:path");

const { GITHUB_SERVER_URL = "https://github.com", GITHUB_REPOSITORY } = process.env;
const url = GITHUB_REPOSITORY ? `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}` : undefined;

/** What npm asks of a package that says where it is from, and whose README is in `folder`; nothing where it is unknown. */
function fieldsOf(folder) {
  if (url === undefined) return {};
  return {
    repository: { type: "git", url: `git+${url}.git`, directory: folder },
    bugs: { url: `${url}/issues` },
    homepage: `${url}/tree/main/${folder}#readme`,
  };
}

/**
 * The text of the page `from`, whose links lead to the repository, if that is known: npm shows no other file of a package.
 * If not, a link leads to where `within` says that its target is, and keeps its words alone where that is nowhere.
 */
function linked(text, from, within) {
  return text.replace(
    /(!?)\[([^\]]+)\]\(([^)#\s]+)(#[^)\s]*)?[^)]*\)/g,
    (link, mark, words, target, anchor = "") => {
      if (/^https?:/.test(target)) return link;
      const file = posix.join(posix.dirname(from), target);
      // The page of a picture at GitHub is no picture.
      const found = url === undefined ? within(file) : `${url}/${mark === "!" ? "raw" : "blob"}/main/${file}`;
      return found ? `${mark}[${words}](${found}${anchor})` : words;
    },
  );
}

module.exports = { fieldsOf, linked };

if (require.main === module && url !== undefined) {
  const [folder] = process.argv.slice(2);
  const file = join(folder, "package.json");
  const manifest = { ...JSON.parse(readFileSync(file, "utf8")), ...fieldsOf(folder) };
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
  for (const name of readdirSync(folder).filter((name) => name.endsWith(".md"))) {
    const page = posix.join(folder, name);
    writeFileSync(
      page,
      linked(readFileSync(page, "utf8"), page, () => undefined),
    );
  }
}
