import { createGateway } from '@model-gateway/core';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { expect, onTestFinished, test } from 'vitest';

import { gatewayRouter } from './gateway-router.ts';

test('a router is not made with a name in expose that serves nothing', () => {
  const gateway = createGateway({ store: createMemoryStore(), providers: [] });
  onTestFinished(() => gateway.close());
  const exposing = (name: string) => () => gatewayRouter(gateway, { expose: [name as 'admin'] });
  expect(exposing('admin')).not.toThrow();
  expect(exposing('ui')).toThrow(RangeError);
  expect(exposing('ui')).toThrow('expose has "ui", which is none of ollama, gemini, health, metrics, openapi, admin');
});
