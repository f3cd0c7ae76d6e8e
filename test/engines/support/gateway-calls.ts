import { expect } from 'vitest';

import type { GatewayProcess } from './gateway-process.ts';

/** A video order at a process of `run-gateway.ts`. */
export const VIDEO_ORDER = { model: 'acme/film', prompt: 'a fox', duration: 4 };

const CHAT = { model: 'acme/chat', messages: [{ role: 'user', content: 'hello' }] };
const DESTINATION = { type: 'webhook', name: 'all', config: { url: 'https://receiver.example/', method: 'POST' } };

/** Makes a call of `chat`. Resolves with the id of its generation. */
export async function callChat(at: GatewayProcess): Promise<string> {
  const { status, headers } = await at.ask('POST', '/api/v1/chat/completions', CHAT);
  expect(status).toBe(200);
  return headers['x-generation-id'] ?? '';
}

/** Lets all generations be sent to a receiver. */
export async function addDestination(at: GatewayProcess): Promise<void> {
  expect((await at.ask('POST', '/api/v1/observability/destinations', DESTINATION)).status).toBe(201);
}

/** The ids of the generations that a process has sent there, in order. */
export function sentBy({ events }: GatewayProcess): string[] {
  return events
    .filter(({ type }) => type === 'received')
    .flatMap(({ body }) => [...body.matchAll(/"gen_ai.response.id","value":\{"stringValue":"([^"]+)"/g)])
    .map(([, id = '']) => id);
}
