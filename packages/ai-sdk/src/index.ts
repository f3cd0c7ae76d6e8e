export {
  type AiSdkProviderOptions,
  createAiSdkProvider,
  type PackageOptions,
  secretsIn,
} from './create-ai-sdk-provider.ts';
export type { SdkProvider } from './load-package.ts';
