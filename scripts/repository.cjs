// Where a package is published from. No file of this repository says it, because a copy of it may be published: GitHub's
// environment of a workflow does. publish.yml starts this for a folder with a package.json.
const { readFileSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");

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

/** Where a file of the repository can be read; undefined where that is unknown. */
function pageOf(path) {
  return url && `${url}/blob/main/${path}`;
}

module.exports = { fieldsOf, pageOf };

if (require.main === module) {
  const [folder] = process.argv.slice(2);
  const file = join(folder, "package.json");
  const manifest = { ...JSON.parse(readFileSync(file, "utf8")), ...fieldsOf(folder) };
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
}
