import { expect, test } from 'vitest';

import { createCoreGateway, jsonOf } from '../../../../../test/support/gateways/core-gateway.ts';
import { createTurnTransport } from '../../../../../test/support/upstreams/scripted-turns.ts';

const endpoints = [{ provider: 'acme', providerModel: 'm' }];
const MODELS = ['anthropic/claude-opus-4.8', 'anthropic/claude-3.5-sonnet', 'acme/claude-like'].map((id) => ({
  id,
  endpoints,
}));

const openGateway = () => createCoreGateway(createTurnTransport([{ content: 'Hi' }]), { models: MODELS });

test.each([
  ['claude-opus-4-8', 'anthropic/claude-opus-4.8'],
  ['claude-opus-4-8-20260101', 'anthropic/claude-opus-4.8'],
  ['claude-opus-4-8-latest', 'anthropic/claude-opus-4.8'],
  ['claude-opus-4-8[1m]', 'anthropic/claude-opus-4.8'],
  ['claude-opus-4-8-20260101[1m]', 'anthropic/claude-opus-4.8'],
  ['anthropic/claude-opus-4-8', 'anthropic/claude-opus-4.8'],
  ['claude-3-5-sonnet-20241022', 'anthropic/claude-3.5-sonnet'],
])('%s, as the API of Anthropic has it, is %s', async (model, meant) => {
  expect(jsonOf(await openGateway().chat({ model }))['model']).toBe(meant);
});

test.each(['claude-opus-4-9', 'claude-opus-4', 'claude-like', 'claude-', 'claude-opus-4-8-mini'])(
  '%s is no model, and is refused by name',
  async (model) => {
    const response = await openGateway().chat({ model });
    expect(response.status).toBe(400);
    expect(JSON.stringify(jsonOf(response))).toContain('is not a valid model ID');
  },
);
