import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { FixtureState } from '@model-gateway/core';
import { expect, onTestFinished, test } from 'vitest';

import { toScriptedConfig } from '../../../../test/support/gateways/scripted-config.ts';
import { startComposed } from '../../../../test/support/gateways/start-composed.ts';
import { TEST_KEY, TEST_MANAGEMENT_KEY, UPSTREAM_KEY } from '../../../../test/support/gateways/test-gateway.ts';
import { startScriptedUpstream } from '../../../../test/support/upstreams/scripted-upstream.ts';
import type { RecordOptions } from '../open/open-fixtures.ts';

/** A gateway over a scripted upstream whose mode can be switched, with a directory that does not exist yet. */
async function start(record?: RecordOptions['at']) {
  const upstream = await startScriptedUpstream();
  onTestFinished(upstream.close);
  const folder = mkdtempSync(join(tmpdir(), 'switch-modes-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const dir = join(folder, 'recordings');
  const store = { type: 'memory' };
  const { apiUrl } = await startComposed(
    { ...toScriptedConfig(upstream), store },
    { recordingsDir: dir, record: record === undefined ? null : { dir, mode: 'record-all', at: record } },
  );
  const admin = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${apiUrl.replace('/api/v1', '/admin/v1')}${path}`, {
      method,
      headers: { authorization: `Bearer ${TEST_MANAGEMENT_KEY}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as { data: unknown; error?: { message: string } } };
  };
  const describe = async () => (await admin('GET', '/fixtures')).body.data as FixtureState;
  const switchTo = async (mode: FixtureState['mode']) => {
    const { status, body } = await admin('PATCH', '/fixtures', { mode });
    return { status, state: body.data as FixtureState, message: body.error?.message };
  };
  const ask = async (content: string, stream = false, model = 'test/text') => {
    const response = await fetch(`${apiUrl}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TEST_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content }], stream }),
    });
    return { status: response.status, text: await response.text() };
  };
  return { upstream, dir, admin, describe, switchTo, ask };
}

test('begins live, without a directory, and tells what it can be switched to', async () => {
  const { upstream, dir, describe, ask } = await start();
  expect(await describe()).toMatchObject({
    mode: 'live',
    dir,
    switches_to: ['live', 'replay', 'record-missing', 'record-all'],
    fixed_because: null,
    recording: null,
    saves: false,
  });
  expect((await ask('Hello')).status).toBe(200);
  expect(upstream.calls).toHaveLength(1);
  expect(existsSync(dir)).toBe(false);
});

test.each([false, true])(
  'records from a switch to a switch, lists what it recorded, and replays it without its provider (stream: %s)',
  async (stream) => {
    const { upstream, dir, admin, describe, switchTo, ask } = await start();
    await ask('Before', stream);
    const { state } = await switchTo('record-all');
    expect(state).toMatchObject({ mode: 'record-all', record_at: 'upstream', saves: true, recording: { cases: 0 } });
    const since = state.recording?.since ?? '';
    const recorded = await ask('While', stream);
    expect((await describe()).recording).toEqual({ since, cases: 1 });
    expect((await switchTo('live')).state).toMatchObject({ mode: 'live', recording: null, record_at: null, cases: 1 });
    await ask('After', stream);

    const listed = await admin('GET', `/fixtures/cases?recorded_since=${encodeURIComponent(since)}`);
    const [row] = listed.body.data as readonly { readonly path: string; readonly recorded_at: string }[];
    expect(listed.body.data).toHaveLength(1);
    expect(row?.path).toMatch(/^scripted\/chat-completions\/while-/);
    expect(Date.parse(row?.recorded_at ?? '')).toBeGreaterThanOrEqual(Date.parse(since));
    const file = readFileSync(join(dir, row?.path ?? '', 'request.json'), 'utf8');
    expect(file).toContain('While');
    expect(file).not.toContain(UPSTREAM_KEY);
    expect(upstream.calls).toHaveLength(3);

    expect((await switchTo('replay')).state).toMatchObject({ mode: 'replay', recording: null });
    const replayed = await ask('While', stream);
    const contentOf = (text: string): string =>
      [...text.matchAll(/"content":"([^"]*)"/g)].map(([, one]) => one).join('');
    expect([replayed.status, contentOf(replayed.text)]).toEqual([200, contentOf(recorded.text)]);
    expect((await ask('After', stream)).status).toBe(404);
    expect(upstream.calls).toHaveLength(3);
    expect(await describe()).toMatchObject({ misses: 1, unused: 0 });
    await switchTo('live');
    expect((await ask('After', stream)).status).toBe(200);
  },
);

test('asks the provider for what is missing alone in record-missing', async () => {
  const { upstream, switchTo, ask } = await start();
  await switchTo('record-missing');
  await ask('One');
  await switchTo('live');
  await switchTo('record-missing');
  await ask('One');
  await ask('Two');
  expect(upstream.calls).toHaveLength(2);
  expect((await switchTo('live')).state).toMatchObject({ cases: 2 });
});

test('lets a call that is under way go on as it began', async () => {
  const { upstream, switchTo, ask, describe } = await start();
  await switchTo('record-all');
  const arrived = upstream.nextCall();
  const asking = ask('Early', false, 'test/held');
  await arrived;
  await switchTo('live');
  upstream.release();
  expect((await asking).status).toBe(200);
  expect(await describe()).toMatchObject({ mode: 'live', cases: 1 });
});

test('stops and begins again where it was started to record the edge, whose responses it replays', async () => {
  const { upstream, switchTo, ask } = await start('edge');
  const { text } = await ask('Hello');
  expect((await switchTo('live')).state).toMatchObject({ mode: 'live', record_at: null, cases: 1 });
  await ask('Not kept');
  expect((await switchTo('replay')).state.cases).toBe(1);
  expect((await ask('Hello')).text).toBe(text);
  expect((await ask('Not kept')).status).toBe(404);
  expect(upstream.calls).toHaveLength(2);
});

test('says why nothing can be recorded, and stays as it was', async () => {
  const { dir, describe, switchTo } = await start();
  writeFileSync(dir, 'a file');
  const { status, message } = await switchTo('record-all');
  expect(status).toBe(409);
  expect(message).toContain(dir);
  expect((await describe()).mode).toBe('live');
});

test('says which recording cannot be read, and goes on serving calls', async () => {
  const { dir, ask, describe, switchTo, upstream } = await start();
  const folder = join(dir, 'scripted', 'chat-completions', 'broken');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'meta.json'), '{');
  expect(await describe()).toMatchObject({ mode: 'live', switches_to: [] });
  expect((await describe()).fixed_because).toContain(folder);
  const { status, message } = await switchTo('replay');
  expect([status, message]).toEqual([409, expect.stringContaining(folder)]);
  expect((await ask('Hello')).status).toBe(200);
  expect(upstream.calls).toHaveLength(1);
  // Once it is mended, no new start is needed.
  rmSync(folder, { recursive: true });
  expect((await switchTo('replay')).status).toBe(200);
});

test('says where there is no directory for recordings', async () => {
  const upstream = await startScriptedUpstream();
  onTestFinished(upstream.close);
  const { apiUrl } = await startComposed({ ...toScriptedConfig(upstream), store: { type: 'memory' } });
  const response = await fetch(`${apiUrl.replace('/api/v1', '/admin/v1')}/fixtures`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${TEST_MANAGEMENT_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ mode: 'record-all' }),
  });
  expect([response.status, await response.json()]).toMatchObject([
    409,
    { error: { message: expect.stringContaining('start with --record DIR') as string } },
  ]);
});
