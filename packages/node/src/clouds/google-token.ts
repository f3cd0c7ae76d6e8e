import { loadPeer } from '../load-peer.ts';

/** Who the gateway is at Google Cloud, as an operator says it. */
export interface GoogleIdentity {
  /** A file of credentials: a service account's key, or a workload identity federation's configuration. */
  readonly keyFile?: string | undefined;
  /** Whose models are called: known, it need not be asked for. */
  readonly project?: string | undefined;
}

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';

/**
 * Creates the source of access tokens, by Google's own library: a file of credentials, else the application default
 * credentials (`GOOGLE_APPLICATION_CREDENTIALS`, the file of `gcloud`, the metadata server). The library holds a token
 * and fetches the next one before it expires. `clientOptions` are the library's own, such as the transport of its calls.
 */
export function createGoogleTokens(
  { keyFile, project }: GoogleIdentity,
  clientOptions: object = {},
): () => Promise<string> {
  let loading: Promise<{ getAccessToken(): Promise<string | null | undefined> }> | undefined;
  const load = async () => {
    const { GoogleAuth } = await loadPeer(
      'Calling Vertex AI by an identity of Google Cloud',
      ['google-auth-library'],
      () => import('google-auth-library'),
    );
    return new GoogleAuth({
      scopes: SCOPE,
      clientOptions,
      ...(project !== undefined && { projectId: project }),
      ...(keyFile !== undefined && { keyFilename: keyFile }),
    });
  };
  return async () => {
    const auth = await (loading ??= load().catch((error: unknown) => {
      // Installed while the gateway runs, it is there for the next call.
      loading = undefined;
      throw error;
    }));
    const token = await auth.getAccessToken();
    if (typeof token !== 'string' || token === '') throw new Error('Google sent no access token');
    return token;
  };
}
