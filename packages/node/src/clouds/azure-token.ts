import { loadPeer } from '../load-peer.ts';
import { createRenewed } from './renewed.ts';

/** Who the gateway is at Azure, as an operator says it. */
export interface AzureIdentity {
  /** The id of a managed identity or a workload identity, where there are several. */
  readonly clientId?: string | undefined;
  readonly tenantId?: string | undefined;
}

/** Azure OpenAI and Foundry take tokens of one audience. */
const SCOPE = 'https://cognitiveservices.azure.com/.default';

/**
 * Creates the source of tokens of Entra ID, by Azure's own library: the environment, a workload identity, a managed
 * identity, the command line of Azure.
 */
export function createAzureTokens(
  { clientId, tenantId }: AzureIdentity,
  now?: () => number,
): () => string | Promise<string> {
  let credential:
    | { getToken(scope: string): Promise<{ token: string; expiresOnTimestamp: number } | null> }
    | undefined;
  return createRenewed({
    now,
    async fetch() {
      const { DefaultAzureCredential } = await loadPeer(
        'Calling Azure by an identity of Entra ID',
        ['@azure/identity'],
        () => import('@azure/identity'),
      );
      credential ??= new DefaultAzureCredential({
        ...(tenantId !== undefined && { tenantId }),
        ...(clientId !== undefined && { managedIdentityClientId: clientId, workloadIdentityClientId: clientId }),
      });
      const got = await credential.getToken(SCOPE);
      if (got === null) throw new Error('Entra ID sent no token');
      return { value: got.token, expiresAt: got.expiresOnTimestamp };
    },
  });
}
