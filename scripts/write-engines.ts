// The packages promise Node.js 22.19 to their users, and this repository 20, because its installation brings a newer one
// for all that runs here. npm knows nothing of that and warns of each package whose promise the Node.js that runs npm
// does not keep. So the packages get theirs when they are packed, and the lock has none:
//   node scripts/write-engines.ts lock        after an installation has changed package-lock.json
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const ENGINES = { node: '>=22.19' };

interface Manifest {
  engines?: object;
  readonly packages?: Readonly<Record<string, { engines?: object }>>;
}

const edit = (file: string, change: (manifest: Manifest) => void): void => {
  const manifest = JSON.parse(readFileSync(ROOT + file, 'utf8')) as Manifest;
  change(manifest);
  writeFileSync(ROOT + file, `${JSON.stringify(manifest, null, 2)}\n`);
};

if (process.argv[1] === import.meta.filename) {
  if (process.argv[2] === 'lock') strikeEngines();
  else throw new Error('Say "lock"');
}

/** Writes into each package which Node.js it needs. Returns what takes it out again. */
export function writeEngines(): () => void {
  const files = globSync('packages/*/package.json', { cwd: ROOT });
  const before = files.map((file) => readFileSync(ROOT + file, 'utf8'));
  for (const file of files) edit(file, (manifest) => void (manifest.engines = ENGINES));
  return () => {
    for (const [index, file] of files.entries()) writeFileSync(ROOT + file, before[index] ?? '');
  };
}

function strikeEngines(): void {
  edit('package-lock.json', ({ packages = {} }) => {
    for (const [path, entry] of Object.entries(packages)) if (path !== '') delete entry.engines;
  });
}
