import { OpenRouter } from '@openrouter/sdk';
import type { CreateGuardrailRequest } from '@openrouter/sdk/models';
import * as errors from '@openrouter/sdk/models/errors';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { failureOf } from '../../support/async/failure-of.ts';
import { readAll } from '../../support/async/read-all.ts';
import { HOST_KINDS } from '../../support/conformance/hosts.ts';
import { type LocalConformance, startConformance } from '../../support/conformance/start-conformance.ts';
import { TEST_KEY, TEST_MANAGEMENT_KEY } from '../../support/gateways/test-gateway.ts';

const UNKNOWN_ID = 'a4cf0d1e-8f0c-4c51-9c5e-0d6f6a7b8c9d';

// Every response is checked: the client refuses those that its schemas do not allow.
describe.each(HOST_KINDS)('the OpenRouter client that administers on %s', (kind) => {
  let conformance: LocalConformance;
  let admin: OpenRouter;
  let caller: OpenRouter;

  const clientWith = (apiKey: string): OpenRouter =>
    new OpenRouter({
      apiKey,
      serverURL: conformance.apiUrl,
      retryConfig: { strategy: 'none' },
    });
  const say = (client: OpenRouter) =>
    client.chat.send({
      chatRequest: { model: 'test/text', messages: [{ role: 'user', content: 'Hi' }], stream: false },
    });
  const createGuardrail = async (request: Partial<CreateGuardrailRequest> = {}): Promise<string> =>
    (await admin.guardrails.create({ createGuardrailRequest: { name: 'rail', ...request } })).data.id;
  const createKey = async (name = 'key') => {
    const { data, key } = await admin.apiKeys.create({ requestBody: { name } });
    return { hash: data.hash, key };
  };

  beforeAll(async () => {
    conformance = await startConformance(kind);
    admin = clientWith(TEST_MANAGEMENT_KEY);
    caller = clientWith(TEST_KEY);
    await conformance.store.members.insert({
      id: 'user-1',
      email: 'one@example.com',
      first_name: 'One',
      last_name: null,
      role: 'org:admin',
    });
  });
  afterAll(() => conformance.close());

  test('creates, lists, reads, changes and deletes keys', async () => {
    const expiresAt = new Date('2099-01-01T00:00:00.000Z');
    const { data, key } = await admin.apiKeys.create({
      requestBody: {
        name: 'ci',
        limit: 5,
        limitReset: 'monthly',
        includeByokInLimit: true,
        expiresAt,
        creatorUserId: 'user-1',
      },
    });
    const { hash } = data;
    expect(data).toMatchObject({ name: 'ci', limit: 5, limitRemaining: 5, limitReset: 'monthly', usage: 0, expiresAt });
    expect((await admin.apiKeys.list({})).data.map((other) => other.hash)).toContain(hash);
    const changed = await admin.apiKeys.update({ hash, requestBody: { name: 'ci-2', limit: null, disabled: true } });
    expect(changed.data).toMatchObject({ name: 'ci-2', limit: null, limitRemaining: null, disabled: true });
    expect((await admin.apiKeys.get({ hash })).data).toEqual(changed.data);
    expect((await admin.apiKeys.list({})).data.map((other) => other.hash)).not.toContain(hash);
    expect((await admin.apiKeys.list({ includeDisabled: true })).data.map((other) => other.hash)).toContain(hash);
    expect(JSON.stringify(await admin.apiKeys.list({ includeDisabled: true }))).not.toContain(key);
    expect(await admin.apiKeys.delete({ hash })).toEqual({ deleted: true });
    expect(await failureOf(admin.apiKeys.get({ hash }))).toBeInstanceOf(errors.NotFoundResponseError);
  });

  test('creates a key for a user, whom its calls are recorded for', async () => {
    const { data, key } = await admin.apiKeys.create({ requestBody: { name: 'k', external: { user: 'partner-7' } } });
    expect(data.externalUser).toBe('partner-7');
    const { id } = (await say(clientWith(key))) as { id: string };
    expect((await admin.generations.getGeneration({ id })).data.externalUser).toBe('partner-7');
  });

  test('forbids server tools to a workspace, and allows them again', async () => {
    const disabledServerTools = ['openrouter:datetime', 'openrouter:bash'] as const;
    const { data } = await admin.workspaces.create({
      createWorkspaceRequest: { name: 'No tools', slug: 'no-tools', disabledServerTools: [...disabledServerTools] },
    });
    expect(data.disabledServerTools).toEqual(disabledServerTools);
    const changed = await admin.workspaces.update({ id: data.id, updateWorkspaceRequest: { disabledServerTools: [] } });
    expect(changed.data.disabledServerTools).toBeNull();
    expect(await admin.workspaces.delete({ id: data.id })).toEqual({ deleted: true });
  });

  test('shows a caller its own key, with what it has spent', async () => {
    const { key } = await createKey('spender');
    const client = clientWith(key);
    await say(client);
    const { data } = await client.apiKeys.getCurrentKeyMetadata();
    expect(data).toMatchObject({ usage: 0.000026, usageDaily: 0.000026, usageMonthly: 0.000026, byokUsage: 0 });
    expect(data).toMatchObject({ isManagementKey: false, limit: null, allowedDataRegions: ['global', 'europe', 'us'] });
    expect((await admin.apiKeys.getCurrentKeyMetadata()).data).toMatchObject({ isManagementKey: true });
  });

  test('throws a 401 for a key from the moment it is disabled or deleted', async () => {
    const [disabled, deleted] = [await createKey(), await createKey()];
    for (const { key } of [disabled, deleted]) await say(clientWith(key));
    await admin.apiKeys.update({ hash: disabled.hash, requestBody: { disabled: true } });
    await admin.apiKeys.delete({ hash: deleted.hash });
    for (const { key } of [disabled, deleted]) {
      expect(await failureOf(say(clientWith(key)))).toBeInstanceOf(errors.UnauthorizedResponseError);
    }
    await admin.apiKeys.update({ hash: disabled.hash, requestBody: { disabled: false } });
    await say(clientWith(disabled.key));
  });

  test('creates a guardrail, changes it field by field and deletes it', async () => {
    const { data } = await admin.guardrails.create({
      createGuardrailRequest: {
        name: 'life',
        limitUsd: 5,
        resetInterval: 'weekly',
        allowedModels: ['test/text'],
        enforceZdr: true,
        enforceZdrXai: false,
        contentFilters: [{ pattern: 'badger', action: 'redact', label: null }],
        contentFilterBuiltins: [{ slug: 'email', action: 'block', label: 'Email' }],
      },
    });
    const { id } = data;
    expect(data).toMatchObject({
      updatedAt: null,
      enforceZdrOpenai: true,
      enforceZdrXai: false,
      includeByokInBudgets: false,
    });
    expect(data.contentFilterBuiltins).toEqual([{ slug: 'email', action: 'block' }]);
    const updated = await admin.guardrails.update({
      id,
      updateGuardrailRequest: { description: 'd', limitUsd: null, enforceZdr: null },
    });
    expect(updated.data).toEqual({
      ...data,
      description: 'd',
      limitUsd: null,
      enforceZdr: null,
      enforceZdrAnthropic: null,
      enforceZdrGoogle: null,
      enforceZdrOpenai: null,
      enforceZdrOther: null,
      enforceZdrXai: null,
      updatedAt: expect.any(String),
    });
    expect((await admin.guardrails.get({ id })).data).toEqual(updated.data);
    expect(await admin.guardrails.delete({ id })).toEqual({ deleted: true });
    expect(await failureOf(admin.guardrails.get({ id }))).toBeInstanceOf(errors.NotFoundResponseError);
  });

  test('pages through all guardrails, once each', async () => {
    for (let index = 0; index < 5; index += 1) await createGuardrail();
    const pages = await readAll(await admin.guardrails.list({ limit: 2 }));
    const ids = pages.flatMap(({ result }) => result.data.map(({ id }) => id));
    expect(ids).toHaveLength(pages[0]?.result.totalCount ?? 0);
    expect(new Set(ids).size).toBe(ids.length);
    expect(pages.slice(0, -1).every(({ result }) => result.data.length === 2)).toBe(true);
  });

  test('assigns guardrails to keys, lists the assignments and takes them away', async () => {
    const [first, second] = [await createGuardrail(), await createGuardrail()];
    const { hash } = await createKey('guarded');
    const assign = (id: string) =>
      admin.guardrails.bulkAssignKeys({ id, bulkAssignKeysRequest: { keyHashes: [hash] } });
    expect(await assign(first)).toEqual({ assignedCount: 1 });
    expect(await assign(second)).toEqual({ assignedCount: 1 });
    expect((await admin.guardrails.listGuardrailKeyAssignments({ id: first })).result.totalCount).toBe(0);
    const { result } = await admin.guardrails.listGuardrailKeyAssignments({ id: second });
    expect(result.data).toMatchObject([
      {
        guardrailId: second,
        keyHash: hash,
        keyName: 'guarded',
        assignedBy: expect.stringMatching(/^[\da-f]{64}$/) as string,
      },
    ]);
    expect((await admin.guardrails.listKeyAssignments({})).result.data).toContainEqual(result.data[0]);
    const unassign = () =>
      admin.guardrails.bulkUnassignKeys({ id: second, bulkUnassignKeysRequest: { keyHashes: [hash] } });
    expect(await unassign()).toEqual({ unassignedCount: 1 });
    expect(await unassign()).toEqual({ unassignedCount: 0 });
  });

  test('assigns guardrails to members, lists the assignments and takes them away', async () => {
    const id = await createGuardrail();
    const memberUserIds = ['user-1'];
    expect(await admin.guardrails.bulkAssignMembers({ id, bulkAssignMembersRequest: { memberUserIds } })).toEqual({
      assignedCount: 1,
    });
    const { result } = await admin.guardrails.listGuardrailMemberAssignments({ id, offset: 0, limit: 10 });
    expect(result.data).toMatchObject([{ guardrailId: id, userId: 'user-1', organizationId: expect.any(String) }]);
    expect((await admin.guardrails.listMemberAssignments({})).result.data).toEqual(result.data);
    expect(await admin.guardrails.bulkUnassignMembers({ id, bulkUnassignMembersRequest: { memberUserIds } })).toEqual({
      unassignedCount: 1,
    });
    expect(
      await failureOf(
        admin.guardrails.bulkAssignMembers({ id, bulkAssignMembersRequest: { memberUserIds: ['nobody'] } }),
      ),
    ).toBeInstanceOf(errors.NotFoundResponseError);
  });

  test('throws what the API declares for the members of a guardrail', async () => {
    const id = await createGuardrail();
    const list = (client: OpenRouter, of: string) =>
      failureOf(client.guardrails.listGuardrailMemberAssignments({ id: of }));
    expect(await list(caller, id)).toBeInstanceOf(errors.UnauthorizedResponseError);
    expect(await list(admin, UNKNOWN_ID)).toBeInstanceOf(errors.NotFoundResponseError);
    expect(await list(admin, 'no-uuid')).toBeInstanceOf(errors.NotFoundResponseError);
    const tooMany = await failureOf(admin.guardrails.listGuardrailMemberAssignments({ id, limit: 101 }));
    expect(tooMany).toMatchObject({ statusCode: 400 });
  });

  test('lists members, providers and endpoints without retention', async () => {
    expect((await admin.organization.listMembers({})).result).toEqual({
      data: [{ id: 'user-1', email: 'one@example.com', firstName: 'One', lastName: null, role: 'org:admin' }],
      totalCount: 1,
    });
    expect((await caller.providers.list()).data).toMatchObject([{ slug: 'scripted', name: 'Scripted' }]);
    expect((await caller.endpoints.listZdrEndpoints()).data).toEqual([]);
  });

  test('shows credits to management alone', async () => {
    await say(caller);
    expect((await admin.credits.getCredits()).data.totalUsage).toBeGreaterThan(0.00002);
    expect(await failureOf(caller.credits.getCredits())).toBeInstanceOf(errors.ForbiddenResponseError);
  });

  test('adds up the activity of a key by day, model and provider', async () => {
    const { key, hash } = await createKey();
    for (let index = 0; index < 2; index += 1) await say(clientWith(key));
    const { data } = await admin.analytics.getUserActivity({ apiKeyHash: hash });
    expect(data).toMatchObject([
      {
        date: new Date().toISOString().slice(0, 10),
        model: 'test/text',
        providerName: 'Scripted',
        requests: 2,
        promptTokens: 24,
        completionTokens: 16,
        usage: 0.000052,
        byokUsageInference: 0,
      },
    ]);
    expect(data[0]).not.toHaveProperty('workspaceId');
    const split = await admin.analytics.getUserActivity({ apiKeyHash: hash, groupBy: 'workspace' });
    expect(split.data[0]?.workspaceId).toEqual(expect.any(String));
    expect(await failureOf(admin.analytics.getUserActivity({ date: '2020-01-01' }))).toBeInstanceOf(
      errors.BadRequestResponseError,
    );
  });

  test('reports what analytics know, and adds usage up', async () => {
    await say(caller);
    const { metrics, dimensions } = (await admin.analytics.getAnalyticsMeta()).data;
    expect(metrics).toContainEqual({
      name: 'request_count',
      displayLabel: 'Requests',
      isRate: false,
      displayFormat: 'number',
    });
    expect(dimensions.map(({ name }) => name)).toContain('model');
    const requestBody = {
      metrics: ['request_count', 'total_usage', 'p90_latency'],
      dimensions: ['model'],
      granularity: 'day',
      filters: [{ field: 'model', operator: 'eq', value: 'test/text' }],
      orderBy: { field: 'date', direction: 'desc' as const },
    };
    const { data } = await admin.analytics.queryAnalytics({ requestBody });
    expect(data.metadata).toMatchObject({ rowCount: 1, truncated: false, queryTimeMs: expect.any(Number) });
    const bad = admin.analytics.queryAnalytics({ requestBody: { metrics: ['visits'] } });
    expect(await failureOf(bad)).toBeInstanceOf(errors.BadRequestResponseError);
    expect(await failureOf(caller.analytics.getAnalyticsMeta())).toBeInstanceOf(errors.ForbiddenResponseError);
  });

  test('takes feedback on a generation from its caller only', async () => {
    const { id } = (await say(caller)) as { id: string };
    const submit = (client: OpenRouter) =>
      client.generations.submitFeedback({
        submitGenerationFeedbackRequest: { generationId: id, category: 'latency', comment: 'slow' },
      });
    expect(await submit(caller)).toEqual({ data: { success: true } });
    expect((await conformance.store.generations.get(id))?.generation.feedback).toMatchObject([
      { category: 'latency', comment: 'slow' },
    ]);
    const { key } = await createKey();
    expect(await failureOf(submit(clientWith(key)))).toBeInstanceOf(errors.NotFoundResponseError);
  });

  test('creates, lists, reads, changes and deletes workspaces, and their budgets', async () => {
    const slug = `team-${kind}`;
    const { data } = await admin.workspaces.create({ createWorkspaceRequest: { name: 'Team', slug } });
    const { id } = data;
    expect((await admin.workspaces.list({})).result.data.map((other) => other.slug)).toEqual(['default', slug]);
    expect((await admin.workspaces.get({ id: slug })).data).toEqual(data);
    const renamed = await admin.workspaces.update({ id, updateWorkspaceRequest: { name: 'Crew' } });
    expect(renamed.data).toMatchObject({ name: 'Crew', slug });

    const set = (interval: 'daily' | 'monthly', limitUsd: number) =>
      admin.workspaces.setBudget({ workspaceRef: id, interval, upsertWorkspaceBudgetRequest: { limitUsd } });
    expect((await set('monthly', 100)).data).toMatchObject({
      limitUsd: 100,
      resetInterval: 'monthly',
      workspaceId: id,
    });
    expect(await failureOf(set('daily', 100))).toBeInstanceOf(errors.BadRequestResponseError);
    await set('daily', 10);
    expect((await admin.workspaces.listBudgets({ workspaceRef: id })).data.map(({ limitUsd }) => limitUsd)).toEqual([
      10, 100,
    ]);
    expect((await admin.workspaces.getBudget({ workspaceRef: id, interval: 'daily' })).data.limitUsd).toBe(10);
    for (let index = 0; index < 2; index += 1) {
      expect(await admin.workspaces.deleteBudget({ workspaceRef: id, interval: 'daily' })).toEqual({ deleted: true });
    }
    expect(await admin.workspaces.delete({ id })).toEqual({ deleted: true });
    expect(await failureOf(admin.workspaces.get({ id }))).toBeInstanceOf(errors.NotFoundResponseError);
  });

  test('agrees that an app gets a key, which the app exchanges its code for, once', async () => {
    const { codeChallenge, codeVerifier } = await admin.oAuth.createSHA256CodeChallenge();
    const requestBody = {
      callbackUrl: 'https://app.example/callback',
      codeChallenge,
      codeChallengeMethod: 'S256' as const,
      keyLabel: 'Notes',
      limit: 2,
    };
    const { data } = await admin.oAuth.createAuthCode({ requestBody });
    expect(data).toMatchObject({ id: expect.any(String), appId: expect.any(Number) });
    const app = clientWith('');
    const exchange = (codeChallengeMethod: 'S256' | 'plain') =>
      app.oAuth.exchangeAuthCodeForAPIKey({ requestBody: { code: data.id, codeVerifier, codeChallengeMethod } });
    expect(await failureOf(exchange('plain'))).toBeInstanceOf(errors.BadRequestResponseError);
    const { key } = await exchange('S256');
    expect((await clientWith(key).apiKeys.getCurrentKeyMetadata()).data).toMatchObject({ limit: 2 });
    expect(await failureOf(exchange('S256'))).toBeInstanceOf(errors.ForbiddenResponseError);
    expect(await failureOf(caller.oAuth.createAuthCode({ requestBody }))).toMatchObject({ statusCode: 403 });
  });

  test('adds members to a workspace, lists them, and removes those without keys in it', async () => {
    const { data } = await admin.workspaces.create({ createWorkspaceRequest: { name: 'Crew', slug: `crew-${kind}` } });
    const { id } = data;
    const userIds = ['user-1'];
    const added = await admin.workspaces.bulkAddMembers({ id, bulkAddWorkspaceMembersRequest: { userIds } });
    expect(added).toMatchObject({ addedCount: 1, data: [{ userId: 'user-1', workspaceId: id, role: 'admin' }] });
    expect((await admin.workspaces.listMembers({ id: data.slug })).result).toEqual({ data: added.data, totalCount: 1 });
    const remove = () => admin.workspaces.bulkRemoveMembers({ id, bulkRemoveWorkspaceMembersRequest: { userIds } });
    const key = { name: 'own', creatorUserId: 'user-1', workspaceId: id };
    const { hash } = (await admin.apiKeys.create({ requestBody: key })).data;
    expect(await failureOf(remove())).toBeInstanceOf(errors.BadRequestResponseError);
    await admin.apiKeys.delete({ hash });
    expect(await remove()).toEqual({ removedCount: 1 });
    expect(await failureOf(caller.workspaces.listMembers({ id }))).toBeInstanceOf(errors.ForbiddenResponseError);
    expect(await failureOf(admin.workspaces.listMembers({ id: UNKNOWN_ID }))).toBeInstanceOf(
      errors.NotFoundResponseError,
    );
    await admin.workspaces.delete({ id });
  });

  test('writes the default guardrail of a workspace by its id', async () => {
    const { defaultGuardrailId: id } = (await admin.workspaces.get({ id: 'default' })).data;
    expect(await failureOf(admin.guardrails.get({ id }))).toBeInstanceOf(errors.NotFoundResponseError);
    const { data } = await admin.guardrails.update({ id, updateGuardrailRequest: { limitUsd: 1000 } });
    expect(data).toMatchObject({ id, name: expect.stringMatching(/^Workspace \S+ Default$/), limitUsd: 1000 });
    expect(await failureOf(admin.guardrails.update({ id, updateGuardrailRequest: { name: 'mine' } }))).toBeInstanceOf(
      errors.BadRequestResponseError,
    );
    expect(await admin.guardrails.delete({ id })).toEqual({ deleted: true });
  });

  test('creates, lists, reads, changes and deletes destinations, and never shows their secrets', async () => {
    const secretKey = 'sk-lf-0123456789abcdef';
    const { data } = await admin.observability.create({
      createObservabilityDestinationRequest: {
        type: 'langfuse',
        name: 'Traces',
        config: { publicKey: 'pk-lf-1', secretKey },
      },
    });
    const { id } = data as { readonly id: string };
    expect(data).toMatchObject({
      type: 'langfuse',
      enabled: true,
      samplingRate: 1,
      config: { secretKey: '********cdef' },
    });
    const changed = await admin.observability.update({
      id,
      updateObservabilityDestinationRequest: {
        samplingRate: 0.5,
        config: { publicKey: 'pk-lf-2', secretKey: '********cdef' },
      },
    });
    expect(changed.data).toMatchObject({ samplingRate: 0.5, config: { publicKey: 'pk-lf-2' } });
    expect((await conformance.store.destinations.get(id))?.config['secretKey']).toBe(secretKey);
    expect((await admin.observability.get({ id })).data).toEqual(changed.data);
    expect((await admin.observability.list({})).result.data).toEqual([changed.data]);
    expect(await admin.observability.delete({ id })).toEqual({ deleted: true });
    expect(await failureOf(admin.observability.get({ id }))).toBeInstanceOf(errors.NotFoundResponseError);
  });
});
