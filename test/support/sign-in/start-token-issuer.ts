import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { exportJWK, generateKeyPair, type GenerateKeyPairResult, SignJWT } from 'jose';
import { onTestFinished } from 'vitest';

/** A key that an issuer signs with. */
export interface TokenKey extends GenerateKeyPairResult {
  readonly kid: string;
}

export const createTokenKey = async (kid: string, alg = 'ES256'): Promise<TokenKey> => ({
  kid,
  ...(await generateKeyPair(alg, { extractable: true })),
});

/** Starts an issuer of JWTs on loopback, which is stopped after the test. `state` is what the test may change. */
export async function startTokenIssuer(keys: readonly TokenKey[]) {
  const state = { keys, asked: 0, status: 200, damagedKid: '' };
  const server = createServer((request, response) => {
    const respond = async (): Promise<void> => {
      if (request.url === '/.well-known/openid-configuration') {
        return void response.end(JSON.stringify({ issuer: url, jwks_uri: `${url}/keys` }));
      }
      state.asked += 1;
      response.statusCode = state.status;
      const jwks = state.keys.map(async ({ kid, publicKey }) => ({
        ...(await exportJWK(publicKey)),
        kid,
        ...(kid === state.damagedKid && { x: 'AAAA' }),
      }));
      response.end(JSON.stringify({ keys: await Promise.all(jwks) }));
    };
    void respond();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(stop);
  return { url, state, stop };
}

/** Signs a token for the audience `gateway` that is valid for a minute. */
export const signToken = (
  issuer: string,
  { kid, privateKey }: TokenKey,
  nowMs: number,
  claims: Readonly<Record<string, unknown>> = {},
): Promise<string> =>
  new SignJWT({ iss: issuer, aud: 'gateway', sub: 'robot', exp: Math.floor(nowMs / 1000) + 60, ...claims })
    .setProtectedHeader({ alg: 'ES256', kid })
    .sign(privateKey);
