import { fileURLToPath } from 'node:url';

import { createGatewayPerTest } from '@model-gateway/fixtures';

import { createAssistant } from './assistant.js';

const withGateway = createGatewayPerTest({ dir: fileURLToPath(new URL('fixtures', import.meta.url)) });

test('summarises a text', () =>
  withGateway(async (gateway) => {
    const summary = await createAssistant(gateway).summarise('The ship was late because of the fog.');
    expect(summary.split(' ')).toHaveLength(5);
    expect(gateway.requests()).toMatchObject([{ body: { model: 'openai/gpt-4o-mini' } }]);
  }));

test('tells a story piece by piece, the same ones each time', () =>
  withGateway(async (gateway) => {
    const tell = () => Array.fromAsync(createAssistant(gateway).tell('a lighthouse'));
    const pieces = await tell();
    expect(pieces.length).toBeGreaterThan(5);
    expect(await tell()).toEqual(pieces);
  }));
