import type { LocalServer, ProviderPreset } from './setup-queries.ts';

/** What a provider is begun with. */
export interface Tile {
  readonly id: string;
  readonly name: string;
  readonly note: string;
  /** Null for a server of one's own. */
  readonly preset: ProviderPreset | null;
  /** Where it was found on this machine. */
  readonly server?: LocalServer;
}

const OWN: Tile = {
  id: '',
  name: 'Another server',
  note: 'By its address, in a format that is spoken here',
  preset: null,
};

/** What most people look for stands before the others. */
const COMMON = ['openai', 'anthropic', 'google', 'openrouter'];
const toRank = ({ id }: ProviderPreset): number => (COMMON.includes(id) ? COMMON.indexOf(id) : COMMON.length);

/** The tiles that fit a search: what runs on this machine first, a server of one's own last. */
export function toTiles(presets: readonly ProviderPreset[], servers: readonly LocalServer[], search: string): Tile[] {
  const found = servers.flatMap((server): Tile[] => {
    const preset = presets.find(({ id }) => id === server.preset);
    if (preset === undefined) return [];
    return [
      { id: `${preset.id} ${server.base_url}`, name: preset.name, note: toHost(server.base_url), preset, server },
    ];
  });
  const others = presets
    .filter(({ id }) => servers.every(({ preset }) => preset !== id))
    .toSorted((one, other) => toRank(one) - toRank(other))
    .map((preset): Tile => ({ id: preset.id, name: preset.name, note: toNote(preset), preset }));
  const wanted = search.trim().toLowerCase();
  return [...found, ...others, OWN].filter(({ name, note, preset }) =>
    [name, note, preset?.id ?? ''].some((text) => text.toLowerCase().includes(wanted)),
  );
}

function toNote({ base_url: address, needs_key: needsKey, is_gateway: isGateway }: ProviderPreset): string {
  const kind = isGateway ? 'A gateway to many' : address === null ? 'Key and your own address' : toHost(address);
  return needsKey || address === null ? kind : `${kind}, no key needed`;
}

const toHost = (address: string): string => address.replace(/^https?:\/\//, '').split('/')[0] ?? address;
