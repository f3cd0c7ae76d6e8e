import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isMainThread, parentPort } from 'node:worker_threads';

/** A call for the client to make. */
export interface PeerCall {
  readonly url: string;
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** What the upstream responds with. */
  readonly completion: string;
}

/** How a call has ended. */
export interface PeerResult {
  readonly status: number;
  readonly durationMs: number;
}

/** Client and upstream of the loop's bench: in a thread of their own, so that only the gateway's loop is measured. */
if (!isMainThread && parentPort !== null) {
  const port = parentPort;
  let completion = '';
  const upstream = createServer((request, response) => {
    request.resume();
    request.once('end', () => {
      const choice = { index: 0, message: { role: 'assistant', content: completion }, finish_reason: 'stop' };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ id: 'up-1', object: 'chat.completion', created: 1, choices: [choice] }));
    });
  });
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  port.postMessage((upstream.address() as AddressInfo).port);
  port.on('message', (call: PeerCall) => {
    completion = call.completion;
    void ask(call).then((result) => port.postMessage(result));
  });
}

async function ask({ url, key, headers, body }: PeerCall): Promise<PeerResult> {
  const startedAt = performance.now();
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body,
  });
  await response.arrayBuffer();
  return { status: response.status, durationMs: performance.now() - startedAt };
}
