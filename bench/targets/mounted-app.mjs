// An application that `measureMounted` measures, started as one is that people have: in plain JavaScript, as Node would
// first load its compiler of types (20 MB), and without an import of `node:http`, which in a module loads a second HTTP
// client (17 MB). `node mounted-app.mjs URL gateway|proxy KEY` serves its port and its memory to the bench.
import { once } from 'node:events';
import { createServer } from 'node:net';
import process from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const [, , upstreamUrl, mounted, key] = process.argv;

/** Starts the Express example with its gateway, in this process. */
async function startExample() {
  const free = await findFreePort();
  Object.assign(process.env, { PORT: String(free), GATEWAY_KEY: key, OPENAI_BASE_URL: `${upstreamUrl}/v1` });
  const example = '../../examples/express-app/server.mjs';
  await import(example);
  return free;
}

/** Starts an application that passes everything below `/ai` on, as it is. */
async function startProxy() {
  const [{ default: express }, { createProxyMiddleware }] = await Promise.all([
    import('express'),
    import('http-proxy-middleware'),
  ]);
  const app = express();
  app.use('/ai', createProxyMiddleware({ target: upstreamUrl }));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server.address().port;
}

/** The example takes its port as a setting, and does not tell which one `0` has become. */
async function findFreePort() {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

const port = await (mounted === 'proxy' ? startProxy() : startExample());

const CALLS = {
  port: () => port,
  memory: () => process.memoryUsage(),
  collect() {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc');
    for (let i = 0; i < 3; i += 1) collect();
  },
};

// The same as `serveCalls`, which stands in a file with types.
process.on('disconnect', () => process.exit());
process.on('message', ({ id, name }) => process.send({ id, value: CALLS[name]() }));
