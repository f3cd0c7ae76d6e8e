import type { GatewayOptions } from '@model-gateway/core';
import { createAddressMatcher, type GatewayConfig } from '@model-gateway/node';

/**
 * How members sign in as themselves, and what groups give. Undefined where the configuration names no way, and no
 * directory sends people, to whose roles the groups apply, too.
 */
export async function openSignIn({
  signIn,
  scim,
}: Pick<GatewayConfig, 'scim' | 'signIn'>): Promise<GatewayOptions['signIn']> {
  const { oidc, proxy, ...rules } = signIn;
  if (oidc === null && proxy === null && scim.token === null) return undefined;
  return {
    rules,
    ...(oidc !== null && { oidc: { ...oidc, provider: await openProvider(oidc) } }),
    ...(proxy !== null && { proxy: { ...proxy, isTrusted: createAddressMatcher(proxy.trustedAddresses) } }),
  };
}

async function openProvider(oidc: NonNullable<GatewayConfig['signIn']['oidc']>) {
  const { createOidcProvider } = await import('@model-gateway/node/sign-in');
  return createOidcProvider(oidc);
}
