import { expect, onTestFinished, test } from 'vitest';

import { toScriptedConfig } from '../support/gateways/scripted-config.ts';
import { type StartedCommand, startCommand } from '../support/gateways/start-command.ts';
import { TEST_KEY } from '../support/gateways/test-gateway.ts';
import { writeTestConfig } from '../support/gateways/write-test-config.ts';
import type { ScriptedUpstream } from '../support/upstreams/scripted-upstream.ts';
import { openUpstream } from './support/cluster-config.ts';
import { findFreePort } from './support/engine-server.ts';
import { findProgram } from './support/find-program.ts';
import { type Nginx, startNginx } from './support/start-nginx.ts';

const missing = findProgram('nginx') === undefined ? 'there is no nginx on this machine' : undefined;

interface Balanced {
  readonly upstream: ScriptedUpstream;
  readonly gateways: readonly StartedCommand[];
  readonly nginx: Nginx;
}

async function startBalanced(): Promise<Balanced> {
  const upstream = await openUpstream();
  const port = await findFreePort();
  const server = { publicUrl: `http://127.0.0.1:${port}` };
  const config = { ...toScriptedConfig(upstream), server, store: { type: 'memory' } };
  const gateways = await Promise.all([1, 2, 3].map(() => startCommand(writeTestConfig(config))));
  const nginx = await startNginx(
    port,
    gateways.map(({ url }) => Number(new URL(url).port)),
  );
  onTestFinished(() => nginx.remove());
  return { upstream, gateways, nginx };
}

const ask = ({ nginx }: Balanced, model: string, stream = false): Promise<Response> =>
  fetch(`${nginx.url}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TEST_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: `test/${model}`, stream, messages: [{ role: 'user', content: 'Hello' }] }),
  });

test.skipIf(missing)('the nginx of the example passes each piece of a stream on at once', async () => {
  const balanced = await startBalanced();
  const response = await ask(balanced, 'held', true);
  expect(response.status).toBe(200);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  // The upstream sends the rest only when what came before has been read here.
  while (!text.includes('data: {')) text += (await reader?.read())?.value ?? '';
  expect(text).not.toContain('[DONE]');
  balanced.upstream.release();
  for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) text += read.value;
  expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true);
});

test.skipIf(missing)(
  'a call goes to another gateway where one has gone, and none that was sent is sent again',
  async () => {
    const balanced = await startBalanced();
    const { gateways, upstream } = balanced;
    const held = [1, 2, 3].map(() => ask(balanced, 'held'));
    await expect.poll(() => upstream.calls.length).toBe(3);
    await gateways[0]?.kill();
    const broken = await Promise.race(held);
    expect(broken.status).toBe(502);
    // Those of the other two go on, and new calls find them.
    const after = await Promise.all(Array.from({ length: 12 }, () => ask(balanced, 'text')));
    expect(after.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 200));
    upstream.release();
    const statuses = (await Promise.all(held)).map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 200, 502]);
    expect(upstream.calls.filter(({ body }) => body.model === 'held')).toHaveLength(3);
  },
);

test.skipIf(missing)('a gateway that is marked as down gets no new calls, and its stream ends whole', async () => {
  const balanced = await startBalanced();
  const { gateways, nginx, upstream } = balanced;
  const streams = await Promise.all([1, 2, 3].map(() => ask(balanced, 'held', true)));
  await nginx.reload([0]);
  const open = async (): Promise<number> => {
    const response = await fetch(`${gateways[0]?.url}/metrics`);
    return Number(
      /^model_gateway_generations_total\{outcome="completed"\} (\d+)/m.exec(await response.text())?.[1] ?? 0,
    );
  };
  // Old processes of nginx take calls for a moment, until the reload is through.
  let before = -1;
  let now = 0;
  while (before !== now) {
    before = await open();
    const statuses = (await Promise.all(Array.from({ length: 12 }, () => ask(balanced, 'text')))).map((r) => r.status);
    expect(new Set(statuses)).toEqual(new Set([200]));
    now = await open();
  }
  upstream.release();
  for (const stream of streams) expect((await stream.text()).trimEnd().endsWith('data: [DONE]')).toBe(true);
});

test.skipIf(missing)('what single gateways count is not shown to callers', async () => {
  const { nginx } = await startBalanced();
  expect((await fetch(`${nginx.url}/metrics`)).status).toBe(404);
  expect((await fetch(`${nginx.url}/ready`)).status).toBe(200);
});
