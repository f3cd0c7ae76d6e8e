import { randomBytes } from 'node:crypto';

import { expect, test } from 'vitest';

import { toScriptedConfig } from '../support/gateways/scripted-config.ts';
import { TEST_KEY } from '../support/gateways/test-gateway.ts';
import type { ScriptedUpstream } from '../support/upstreams/scripted-upstream.ts';
import { openUpstream, toClusterConfig } from './support/cluster-config.ts';
import { missingPostgres, openDatabase } from './support/engines.ts';
import { makeFolder, runWith, serveWell, stop } from './support/run-command.ts';

const API_KEY = 'sk-provider-0123456789';

/** A provider as the UI adds it. */
const toProvider = ({ baseUrl }: ScriptedUpstream) => ({ slug: 'added', wire: 'openai', baseUrl, apiKey: API_KEY });

test.skipIf(missingPostgres)(
  'keys for providers that a file has sealed open with the key of the environment',
  async () => {
    const upstream = await openUpstream();
    const dir = makeFolder();
    const first = await serveWell(toScriptedConfig(upstream), { dataDir: dir });
    expect(await first.call('POST', '/admin/v1/setup/providers', toProvider(upstream))).toMatchObject({ status: 201 });
    const own = { provider: 'scripted', key: 'sk-own-of-workspace', name: 'team', is_required: true };
    expect(await first.call('POST', '/api/v1/byok', own)).toMatchObject({ status: 201 });
    await stop(first);
    const env = { GATEWAY_SECRETS_KEY: randomBytes(32).toString('base64') };
    const config = toClusterConfig(upstream, { database: await openDatabase() });
    const ended = await runWith(config, ['import', '--from', dir], env);
    expect(ended).toMatchObject({ code: 0, stderr: expect.not.stringContaining('stay sealed') as string });
    const gateway = await serveWell(config, { env });
    const listed = (await gateway.call('GET', '/admin/v1/setup/providers')).body as {
      data: { slug: string; status: string }[];
    };
    expect(listed.data.find(({ slug }) => slug === 'added')).toMatchObject({ status: 'ready' });
    const question = { model: 'test/text', messages: [{ role: 'user', content: 'Hi' }] };
    expect(await gateway.call('POST', '/api/v1/chat/completions', question, TEST_KEY)).toMatchObject({
      status: 200,
      body: { usage: { is_byok: true } },
    });
  },
);

test.skipIf(missingPostgres)(
  'without the key of the environment no key of a provider is kept, and it says what to set',
  async () => {
    const upstream = await openUpstream();
    const gateway = await serveWell(toClusterConfig(upstream, { database: await openDatabase() }));
    const made = await gateway.call('POST', '/admin/v1/setup/providers', toProvider(upstream));
    expect(made).toMatchObject({
      status: 409,
      body: { error: { message: expect.stringContaining('GATEWAY_SECRETS_KEY') as string } },
    });
    expect(gateway.output.stderr).toContain('GATEWAY_SECRETS_KEY is not set');
  },
);

test.skipIf(missingPostgres)(
  'the doctor looks at the providers in a database, and says what is wrong with the database',
  async () => {
    const upstream = await openUpstream();
    const url = await openDatabase();
    const env = { GATEWAY_SECRETS_KEY: randomBytes(32).toString('base64') };
    const config = { store: { type: 'postgres', url } };
    const gateway = await serveWell(toClusterConfig(upstream, { database: url }), { env });
    expect(await gateway.call('POST', '/admin/v1/setup/providers', toProvider(upstream))).toMatchObject({
      status: 201,
    });
    const told = await runWith(config, ['doctor'], env);
    expect(told.stdout).toMatch(/added/);
    expect(told.stdout).not.toContain(API_KEY);
    const gone = new URL(url);
    gone.pathname = '/no_such_database';
    const broken = { store: { type: 'postgres', url: gone.href } };
    expect(await runWith(broken, ['doctor'])).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^fail {2}store {2}.*no_such_database/) as string,
    });
  },
);
