// The same under Node's own test runner, which has no fixtures of its own: each test asks for its gateway.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createGatewayPerTest } from '@model-gateway/fixtures';

import { createAssistant } from './assistant.mjs';
import { OPTIONS } from './gateway-options.mjs';

const withGateway = createGatewayPerTest(OPTIONS);

test('summarises a text', () =>
  withGateway(async (gateway) => {
    const summary = await createAssistant(gateway).summarise('The ship was late because of the fog.');
    assert.equal(summary.split(' ').length, 5);
    assert.equal(gateway.requests().length, 1);
  }));

test('tells a story piece by piece, the same ones each time', () =>
  withGateway(async (gateway) => {
    const tell = () => Array.fromAsync(createAssistant(gateway).tell('a lighthouse'));
    const pieces = await tell();
    assert.ok(pieces.length > 5);
    assert.deepEqual(await tell(), pieces);
  }));
