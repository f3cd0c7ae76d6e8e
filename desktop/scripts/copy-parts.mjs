// Lays beside the bundle what it reads: the built UI, the demo's recorded responses and the tray's icons.
import { cpSync, existsSync, rmSync } from 'node:fs';

const at = (path) => new URL(path, import.meta.url);
const parts = [
  { from: '../../packages/ui/bundle/', to: '../out/ui/' },
  { from: '../../fixtures/demo/', to: '../out/demo-fixtures/demo/' },
];

for (const { from, to } of parts) {
  if (!existsSync(at(from))) throw new Error(`${from} is missing: run "npm run build" in the root first`);
  rmSync(at(to), { recursive: true, force: true });
  cpSync(at(from), at(to), { recursive: true });
}
cpSync(at('../icons/'), at('../out/icons/'), { recursive: true, filter: (path) => !path.endsWith('.svg') });
