// Builds the bundle, unless nothing it is made of has changed since: the root build runs this every time.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('..', import.meta.url));
const inputs = ['index.html', 'vite.config.ts', 'package.json', '../../package-lock.json'].map((name) =>
  join(folder, name),
);
for (const entry of readdirSync(join(folder, 'src'), { recursive: true, withFileTypes: true })) {
  // A folder's own time tells of files that were removed.
  if (entry.isDirectory() || !entry.name.includes('.test.')) inputs.push(join(entry.parentPath, entry.name));
}

const changedAt = Math.max(...inputs.map((file) => statSync(file).mtimeMs));
const builtAt = statSync(join(folder, 'dist/index.html'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
if (builtAt < changedAt) {
  const { build } = await import('vite');
  await build({ root: folder, logLevel: 'warn' });
}
