import { net } from 'electron';

import type { FromGateway, StartMessage, ToGateway } from '../shared/gateway-messages.ts';
import { type RunningGateway, runGateway } from './run-gateway.ts';

/** How often the tray hears of the calls under way, and only when their number has changed. */
const COUNT_EVERY_MS = 1000;

const post = (message: FromGateway): void => process.parentPort.postMessage(message);
let running: Promise<RunningGateway> | undefined;

function start(message: StartMessage): Promise<RunningGateway> {
  post({ type: 'state', state: { phase: 'starting' } });
  const starting = runGateway({ ...message, post, fetch: net.fetch.bind(net) as typeof fetch });
  starting.then(
    (gateway) => reportOpenCalls(gateway),
    (error: unknown) => {
      const text = error instanceof Error ? error.message : String(error);
      post({ type: 'state', state: { phase: 'failed', message: text } });
    },
  );
  return starting;
}

function reportOpenCalls(gateway: RunningGateway): void {
  let last = 0;
  setInterval(() => {
    const count = gateway.openCalls();
    if (count !== last) post({ type: 'open-calls', count });
    last = count;
  }, COUNT_EVERY_MS).unref();
}

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
      return gateway.requests.answer(message);
    case 'pull':
      return gateway.requests.pull(message.id);
    case 'abort':
      return gateway.requests.abort(message.id);
    case 'listen':
      return gateway.listen(message.place);
    case 'pause':
      return gateway.pause();
    case 'stop':
      await gateway.stop();
      post({ type: 'stopped' });
  }
}

process.parentPort.on('message', ({ data }: { data: ToGateway }) => {
  obey(data).catch((error: unknown) => {
    // A gateway that could not start has said so; everything else it is asked for fails with it.
    if (data.type === 'request') post({ type: 'broken', id: data.id, message: String(error) });
    if (data.type === 'stop') post({ type: 'stopped' });
  });
});
