import { readFile } from 'node:fs/promises';

import { createGateway, type GatewayRequest, type Principal, type Store } from '@model-gateway/core';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { createNodePlatform, listen, type Listener } from '@model-gateway/node';
import { expect, test } from 'vitest';

import { PERMISSIONS } from '../../../packages/core/src/api/permissions.ts';
import { ROUTES } from '../../../packages/core/src/api/routes.ts';
import { withRolesTable } from '../../../scripts/write-roles.ts';
import { createOrganization, fillStore } from './organization.ts';

const ROLES = ['owner', 'administrator', 'billing', 'developer', 'viewer'] as const;
// SCIM takes the token of the directory alone.
const REACHABLE = ROUTES.filter(
  ({ auth, path }) => !path.startsWith('/scim/') && (auth === 'management' || auth === 'any'),
);

test('every operation that a member can reach has a row in the table of roles, and every row an operation', () => {
  const names = new Set([...REACHABLE.map(({ operationId }) => operationId), 'getMetrics']);
  const missing = [...names].filter((name) => !Object.hasOwn(PERMISSIONS, name));
  expect(missing, 'add these operations to PERMISSIONS in packages/core/src/api/permissions.ts').toEqual([]);
  expect(Object.keys(PERMISSIONS).filter((name) => !names.has(name))).toEqual([]);
});

test('docs/roles.md has the table that decides; node scripts/write-roles.ts writes it', async () => {
  const page = await readFile(new URL('../../../docs/roles.md', import.meta.url), 'utf8');
  const toWords = (text: string): string[] => text.split('\n').map((line) => line.replaceAll(/[ -]+/g, ' '));
  expect(toWords(page)).toEqual(toWords(withRolesTable(page)));
});

/** The rows of docs/roles.md: what each column says of each operation. */
async function readDocumentedGrid(): Promise<ReadonlyMap<string, readonly string[]>> {
  const page = await readFile(new URL('../../../docs/roles.md', import.meta.url), 'utf8');
  const rows = page.matchAll(/^\| `(?<id>\w+)` +\| `[^`]+` +\|(?<cells>.+)\|$/gm);
  return new Map(
    [...rows].map(({ groups }) => [
      groups?.['id'] ?? '',
      (groups?.['cells'] ?? '').split('|').map((cell) => cell.trim()),
    ]),
  );
}

const UNKNOWN_ID = 'a4cf0d1e-8f0c-4c51-9c5e-0d6f6a7b8c9d';

/** A gateway whose host signs in the member that a header names, as `role` or `role+workspace`. */
async function listenFor(store: Store): Promise<Listener & { readonly end: () => Promise<void> }> {
  const authenticate = ({ headers }: GatewayRequest): Principal | null => {
    const [role, workspace] = [headers['x-test-member']].flat().join('').split('+');
    const known = ROLES.find((name) => name === role);
    if (known === undefined) return null;
    const workspaces = new Map(workspace === undefined ? [] : [[workspace, 'administrator' as const]]);
    return { kind: 'management', id: 'member:anna', name: 'Anna', userId: 'anna', member: { role: known, workspaces } };
  };
  const gateway = createGateway({ store, platform: createNodePlatform(), providers: [], models: [], authenticate });
  const listener = await listen(gateway, { port: 0 });
  return {
    ...listener,
    async end() {
      await listener.close();
      await gateway.close();
      await store.close();
    },
  };
}

test('permits each role each operation over HTTP as docs/roles.md says', async () => {
  const grid = await readDocumentedGrid();
  const store = createMemoryStore();
  await fillStore(store, createOrganization(20, Date.now()));
  const { url, end } = await listenFor(store);
  const differences: string[] = [];
  let asked = 0;
  for (const { operationId, method, path } of REACHABLE) {
    // What would change the store for those who come after it is asked with ids that are unknown.
    const filled = path.replace('{author}', 'acme').replaceAll(/\{\w+\+?\}/g, UNKNOWN_ID);
    const cells = grid.get(operationId) ?? [];
    for (const [place, member] of [...ROLES, 'developer+space-1', 'viewer+space-1'].entries()) {
      const [role] = member.split('+');
      const cell = cells[ROLES.findIndex((name) => name === role)];
      const isWidened = member === 'developer+space-1' && cells[ROLES.length] === 'workspace';
      const isPermitted = cell === 'all' || cell === 'own' || isWidened;
      const signal = AbortSignal.timeout(10_000);
      const response = await fetch(url + filled, {
        method,
        signal,
        headers: { 'x-test-member': member, 'content-type': 'application/json' },
        ...(method !== 'GET' && { body: '{}' }),
      });
      const text = operationId === 'followGenerations' && response.ok ? '' : await response.text();
      await response.body?.cancel().catch(() => undefined);
      asked += 1;
      const isRefused = response.status === 403 && text.includes('This needs the role');
      if (isRefused === isPermitted || response.status >= 500 || response.status === 401 || cells[place] === '')
        differences.push(`${member} ${operationId}: ${response.status} ${text.slice(0, 200)}`);
    }
  }
  await end();
  expect(differences).toEqual([]);
  expect(asked).toBe(REACHABLE.length * 7);
}, 60_000);

test('says which role an operation needs, and which the caller has', async () => {
  const { url, end } = await listenFor(createMemoryStore());
  const response = await fetch(`${url}/admin/v1/alarms`, { headers: { 'x-test-member': 'developer' } });
  expect(response.status).toBe(403);
  expect(await response.json()).toMatchObject({
    error: {
      message:
        'This needs the role owner, administrator or billing; yours is developer. Ask an administrator of the organization',
    },
  });
  await end();
});
