import { createJsonFileStore, openSecretBox } from '@model-gateway/node';

interface ProviderToStore {
  readonly slug: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Another key than the one of the data directory, so that the gateway cannot open it. */
  readonly sealedWith?: string;
}

/** Stores providers in a data directory as the gateway that runs there would, sealed. */
export async function storeProviders(dir: string, providers: readonly ProviderToStore[]): Promise<void> {
  const store = await createJsonFileStore({ dir });
  for (const { slug, baseUrl, apiKey, sealedWith } of providers) {
    const box = openSecretBox({ environmentKey: sealedWith, dir });
    await store.providers.insert({
      id: slug,
      settings: { slug, wire: 'openai', baseUrl, query: {}, byok: false, discoverModels: false },
      sealed: await box.seal(JSON.stringify({ apiKey, headers: {} }), `provider:${slug}`),
      keyHint: `…${apiKey.slice(-4)}`,
      headerNames: [],
      enabled: true,
      createdAt: '2026-11-01T12:00:00.000Z',
      updatedAt: null,
    });
  }
  await store.close();
}
