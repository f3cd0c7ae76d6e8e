import { type AddressInfo, Server } from 'node:net';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

import { serveCalls } from '../processes/worker.ts';

/** Calls that Portkey's process serves. */
export type PortkeyCalls = {
  /** The port it listens on. */
  port(): Promise<number>;
};

const [, , file = ''] = process.argv;
// By default it listens on all interfaces, where it relays every request, and on a port that must be given.
const { listen } = Server.prototype;
const listening = new Promise<Server>((resolve) => {
  Object.assign(Server.prototype, {
    listen(this: Server): Server {
      return listen.call(this, { port: 0, host: '127.0.0.1' }, () => resolve(this));
    },
  });
});

// This turns off its page of recent calls, whose feed adds a cost to every request.
process.env['NODE_ENV'] = 'production';
process.argv.push('--headless');
await import(pathToFileURL(file).href);

const calls: PortkeyCalls = { port: async () => ((await listening).address() as AddressInfo).port };
serveCalls(calls);
