import { OpenRouter } from '@openrouter/sdk';
import * as errors from '@openrouter/sdk/models/errors';
import { expect, onTestFinished, test } from 'vitest';

import { failureOf } from '../../support/async/failure-of.ts';
import { startHost } from '../../support/conformance/hosts.ts';
import { createAdminGateway } from '../../support/gateways/admin-calls.ts';
import { MANAGEMENT_KEY } from '../../support/gateways/core-gateway.ts';
import { SCIM_TOKEN, startDirectory } from '../../support/scim/directory.ts';

// Every response is checked: the client refuses those that its schemas do not allow.
test('the OpenRouter client lists groups, and makes, reads, changes and deletes mappings', async () => {
  const { gateway } = createAdminGateway({ scimToken: SCIM_TOKEN });
  const host = await startHost('node', gateway, {});
  onTestFinished(() => host.close());
  const client = new OpenRouter({
    apiKey: MANAGEMENT_KEY,
    serverURL: host.apiUrl,
    retryConfig: { strategy: 'none' },
  });
  const ask = await startDirectory(gateway);
  const user = await ask('POST', '/Users', { userName: 'mia@example.com' });
  const members = [{ value: user.body.id }];
  await ask('POST', '/Groups', { displayName: 'Research', externalId: 'g-7', members });
  const workspace = (await client.workspaces.create({ createWorkspaceRequest: { name: 'Lab', slug: 'lab' } })).data;

  const groups = (await client.scim.listGroups()).result;
  expect(groups).toMatchObject({ totalCount: 1, data: [{ displayName: 'Research', externalId: 'g-7' }] });
  const [group] = groups.data;
  const request = { scimGroupId: group?.id ?? '', workspaceId: workspace.id, role: 'member' as const };
  const made = (await client.scim.create({ createScimGroupMappingRequest: request })).data;
  expect(made).toMatchObject({ ...request, organizationId: group?.organizationId });
  const inLab = async (): Promise<unknown> =>
    (await client.workspaces.listMembers({ id: 'lab' })).result.data.map(({ userId, role }) => [userId, role]);
  expect(await inLab()).toEqual([[user.body.id, 'member']]);

  expect((await client.scim.read({ id: made.id })).data).toEqual(made);
  expect((await client.scim.listMappings({ limit: 10 })).result).toEqual({ totalCount: 1, data: [made] });
  const changed = await client.scim.update({ id: made.id, updateScimGroupMappingRequest: { role: 'admin' } });
  expect(changed.data.role).toBe('admin');
  expect(await inLab()).toEqual([[user.body.id, 'admin']]);
  expect(await failureOf(client.scim.create({ createScimGroupMappingRequest: request }))).toBeInstanceOf(
    errors.ConflictResponseError,
  );
  expect(await client.scim.delete({ id: made.id, keepMembers: false })).toEqual({ deleted: true });
  expect(await inLab()).toEqual([]);
  expect(await failureOf(client.scim.read({ id: made.id }))).toBeInstanceOf(errors.NotFoundResponseError);
});
