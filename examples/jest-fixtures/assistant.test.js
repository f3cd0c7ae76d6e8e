const { createAssistant } = require('./assistant');

const { MODEL_GATEWAY_URL: baseUrl, MODEL_GATEWAY_API_KEY: apiKey } = process.env;
const assistant = createAssistant({ baseUrl, apiKey });

test('summarises a text', async () => {
  const summary = await assistant.summarise('The ship was late because of the fog.');
  expect(summary.split(' ')).toHaveLength(5);
});
