// Imports one test double, starts it with one completion, and asks for that: `node start-double.mjs msw` prints the
// times as JSON. It stands here as packages are found from the folder of the file that imports them.
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const CONTENT = 'Summarise in five words: The ship was late because of the fog.';
const COMPLETION = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'openai/gpt-4o-mini',
  choices: [
    { index: 0, message: { role: 'assistant', content: 'Fog delayed the ship today.' }, finish_reason: 'stop' },
  ],
};
/** Nothing listens there; what intercepts requests responds in its place. */
const UPSTREAM = 'http://upstream.invalid';
const FIXTURES = fileURLToPath(new URL('../../examples/vitest-fixtures/fixtures', import.meta.url));

/** Each imports, and returns what starts the double and resolves with the address and key for a client. */
const DOUBLES = {
  async fixtures() {
    const { startFixtureGateway } = await import('@model-gateway/fixtures');
    return () => startFixtureGateway({ dir: FIXTURES });
  },
  async aimock() {
    const { LLMock } = await import('@copilotkit/aimock');
    return async () => {
      const mock = new LLMock({ port: 0, logLevel: 'silent' });
      mock.onMessage(CONTENT, { content: 'Fog delayed the ship today.' });
      await mock.start();
      return { baseUrl: `${mock.url}/v1`, apiKey: 'none' };
    };
  },
  async msw() {
    const [{ setupServer }, { http, HttpResponse }] = await Promise.all([import('msw/node'), import('msw/http')]);
    return async () => {
      setupServer(http.post(`${UPSTREAM}/chat/completions`, () => HttpResponse.json(COMPLETION))).listen();
      return { baseUrl: UPSTREAM, apiKey: 'none' };
    };
  },
  async nock() {
    const { default: nock } = await import('nock');
    return async () => {
      nock(UPSTREAM).post('/chat/completions').reply(200, COMPLETION);
      return { baseUrl: UPSTREAM, apiKey: 'none' };
    };
  },
};

const [, , name] = process.argv;
const times = [performance.now()];
const start = await DOUBLES[name]();
times.push(performance.now());
const { baseUrl, apiKey } = await start();
times.push(performance.now());
const response = await fetch(`${baseUrl}/chat/completions`, {
  method: 'POST',
  headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'openai/gpt-4o-mini', messages: [{ role: 'user', content: CONTENT }] }),
});
const { choices } = await response.json();
times.push(performance.now());
if (choices[0].message.content !== 'Fog delayed the ship today.')
  throw new Error(`${name} responded with another text`);
const [importMs, startMs, responseMs] = times.slice(1).map((time, index) => time - times[index]);
process.stdout.write(JSON.stringify({ importMs, startMs, responseMs }), () => process.exit());
