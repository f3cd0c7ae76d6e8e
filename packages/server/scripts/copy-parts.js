// Copies beside the compiled server what the command reads: the demo's recorded responses and the built UI. The command
// must not reach into the repository, nor need another package of it.
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

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

// What the model of the demo's real engine is counted from: the prose of the guides, without code, tables and lists.
const guides = readdirSync(at('../../../docs/'))
  .filter((name) => name.endsWith('.md'))
  .toSorted()
  .map((name) => readFileSync(at(`../../../docs/${name}`), 'utf8').replaceAll(/```[^]*?```/g, ''));
const prose = guides.flatMap((text) => text.split('\n').filter((line) => /^[A-Z]/.test(line)));
writeFileSync(at('../dist/engine-texts.md'), `${prose.join('\n')}\n`);
