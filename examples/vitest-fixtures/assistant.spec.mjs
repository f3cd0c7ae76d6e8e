import { createGatewayTest } from '@model-gateway/fixtures/playwright';
import { expect } from '@playwright/test';

import { createAssistant } from './assistant.mjs';
import { OPTIONS } from './gateway-options.mjs';

const test = createGatewayTest(OPTIONS);

test('summarises a text', async ({ gateway }) => {
  const summary = await createAssistant(gateway).summarise('The ship was late because of the fog.');
  expect(summary.split(' ')).toHaveLength(5);
  expect(gateway.requests()).toHaveLength(1);
});

test('tells a story piece by piece, the same ones each time', async ({ gateway }) => {
  const tell = () => Array.fromAsync(createAssistant(gateway).tell('a lighthouse'));
  const pieces = await tell();
  expect(pieces.length).toBeGreaterThan(5);
  expect(await tell()).toEqual(pieces);
});
