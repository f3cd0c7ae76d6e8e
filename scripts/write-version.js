// Writes the version of the packages, which are released together, into the code. Run after `changeset version`:
//   node scripts/write-version.js
import { readFileSync, writeFileSync } from 'node:fs';

const { version } = JSON.parse(readFileSync(new URL('../packages/core/package.json', import.meta.url), 'utf8'));
const file = new URL('../packages/core/src/foundation/version.ts', import.meta.url);
const text = readFileSync(file, 'utf8');
writeFileSync(file, text.replace(/(VERSION = ')[^']*/, `$1${version}`));
