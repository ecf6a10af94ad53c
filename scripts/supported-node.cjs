// Loaded before every script (node -r), and in CommonJS so that a Node too old to run .ts files can still read it
// and say what is wrong, instead of failing on a file extension.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `hotpath-lab needs Node >= 22.18 and this is ${process.versions.node}: run "npm ci" so that npm scripts use the Node 24 this project pins (its install script must be allowed), or upgrade Node.\n`,
  );
  process.exit(2);
}

// Stripping types and compiling the lab anew takes half of the time in which a script starts: this process keeps what
// it compiled for the next one, and whatever it starts does too.
const { join } = require("node:path");
if (process.env.NODE_COMPILE_CACHE === undefined) {
  process.env.NODE_COMPILE_CACHE = join(__dirname, "..", "node_modules", ".cache", "hotpath-lab");
}
require("node:module").enableCompileCache(process.env.NODE_COMPILE_CACHE);
