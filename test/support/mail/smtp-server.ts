import type { AddressInfo } from 'node:net';

import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { onTestFinished } from 'vitest';

/** A mail server on loopback, what it received, and the options that lead there. It takes the password `secret`. */
export async function startSmtpServer(options: SMTPServerOptions = {}) {
  const received: { to: string[]; text: string; user: string | undefined }[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _, callback) =>
      password === 'secret' ? callback(null, { user: username }) : callback(new Error('no')),
    onData(stream, session, callback) {
      const pieces: Buffer[] = [];
      stream.on('data', (piece: Buffer) => pieces.push(piece));
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map(({ address }) => address);
        received.push({ to, text: Buffer.concat(pieces).toString(), user: session.user });
        callback();
      });
    },
    ...options,
  });
  // A client that says no more.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.server.address() as AddressInfo;
  const base = {
    host: '127.0.0.1',
    port,
    security: 'none' as const,
    user: null,
    password: null,
    from: 'Model Gateway <gateway@example.com>',
  };
  return { received, base };
}
