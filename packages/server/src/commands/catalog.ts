import { guess, type Parsed, readWordAndFlags, toHelp, UsageError } from '../process/flags.ts';
import { GATEWAY_FLAGS, GATEWAY_HELP, readGatewayFlags } from '../process/gateway-flags.ts';
import type { UpdateCatalogOptions } from '../terminal/update-catalog.ts';

const HELP = `Usage: model-gateway catalog <action> [flags]

  update              compare prices, limits and abilities of the models with lists of models, and apply what is new

Flags of update:
  --from SOURCE      a provider of the gateway, the address of a list of models, or a file with one
                     (every provider that lists its models)
  --provider SLUG    whose prices an address or a file states
  --key-env NAME     the variable with the key for the address
  --apply            apply all changes without a question
  --json             the comparison as the API returns it; nothing is asked
${GATEWAY_HELP}
Prints what differs. At a terminal it then asks whether to apply it; elsewhere nothing is changed without --apply. What
is applied is stored beside the config file, like models that are edited in the UI, under which it can be taken back.
`;

const FLAGS = {
  ...GATEWAY_FLAGS,
  from: { type: 'string' },
  provider: { type: 'string' },
  'key-env': { type: 'string' },
  apply: { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

/** Reads the arguments after `catalog`. Throws `UsageError`. */
export function parseCatalog(args: readonly string[]): Parsed<'catalog-update', UpdateCatalogOptions> {
  const { values, word } = readWordAndFlags(args, FLAGS, HELP);
  if (values.help === true) return toHelp(HELP);
  if (word === undefined) throw new UsageError(`Missing action.\n\n${HELP}`);
  if (word !== 'update') {
    throw new UsageError(`There is no action "${word}" of catalog.${guess(word, ['update'])}\n\n${HELP}`);
  }
  const { from, provider, 'key-env': keyEnv, apply = false, json = false } = values;
  return {
    type: 'catalog-update',
    options: { source: readSource(from, provider), keyEnv, apply, json, ...readGatewayFlags(values) },
  };
}

function readSource(from: string | undefined, provider: string | undefined): UpdateCatalogOptions['source'] {
  // A slug has neither dots nor slashes; a file in this directory is named with its ending.
  const isOther = from !== undefined && /[./\\]/.test(from);
  if (!isOther) {
    if (from !== undefined && provider !== undefined && from !== provider) {
      throw new UsageError(`--from ${from} and --provider ${provider} name two providers: name one.`);
    }
    return { provider: from ?? provider };
  }
  if (provider === undefined) {
    throw new UsageError(`A list does not say whose prices it states: name the provider of ${from} with --provider.`);
  }
  return /^https?:\/\//.test(from) ? { provider, url: toListAddress(from) } : { provider, file: from };
}

/** Also of the address of an API, where only that is given. */
function toListAddress(url: string): string {
  if (!URL.canParse(url))
    throw new UsageError(`--from must be an address, e.g. https://openrouter.ai/api/v1/models, not "${url}".`);
  return /\/v\d+\w*\/*$/.test(url) ? `${url.replace(/\/+$/, '')}/models` : url;
}
