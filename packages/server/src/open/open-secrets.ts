import { GatewayError, type SecretBox, secretsOfQuery } from '@model-gateway/core';
import { type GatewayConfig, openSecretBox, type ProviderConfig, SecretsKeyError } from '@model-gateway/node';

/** The variable that seals keys of providers. */
const KEY_VARIABLE = 'GATEWAY_SECRETS_KEY';

/**
 * The box that seals the keys that are set up through the API. Processes that share a store have to have the same key, so
 * there it is that of the environment alone.
 */
export function openSecrets({ store }: Pick<GatewayConfig, 'store'>, env: Readonly<NodeJS.ProcessEnv>): SecretBox {
  const environmentKey = env[KEY_VARIABLE];
  if (store.type !== 'postgres' || hasText(environmentKey)) {
    return openSecretBox({ environmentKey, dir: store.type === 'json' ? store.dir : null });
  }
  return {
    // It is the operator who can mend it, and the form shows the message.
    seal: () =>
      Promise.reject(
        new GatewayError(
          'conflict',
          `Keys cannot be stored: set ${KEY_VARIABLE} to the same 32 random bytes (openssl rand -base64 32) ` +
            'for every process of this gateway, and start them again',
        ),
      ),
    open: () => Promise.reject(new SecretsKeyError(`${KEY_VARIABLE} is not set`)),
  };
}

/** What an operator has to know before the first key is refused. Undefined where keys can be kept. */
export function warnOfSecrets({ store }: Pick<GatewayConfig, 'store'>, env: Readonly<NodeJS.ProcessEnv>) {
  if (store.type !== 'postgres' || hasText(env[KEY_VARIABLE])) return undefined;
  return `${KEY_VARIABLE} is not set, so keys of providers cannot be set up in the UI; those of the config file work`;
}

const hasText = (text: string | undefined): boolean => text !== undefined && text.trim() !== '';

/** Every secret of a provider. */
export const secretsOf = ({
  apiKey,
  apiKeys = [],
  headers,
  query,
}: Pick<ProviderConfig, 'headers' | 'query'> & {
  readonly apiKey?: string | null | undefined;
  readonly apiKeys?: readonly { readonly key: string }[] | undefined;
}): string[] => [apiKey ?? '', ...apiKeys.map(({ key }) => key), ...Object.values(headers), ...secretsOfQuery(query)];

/** Every secret of a configuration, for the log to leave out. */
export function listSecrets(config: GatewayConfig): string[] {
  const { auth, signIn, scim, metrics, providers, webhooks, mail, webSearch, files, store, shared } = config;
  return [
    ...config.optionSecrets,
    ...auth.bootstrapKeys.map(({ key }) => key),
    signIn.oidc?.clientSecret ?? '',
    scim.token ?? '',
    ...providers.flatMap(secretsOf),
    webhooks.signingSecret ?? '',
    webhooks.previousSigningSecret ?? '',
    mail?.password ?? '',
    webSearch?.apiKey ?? '',
    metrics.token ?? '',
    ...(files.s3 === null ? [] : [files.s3.accessKeyId, files.s3.secretAccessKey]),
    ...(store.type === 'postgres' ? secretsOfAddress(store.url) : []),
    ...(shared.type === 'redis' ? secretsOfAddress(shared.url) : []),
  ];
}

/** The address of an engine, and its password as it stands there and as it is meant. */
function secretsOfAddress(url: string): string[] {
  const written = /^\w+:\/\/[^/?#]*:([^/]*)@/.exec(url)?.[1] ?? '';
  return [url, written, decodeUrlPart(written)];
}

function decodeUrlPart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
