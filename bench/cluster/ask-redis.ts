import { once } from 'node:events';
import net from 'node:net';

/** Sends one command to a Redis with a password, and resolves with the text of its reply. */
export async function askRedis(url: string, ...words: readonly string[]): Promise<string> {
  const { hostname, port, password } = new URL(url);
  const socket = net.connect(Number(port), hostname);
  await once(socket, 'connect');
  const toCommand = (parts: readonly string[]): string =>
    `*${parts.length}\r\n${parts.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`).join('')}`;
  socket.end(toCommand(['AUTH', decodeURIComponent(password)]) + toCommand(words) + toCommand(['QUIT']));
  const text = (await socket.setEncoding('utf8').toArray()).join('');
  const [auth = '', ...rest] = text.split('\r\n');
  if (auth !== '+OK') throw new Error(`Redis refused the password: ${auth}`);
  return rest.join('\n');
}
