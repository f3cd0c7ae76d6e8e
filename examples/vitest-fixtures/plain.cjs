// Without a test runner, and without a port: `node plain.cjs`.
const { createFixtureFetch } = require('@model-gateway/fixtures');
const OpenAI = require('openai');

async function main() {
  const { fetch, baseUrl, apiKey, close } = await createFixtureFetch({ dir: `${__dirname}/fixtures` });
  const client = new OpenAI({ baseURL: baseUrl, apiKey, fetch });
  const content = 'Summarise in five words: The ship was late because of the fog.';
  const completion = await client.chat.completions.create({
    model: 'openai/gpt-4o-mini',
    messages: [{ role: 'user', content }],
  });
  console.log(completion.choices[0].message.content);
  await close();
}

void main();
