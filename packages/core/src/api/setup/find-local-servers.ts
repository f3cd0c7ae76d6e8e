import { operation } from '../../http/operation.ts';
import { requireLiveSetup } from '../../setup/live-setup.ts';
import { localServerListSchema } from '../../wire/provider-setup.ts';
import type { SetupParts } from './setup-parts.ts';
import { toConfiguredSetup, toProviderSetup } from './to-provider-setup.ts';

/** `GET /admin/v1/setup/local-servers`: the model servers that run on the gateway's machine, at their usual ports. */
export const findLocalServers = operation<SetupParts>()({
  response: localServerListSchema,
  async run({ parts }) {
    const setup = requireLiveSetup(parts.liveSetup);
    const [servers, { providers }] = await Promise.all([setup.host.findLocalServers(), setup.stored()]);
    const known = [
      ...setup.host.configured.providers.map(toConfiguredSetup),
      ...providers.map((row) => toProviderSetup(row, setup)),
    ];
    return {
      data: servers.map(({ preset, name, baseUrl, models }) => ({
        preset,
        name,
        base_url: baseUrl,
        models: [...models],
        set_up_as: known.find(({ address }) => address !== null && isSameServer(address, baseUrl))?.slug ?? null,
      })),
    };
  },
});

/** Whether both addresses have the same port of this machine. */
function isSameServer(address: string, baseUrl: string): boolean {
  const [one, other] = [URL.parse(address), URL.parse(baseUrl)];
  return one?.port === other?.port && (one?.host === other?.host || LOOPBACK.has(one?.hostname ?? ''));
}

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
