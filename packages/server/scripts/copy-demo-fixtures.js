// Copies the demo's recorded responses beside the compiled server, which must not reach into the repository.
import { cpSync, existsSync, rmSync } from 'node:fs';

const from = new URL('../../../fixtures/demo/', import.meta.url);
const to = new URL('../dist/demo-fixtures/', import.meta.url);

if (!existsSync(from)) throw new Error(`${from.pathname} is missing: the demo has nothing to replay without it`);
rmSync(to, { recursive: true, force: true });
cpSync(from, new URL('demo/', to), { recursive: true });
