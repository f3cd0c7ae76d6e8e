// Builds the bundle, unless nothing it is made of has changed since: the root build runs this every time.
import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('..', import.meta.url));
const target = join(folder, 'bundle');
const inputs = ['index.html', 'vite.config.ts', 'package.json', '../../package-lock.json'].map((name) =>
  join(folder, name),
);
for (const sources of ['src', '../clients/src']) {
  for (const entry of readdirSync(join(folder, sources), { recursive: true, withFileTypes: true })) {
    // A folder's own time tells of files that were removed.
    if (entry.isDirectory() || !entry.name.includes('.test.')) inputs.push(join(entry.parentPath, entry.name));
  }
}

const changedAt = Math.max(...inputs.map((file) => statSync(file).mtimeMs));
const builtAt = statSync(join(target, 'index.html'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
if (builtAt < changedAt) {
  const { build } = await import('vite');
  // Beside the bundle and put in its place at the end, so that a server that runs is not left without one.
  const next = join(folder, 'node_modules', '.bundle');
  mkdirSync(next, { recursive: true });
  await build({ root: folder, logLevel: 'warn', build: { outDir: next, emptyOutDir: true } });
  rmSync(target, { recursive: true, force: true });
  renameSync(next, target);
}
