import { startRawUpstream, toRawResponse } from '../support/upstreams/raw-upstream.ts';

/** The only key that the server takes. */
export const UPSTREAM_KEY = 'sk-upstream-key-that-nobody-may-see-4711';

const COMPLETION = [
  { choices: [{ index: 0, delta: { role: 'assistant', content: 'Hello from upstream' }, finish_reason: null }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  { choices: [], usage: { prompt_tokens: 3, completion_tokens: 3, total_tokens: 6 } },
];

/** A server of models that takes one key, and tells others that they are wrong. */
export async function startKeyedUpstream(): Promise<string> {
  const { baseUrl } = await startRawUpstream(({ head, body, socket }) => {
    if (!head.toLowerCase().includes(`authorization: bearer ${UPSTREAM_KEY}`)) {
      socket.end(toRawResponse(401, { error: { message: 'Incorrect API key' } }));
    } else if (head.startsWith('GET')) {
      socket.end(toRawResponse(200, { data: [{ id: 'small-1' }, { id: 'large-1' }] }));
    } else if (body.includes('"stream":true')) {
      const events = COMPLETION.map((part) => `data: ${JSON.stringify({ id: 'c', model: 'small-1', ...part })}\n\n`);
      const head200 = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n';
      socket.end(`${head200}${events.join('')}data: [DONE]\n\n`);
    } else {
      const message = { role: 'assistant', content: 'Hello from upstream' };
      const usage = { prompt_tokens: 3, completion_tokens: 3, total_tokens: 6 };
      socket.end(
        toRawResponse(200, {
          id: 'c',
          model: 'small-1',
          choices: [{ index: 0, message, finish_reason: 'stop' }],
          usage,
        }),
      );
    }
  });
  return baseUrl;
}
