// The same under Jest, or any runner that knows `require`, `beforeAll` and `afterAll`.
const { startFixtureGateway } = require('@model-gateway/fixtures');

let gateway;
beforeAll(async () => {
  gateway = await startFixtureGateway({ dir: `${__dirname}/fixtures` });
});
afterAll(() => gateway.close());

test('summarises a text', async () => {
  const { createAssistant } = await import('./assistant.mjs');
  const summary = await createAssistant(gateway).summarise('The ship was late because of the fog.');
  expect(summary.split(' ')).toHaveLength(5);
});
