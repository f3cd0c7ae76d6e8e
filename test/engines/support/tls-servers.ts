import { chmodSync, chownSync, copyFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { findFreePort } from './engine-server.ts';
import { startOwnPostgres, startOwnRedis } from './own-servers.ts';
import { makeFolder } from './run-command.ts';
import { findUnprivilegedUser } from './unprivileged-user.ts';

/** Of `test/support/certificates`, for 127.0.0.1. `authority.pem` there has signed them, but for the last. */
export type CertificateName = 'good' | 'wrong-name' | 'expired' | 'self-signed';

const fileOf = (name: string): string =>
  fileURLToPath(new URL(`../../support/certificates/${name}.pem`, import.meta.url));

/** Signs the certificates of the test servers. */
export const AUTHORITY_FILE = fileOf('authority');

/** A PostgreSQL of this test alone with TLS, and an empty database. */
export async function startTlsPostgres(name: CertificateName): Promise<string> {
  const user = findUnprivilegedUser();
  const dir = makeFolder();
  const [certificate = '', key = ''] = [fileOf(name), fileOf(`${name}.key`)].map((file) => {
    const copy = join(dir, basename(file));
    copyFileSync(file, copy);
    chmodSync(copy, 0o600);
    return copy;
  });
  if (user !== undefined) for (const file of [dir, certificate, key]) chownSync(file, user.uid, user.gid);
  return (await startOwnPostgres({ ssl: 'on', ssl_cert_file: certificate, ssl_key_file: key })).url;
}

/** The port, with TLS, of a Redis of this test alone. */
export async function startTlsRedis(name: CertificateName): Promise<number> {
  const port = await findFreePort();
  const words = ['--tls-port', String(port), '--tls-cert-file', fileOf(name), '--tls-key-file', fileOf(`${name}.key`)];
  await startOwnRedis([...words, '--tls-ca-cert-file', AUTHORITY_FILE, '--tls-auth-clients', 'no']);
  return port;
}
