import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { OpenRouter } from '@openrouter/sdk';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { launchUi, MANAGEMENT_KEY, skipped, type Ui } from './launch-ui.ts';

describe.skipIf(skipped !== undefined)(
  `apps that ask for a key (${skipped ?? 'in Chromium'})`,
  { timeout: 60_000 },
  () => {
    let ui: Ui;
    let sdk: OpenRouter;
    beforeAll(async () => {
      ui = await launchUi();
      sdk = new OpenRouter({ apiKey: '', serverURL: `${ui.url}/api/v1`, retryConfig: { strategy: 'none' } });
    });
    afterAll(() => ui.close());

    test('a user signs in, agrees, and the app calls a model with its key', async () => {
      const app = await startApp();
      const { codeChallenge, codeVerifier } = await sdk.oAuth.createSHA256CodeChallenge();
      const address = await sdk.oAuth.createAuthorizationUrl({
        callbackUrl: `${app.url}/callback?state=7`,
        codeChallenge,
        codeChallengeMethod: 'S256',
        limit: 3,
      });
      const { page, check, screenshot } = await ui.open('', { isSignedIn: false });
      await page.goto(address);
      await page.getByLabel('Management key').fill(MANAGEMENT_KEY);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: `Give ${new URL(app.url).host} an API key?` }).waitFor();
      expect(await page.getByText(`${app.url}/callback`, { exact: true }).count()).toBe(1);
      expect(await check()).toEqual([]);
      await screenshot('authorize-app');
      await page.setViewportSize({ width: 480, height: 850 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(480);
      await screenshot('authorize-app-narrow');
      await page.getByLabel('Key name').fill('Notes');
      await page.getByRole('button', { name: 'Authorize' }).click();
      const query = await app.called;
      expect(query.get('state')).toBe('7');
      await page.getByText('Back in the app').waitFor();

      const requestBody = { code: query.get('code') ?? '', codeVerifier, codeChallengeMethod: 'S256' as const };
      const { key, userId } = await sdk.oAuth.exchangeAuthCodeForAPIKey({ requestBody });
      expect(userId).toBeNull();
      const client = new OpenRouter({ apiKey: key, serverURL: `${ui.url}/api/v1` });
      const messages = [{ role: 'user' as const, content: 'Hi' }];
      const completion = await client.chat.send({ chatRequest: { model: 'demo/chat', messages, stream: false } });
      expect(completion).toMatchObject({ choices: [{ message: { role: 'assistant' } }] });
      expect((await client.apiKeys.getCurrentKeyMetadata()).data).toMatchObject({ limit: 3 });
      const again = sdk.oAuth.exchangeAuthCodeForAPIKey({ requestBody });
      await expect(again).rejects.toMatchObject({ statusCode: 403 });
    });

    test('an app without a callback is given its code by hand, and one that is denied gets none', async () => {
      const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
      const { page, check, problems } = await ui.open(`#/auth?code_challenge=${challenge}&code_challenge_method=S256`);
      await page.getByRole('button', { name: 'Authorize' }).click();
      await page.getByRole('heading', { name: 'Paste this code into the app' }).waitFor();
      const code = (await page.locator('code').textContent()) ?? '';
      expect(await check()).toEqual([]);
      const requestBody = { code, codeVerifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk' };
      expect((await sdk.oAuth.exchangeAuthCodeForAPIKey({ requestBody })).key).toMatch(/^sk-gw-v1-/);
      await page.goto(`${ui.url}/auth?callback_url=${encodeURIComponent('https://app.example/')}`);
      await page.getByText('This app doesn’t use PKCE').waitFor();
      await page.getByRole('button', { name: 'Deny' }).click();
      await page.getByRole('heading', { name: 'The app gets no key' }).waitFor();
      await page.goto(`${ui.url}/auth?code_challenge=x&callback_url=${encodeURIComponent('http://app.example/')}`);
      await page.getByRole('heading', { name: 'This app can’t be authorized' }).waitFor();
      expect(await page.getByRole('button').count()).toBe(0);
      expect(problems).toEqual([]);
    });
  },
);

/** An app on this machine that waits for its user to come back. */
async function startApp(): Promise<{ url: string; called: Promise<URLSearchParams> }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const called = new Promise<URLSearchParams>((resolve) => {
    server.on('request', (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', url);
      if (pathname === '/callback') resolve(searchParams);
      response.setHeader('connection', 'close').end('Back in the app');
    });
  });
  return { url, called };
}
