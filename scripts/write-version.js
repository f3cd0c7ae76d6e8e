// Writes the version of the packages, which are released together, wherever else it stands: in the code, in the desktop
// application and in the tags of images. Run after `changeset version`:
//   node scripts/write-version.js
import { readFileSync, writeFileSync } from 'node:fs';

const root = new URL('../', import.meta.url);
const { version } = JSON.parse(readFileSync(new URL('packages/core/package.json', root), 'utf8'));

replace('packages/core/src/foundation/version.ts', /(?<=VERSION = ')[^']*/);
replace('desktop/package.json', /(?<="version": ")[^"]*/);
// The lock names it twice, before all that is installed.
replace('desktop/package-lock.json', /(?<="name": "@model-gateway\/desktop",\s+"version": ")[^"]*/g);
for (const file of ['README.md', 'gateway.yaml', 'migrate.yaml']) {
  replace(`examples/kubernetes/${file}`, /(?<=\/model-gateway:)\d[\w.-]*/g);
}

function replace(path, pattern) {
  const file = new URL(path, root);
  writeFileSync(file, readFileSync(file, 'utf8').replace(pattern, version));
}
