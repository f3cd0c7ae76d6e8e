import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { BUILT_IN_MODELS } from '@model-gateway/core/catalog/built-in-models';
import { PRESETS } from '@model-gateway/core/providers/presets';
import { loadConfig } from '@model-gateway/node';
import fc from 'fast-check';
import { expect, onTestFinished } from 'vitest';

import { ConfigError } from '../../../packages/node/src/config/config-errors.ts';
import { configSchema } from '../../../packages/node/src/config/config-schema.ts';
import { damage, damaged } from '../../support/formats/damaged-bytes.ts';
import { fromSchema } from '../../support/formats/from-schema.ts';
import { change, changesWith } from '../../support/formats/hostile-json.ts';
import { toJsonSchema } from '../../support/formats/to-json-schema.ts';
import type { FuzzTarget } from '../fuzz-target.ts';

const KNOWN = [
  'openai',
  'anthropic',
  'acme',
  'openai/gpt-4o',
  'env:KEY',
  'http://127.0.0.1:1/v1',
  './data',
  '0.000001',
];

/** A configuration that works, to change. */
const WORKING = {
  host: '127.0.0.1',
  port: 0,
  keys: [{ key: 'sk-1', kind: 'api', name: 'dev' }],
  providers: [
    { preset: 'openai', apiKey: 'k' },
    { slug: 'acme', name: 'Acme', wire: 'openai', baseUrl: 'http://127.0.0.1:1/v1', apiKey: 'k' },
  ],
  models: [{ id: 'acme/chat', endpoints: [{ provider: 'acme', providerModel: 'chat', pricing: { prompt: '0.1' } }] }],
};

export const configFiles: FuzzTarget = {
  name: 'config-files',
  promise: 'A config file is used, or refused with the place and the reason of each error',
  runs: 400,
  async prepare() {
    const folder = await mkdtemp(join(tmpdir(), 'gateway-fuzz-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const file = join(folder, 'gateway.config.json');
    const fields = [
      ...Object.keys(configSchema.shape),
      'slug',
      'preset',
      'wire',
      'apiKey',
      'id',
      'endpoints',
      'pricing',
    ];
    const trees = fc.oneof(
      changesWith(fields).map((made) => change([WORKING], made)[0]),
      fromSchema(toJsonSchema(configSchema), KNOWN),
    );
    return fc.asyncProperty(
      trees,
      fc.option(fc.array(damage, { minLength: 1, maxLength: 2 }), { freq: 4, nil: [] }),
      async (tree, done) => {
        await writeFile(file, damaged(new TextEncoder().encode(JSON.stringify(tree)), done));
        try {
          loadConfig({ file, env: {}, presets: PRESETS, builtInModels: BUILT_IN_MODELS });
        } catch (error) {
          if (!(error instanceof ConfigError)) throw error;
          expect(error.issues.length).toBeGreaterThan(0);
          for (const { message } of error.issues) expect(message).toMatch(/\w/);
        }
      },
    );
  },
};
