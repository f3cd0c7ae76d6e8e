// Copies beside the compiled server what the command reads: the demo's recorded responses and the built UI. The command
// must not reach into the repository, nor need another package of it.
import { cpSync, existsSync, rmSync } from 'node:fs';

const at = (path) => new URL(path, import.meta.url);
const parts = [
  { from: '../../../fixtures/demo/', to: '../dist/demo-fixtures/', below: 'demo/' },
  { from: '../../ui/bundle/', to: '../dist/ui-bundle/', below: '' },
];

for (const { from, to, below } of parts) {
  if (!existsSync(at(from))) throw new Error(`${at(from).pathname} is missing: run "npm run build" in the root`);
  rmSync(at(to), { recursive: true, force: true });
  cpSync(at(from), at(to + below), { recursive: true });
}
