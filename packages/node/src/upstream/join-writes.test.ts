import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { joinWrites } from './join-writes.ts';

type Write = readonly [chunk: string | Uint8Array, encoding?: BufferEncoding];

/** What arrives at the other end of a socket after all of this was written while it was corked, and how it was handed on. */
async function send(writes: readonly Write[]): Promise<{ received: Buffer; pieces: number }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const arrived = new Promise<Buffer>((resolve) => {
    server.once('connection', (socket) => {
      const parts: Buffer[] = [];
      socket.on('data', (part: Buffer) => parts.push(part)).on('end', () => resolve(Buffer.concat(parts)));
    });
  });
  const socket: Socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await new Promise((resolve) => socket.once('connect', resolve));
  let pieces = 0;
  const write = socket._write.bind(socket);
  socket._write = (...given) => {
    pieces += 1;
    write(...given);
  };
  joinWrites(socket);
  socket.cork();
  for (const [chunk, encoding] of writes) socket.write(chunk, encoding);
  socket.uncork();
  socket.end();
  return { received: await arrived, pieces };
}

const bytesOf = (writes: readonly Write[]): Buffer =>
  Buffer.concat(writes.map(([chunk, encoding]) => Buffer.from(chunk as string, encoding)));

const head: Write = ['POST /v1 HTTP/1.1\r\nx: \u00e9\r\n\r\n', 'latin1'];

test('the head of a request and its body leave as one piece, byte for byte', async () => {
  const writes: readonly Write[] = [head, [Buffer.from('{"text":"Grüße 🎬"}')], [new Uint8Array([0, 255, 128])]];
  expect(await send(writes)).toEqual({ received: bytesOf(writes), pieces: 1 });
});

test.each<[string, Write]>([
  ['a long body', [Buffer.alloc(100_000, 'é')]],
  ['text in UTF-8', ['Grüße 🎬', 'utf8']],
  ['text in hexadecimal', ['00ff80', 'hex']],
])('%s leaves unchanged, too, in pieces of its own', async (_name, body) => {
  expect(await send([head, body])).toEqual({ received: bytesOf([head, body]), pieces: 0 });
});
