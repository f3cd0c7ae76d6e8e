import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { toLintFile } from './borders.ts';

/** Writes `.oxlintrc.borders.json` anew from the table of rooms, a line for each override. */
const { overrides } = toLintFile();
writeFileSync(
  fileURLToPath(new URL('../.oxlintrc.borders.json', import.meta.url)),
  `{ "overrides": [\n${overrides.map((one) => JSON.stringify(one)).join(',\n')}\n] }\n`,
);
