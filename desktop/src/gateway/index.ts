import { net } from 'electron';

import type { FromGateway, StartMessage, ToGateway } from '../shared/gateway-messages.ts';
import { type RunningGateway, runGateway } from './run-gateway.ts';

const post = (message: FromGateway): void => process.parentPort.postMessage(message);
let running: Promise<RunningGateway> | undefined;

function start(message: StartMessage): Promise<RunningGateway> {
  post({ type: 'state', state: { phase: 'starting' } });
  const starting = runGateway({ ...message, post, fetch: callProvider });
  starting.catch((error: unknown) => {
    const text = error instanceof Error ? error.message : String(error);
    post({ type: 'state', state: { phase: 'failed', message: text } });
  });
  return starting;
}

/**
 * Calls a provider over Chromium's network, which knows the system's proxy and certificates. Where a connection that has
 * served another call closes without a byte, Chromium sends the request a second time, however late, and tells nobody.
 * So each call over HTTP/1.1 gets a connection of its own, and fails with it (docs/decisions/0059).
 */
const callProvider: typeof fetch = (url, init) => {
  const headers = new Headers(init?.headers);
  headers.set('connection', 'close');
  return net.fetch(url as string, { ...init, headers });
};

async function obey(message: ToGateway): Promise<void> {
  if (message.type === 'start') {
    running = start(message);
    await running;
    return;
  }
  const gateway = await running;
  if (gateway === undefined) return;
  switch (message.type) {
    case 'request':
      return gateway.requests.respond(message);
    case 'pull':
      return gateway.requests.pull(message.id);
    case 'abort':
      return gateway.requests.abort(message.id);
    case 'listen':
      return gateway.listen(message.place);
    case 'pause':
      return gateway.pause();
    case 'report':
      return gateway.report();
    case 'stop':
      await gateway.stop(message.isNow);
      post({ type: 'stopped' });
  }
}

process.parentPort.on('message', ({ data }: { data: ToGateway }) => {
  obey(data).catch((error: unknown) => {
    // A gateway that failed to start has reported it; every later request fails with the same error.
    if (data.type === 'request') post({ type: 'broken', id: data.id, message: String(error) });
    if (data.type === 'stop') post({ type: 'stopped' });
  });
});
