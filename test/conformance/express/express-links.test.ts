import type { RequestListener } from 'node:http';

import type { Gateway, GatewayOptions, ModelDefinition, TransportRequest } from '@model-gateway/core';
import { gatewayRouter } from '@model-gateway/express';
import { listen, toNodeHandler } from '@model-gateway/node';
import express5 from 'express';
import express4 from 'express-4';
import { expect, onTestFinished, test } from 'vitest';

import { settle } from '../../support/async/virtual-platform.ts';
import { sendRaw } from '../../support/clients/send-raw.ts';
import { type Host, startApp, startHost } from '../../support/conformance/hosts.ts';
import { API_KEY, createCoreGateway, createScriptedProvider } from '../../support/gateways/core-gateway.ts';
import { createScriptedVideos, toBody } from '../../support/videos/scripted-videos.ts';
import { FILM } from '../../support/videos/video-gateway.ts';

/** Serves a gateway; resolves with the address of its mount, and the one with which its links begin. */
type Mount = (gateway: Gateway) => Promise<{ readonly url: string; readonly publicUrl?: string }>;

const atHost = ({ apiUrl, close }: Host): { url: string } => {
  onTestFinished(close);
  return { url: apiUrl.replace(/\/api\/v1$/, '') };
};
const serveApp = async (app: RequestListener, path = ''): Promise<{ url: string }> => atHost(await startApp(app, path));

const MOUNTS: readonly (readonly [string, string, Mount])[] = [
  ['Express 4 at its root', '', (gateway) => serveApp(express4().use(gatewayRouter(gateway)))],
  ['Express 4', '/ai', (gateway) => serveApp(express4().use('/ai', gatewayRouter(gateway)), '/ai')],
  ['Express 5', '/ai', (gateway) => serveApp(express5().use('/ai', gatewayRouter(gateway)), '/ai')],
  [
    'a router of Express 5 with a parameter',
    '/deep/acme/ai',
    (gateway) => {
      const inner = express5.Router().use('/ai', gatewayRouter(gateway));
      return serveApp(express5().use('/deep/:tenant', inner), '/deep/acme/ai');
    },
  ],
  ['node:http', '/ai', async (gateway) => atHost(await startHost('node-handler', gateway))],
  [
    'the Node handler where middleware has removed its path',
    '/deep/ai',
    (gateway) => serveApp(express5().use('/deep', toNodeHandler(gateway, { mountPath: '/ai' })), '/deep/ai'),
  ],
  ['the fetch handler', '/ai', async (gateway) => atHost(await startHost('fetch', gateway))],
  [
    'a listener with a public address',
    '/public',
    async (gateway) => {
      const publicUrl = 'https://gateway.example/public';
      const listener = await listen(gateway, { port: 0, publicUrl });
      onTestFinished(() => listener.close());
      return { url: listener.url, publicUrl };
    },
  ],
];

const CHATS: readonly ModelDefinition[] = ['one', 'two', 'three'].map((name) => ({
  id: `acme/${name}`,
  endpoints: [{ provider: 'acme', providerModel: name }],
}));

function createLinkedGateway() {
  const sent: TransportRequest[] = [];
  const webhooks: GatewayOptions['webhooks'] = {
    findUrlProblem: () => undefined,
    transport: {
      async send(request) {
        sent.push(request);
        return { status: 200, headers: {}, body: toBody('') };
      },
    },
  };
  const providers = [createScriptedVideos().provider, createScriptedProvider('acme', [])];
  const core = createCoreGateway(providers, { models: [FILM, ...CHATS], webhooks });
  return { ...core, sent };
}

async function ask(url: string, body?: object): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' };
  const response = await fetch(url, { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) });
  expect(response.status).toBeLessThan(300);
  return (await response.json()) as Record<string, unknown>;
}

test.each(MOUNTS)('links of models carry the path of the mount in %s at "%s"', async (_, path, mount) => {
  const { gateway } = createLinkedGateway();
  const { url, publicUrl } = await mount(gateway);
  const follow = (link: string): string =>
    publicUrl === undefined ? new URL(link, url).href : url + link.slice(path.length);
  for (const list of ['/models', '/models/user']) {
    const whole = (await ask(`${url}/api/v1${list}`)) as { data: { id: string; links: { details: string } }[] };
    expect(whole.data.map(({ links }) => links.details)).toEqual(
      ['one', 'two', 'three'].map((name) => `${path}/api/v1/models/acme/${name}/endpoints`),
    );
    expect(await ask(follow(whole.data[0]?.links.details ?? ''))).toMatchObject({ data: { id: 'acme/one' } });

    const first = (await ask(`${url}/api/v1${list}?limit=2&q=acme`)) as { links: { next: string }; data: unknown[] };
    expect(first.links.next).toBe(`${path}/api/v1${list}?limit=2&q=acme&offset=2`);
    expect(first.data).toEqual(whole.data.slice(0, 2));
    const second = (await ask(follow(first.links.next))) as { links: { next: null }; data: unknown[] };
    expect([second.data, second.links.next]).toEqual([whole.data.slice(2), null]);
  }
});

test.each(MOUNTS)(
  'links of a video and its webhook carry the path of the mount in %s at "%s"',
  async (_, path, mount) => {
    const { gateway, platform, sent } = createLinkedGateway();
    const { url, publicUrl = url } = await mount(gateway);
    const body = { model: 'acme/film', prompt: 'a fox', duration: 4, callback_url: 'https://hooks.example/' };
    const job = (await ask(`${url}/api/v1/videos`, body)) as { id: string; polling_url: string };
    expect(job.polling_url).toBe(`${path}/api/v1/videos/${job.id}`);
    await platform.advance(60_000);
    await settle();
    const unsigned_urls = [`${publicUrl}/api/v1/videos/${job.id}/content?index=0`];
    expect(await ask(`${url}/api/v1/videos/${job.id}`)).toMatchObject({
      status: 'completed',
      polling_url: `${path}/api/v1/videos/${job.id}`,
      unsigned_urls,
    });
    expect(JSON.parse(sent[0]?.body as string)).toMatchObject({ data: { unsigned_urls } });
  },
);

test.each(MOUNTS)('serves a target with the whole address of the own host in %s at "%s"', async (_, path, mount) => {
  const { gateway } = createLinkedGateway();
  const { url } = await mount(gateway);
  const headers = { authorization: `Bearer ${API_KEY}`, host: new URL(url).host };
  const own = await sendRaw(url, `${url}/api/v1/models?limit=2`, { headers });
  expect([own.status, JSON.parse(own.body)]).toMatchObject([
    200,
    { data: [{ id: 'acme/one' }, { id: 'acme/two' }], links: { next: `${path}/api/v1/models?limit=2&offset=2` } },
  ]);
});

/** A host of fetch requests decides itself which addresses are its own. */
const NODE_MOUNTS = MOUNTS.filter(([name]) => name !== 'the fetch handler');

test.each(NODE_MOUNTS)('serves no target with the address of another host in %s at "%s"', async (_, _path, mount) => {
  const { url } = await mount(createLinkedGateway().gateway);
  const headers = { authorization: `Bearer ${API_KEY}`, host: new URL(url).host };
  const other = url.replace(headers.host, 'elsewhere.example');
  expect([400, 404]).toContain((await sendRaw(url, `${other}/api/v1/models`, { headers })).status);
});
