import type { AwsCredentialSource } from '@model-gateway/core';

import { createAwsCredentials, findAwsCredentials } from './clouds/aws/aws-credentials.ts';
import { createAzureTokens } from './clouds/azure-token.ts';
import type { CloudHost } from './clouds/cloud-host.ts';
import { createGoogleTokens } from './clouds/google-token.ts';
import type { CloudConfig } from './config/provider-config.ts';

export { type AwsIdentity, createAwsCredentials, findAwsCredentials } from './clouds/aws/aws-credentials.ts';
export { type AzureIdentity, createAzureTokens } from './clouds/azure-token.ts';
export type { CloudHost } from './clouds/cloud-host.ts';
export { createGoogleTokens, type GoogleIdentity } from './clouds/google-token.ts';

/** What a provider is called with in place of a key. */
export type CloudAccess =
  | { readonly credentials: AwsCredentialSource; readonly awsRegion: string | undefined }
  | { readonly accessToken: () => string | Promise<string> };

/** The region of AWS's token service where an identity names none. */
const USUAL_REGION = 'us-east-1';

/** Creates the access of the identity that a provider's configuration names. Nothing is asked before the first call. */
export function createCloudAccess(cloud: CloudConfig, host: CloudHost): CloudAccess {
  switch (cloud.kind) {
    case 'aws':
      return {
        credentials: createAwsCredentials({ ...cloud, region: cloud.region ?? USUAL_REGION }, host),
        awsRegion: cloud.region,
      };
    case 'google':
      return { accessToken: createGoogleTokens(cloud) };
    case 'azure':
      return { accessToken: createAzureTokens(cloud, host.now) };
  }
}

/**
 * Looks for an identity as a call would, and says in words where it was found. Rejects with what is missing. Nothing of
 * both is secret.
 */
export async function describeIdentity(cloud: CloudConfig, host: CloudHost): Promise<string> {
  switch (cloud.kind) {
    case 'aws': {
      const identity = { ...cloud, region: cloud.region ?? USUAL_REGION };
      const { source, expiresAt } = await findAwsCredentials(identity, host);
      return expiresAt === undefined ? source : `${source}, until ${new Date(expiresAt).toISOString()}`;
    }
    case 'google':
      await createGoogleTokens(cloud)();
      return cloud.keyFile ?? 'the usual places of Google Cloud';
    case 'azure':
      await createAzureTokens(cloud, host.now)();
      return 'an identity of Entra ID';
  }
}
