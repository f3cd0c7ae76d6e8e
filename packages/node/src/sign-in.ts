export { createOidcProvider, type OidcProviderOptions } from './sign-in/oidc-provider.ts';
