import { expect, test } from 'vitest';

import { createWebPlatform } from '../foundation/platform.ts';
import { createMemoryAudit } from '../stores/kit/memory-audit.ts';
import { noteConfiguration } from './record-outside.ts';

const platform = createWebPlatform();

test('a start with another configuration is recorded by the sections that differ, without what they say', async () => {
  const audit = createMemoryAudit();
  const note = (sections: object): Promise<void> => noteConfiguration(audit, platform, sections, '/etc/gateway.json');
  const first = { server: { port: 1 }, providers: [{ slug: 'a', apiKey: 'sk-secret-of-a-provider' }], metrics: {} };
  await note(first);
  await note(first);
  // The order of fields is no difference.
  await note({ metrics: {}, providers: [{ apiKey: 'sk-secret-of-a-provider', slug: 'a' }], server: { port: 1 } });
  await note({ ...first, server: { port: 2 } });
  await note({ server: { port: 2 }, providers: first.providers });
  const { records } = await audit.page({ filter: {}, limit: 10 });
  const print = expect.stringMatching(/^sha256:[0-9a-f]{12}$/);
  expect(records.map(({ before, after }) => ({ before, after }))).toEqual([
    { before: { metrics: print }, after: { metrics: null } },
    { before: { server: print }, after: { server: print } },
    { before: null, after: { server: print, providers: print, metrics: print } },
  ]);
  expect(records[0]).toMatchObject({ action: 'config.change', actor: { kind: 'config', name: '/etc/gateway.json' } });
  expect(JSON.stringify(records)).not.toContain('secret');
});
