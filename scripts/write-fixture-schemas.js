// Writes docs/fixtures/*.schema.json from the built package. A test compares them.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { createFixtureJsonSchemas } from '../packages/fixtures/dist/case/fixture-json-schemas.js';

const folder = new URL('../docs/fixtures/', import.meta.url);
mkdirSync(folder, { recursive: true });
for (const [name, schema] of Object.entries(createFixtureJsonSchemas())) {
  writeFileSync(new URL(name, folder), `${JSON.stringify(schema, null, 2)}\n`);
}
execFileSync(fileURLToPath(new URL('../node_modules/.bin/oxfmt', import.meta.url)), [fileURLToPath(folder)]);
