// Writes docs/config.schema.json from the schema that the server checks config files with. Run after a build:
//   node scripts/write-config-schema.js
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { createConfigJsonSchema } from '../packages/node/dist/config/published-schema.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const file = `${root}docs/config.schema.json`;

writeFileSync(file, `${JSON.stringify(createConfigJsonSchema(), null, 2)}\n`);
execFileSync(`${root}node_modules/.bin/oxfmt`, [file], { stdio: 'inherit' });
