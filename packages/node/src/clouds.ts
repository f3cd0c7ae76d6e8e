import type { AwsCredentialSource } from '@model-gateway/core/providers/bedrock';

import { createAwsCredentials } from './clouds/aws/aws-credentials.ts';
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

/** Creates the access of the identity that a provider's configuration names. Nothing is asked before the first call. */
export function createCloudAccess(cloud: CloudConfig, host: CloudHost): CloudAccess {
  switch (cloud.kind) {
    case 'aws':
      return {
        credentials: createAwsCredentials({ ...cloud, region: cloud.region ?? 'us-east-1' }, host),
        awsRegion: cloud.region,
      };
    case 'google':
      return { accessToken: createGoogleTokens(cloud) };
    case 'azure':
      return { accessToken: createAzureTokens(cloud, host.now) };
  }
}
