// Writes test/conformance/public-api.json: what each operation of the public API is called, takes and returns, by names
// alone. The argument is its OpenAPI document as JSON:
//   node scripts/write-public-api.ts openapi.json
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { listOperations } from '../test/support/openapi/list-operations.ts';

const [, , source = 'openapi.json'] = process.argv;
const root = fileURLToPath(new URL('..', import.meta.url));
const file = `${root}test/conformance/public-api.json`;

const document = JSON.parse(readFileSync(source, 'utf8')) as Parameters<typeof listOperations>[0];
writeFileSync(file, JSON.stringify(listOperations(document)));
execFileSync(`${root}node_modules/.bin/oxfmt`, [file], { stdio: 'inherit' });
