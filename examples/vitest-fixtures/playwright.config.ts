import { tmpdir } from 'node:os';
import { join } from 'node:path';

export default { testMatch: '*.spec.mjs', reporter: 'list', outputDir: join(tmpdir(), 'vitest-fixtures-example') };
