const { createAssistant } = require('./assistant');

const { MODEL_GATEWAY_URL: baseUrl, MODEL_GATEWAY_API_KEY: apiKey } = process.env;
const assistant = createAssistant({ baseUrl, apiKey });

test('tells a story piece by piece, the same ones each time', async () => {
  const tell = async () => {
    const pieces = [];
    for await (const piece of assistant.tell('a lighthouse')) pieces.push(piece);
    return pieces;
  };
  const pieces = await tell();
  expect(pieces.length).toBeGreaterThan(5);
  expect(await tell()).toEqual(pieces);
});
