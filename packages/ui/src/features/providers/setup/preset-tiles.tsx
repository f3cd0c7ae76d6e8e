import { useQuery } from '@tanstack/react-query';
import { Server } from 'lucide-react';
import { useEffect, useEffectEvent, useState } from 'react';

import { Badge } from '../../../parts/badge.tsx';
import { Tile, TileSearch } from '../../../parts/controls/tiles.tsx';
import { Logo } from '../../../parts/logo.tsx';
import { NotLoaded } from '../../../parts/messages/loaded.tsx';
import { providerSetupMessages } from './messages.ts';
import { type LocalServer, localServersQuery, presetsQuery, type ProviderPreset } from './setup-queries.ts';

/** The well-known providers, those that run on this machine first, and a server of one's own. */
export function PresetTiles({ onChoose }: { onChoose: (tile: Start) => void }) {
  const t = providerSetupMessages().tiles;
  const [search, setSearch] = useState('');
  const query = useQuery(presetsQuery);
  const { data: presets } = query;
  const { data: servers, isPending: isLooking } = useQuery(localServersQuery);
  const tiles = presets === undefined ? [] : toTiles(presets, servers ?? [], search);
  const isLoaded = presets !== undefined;
  const [isEntered, setIsEntered] = useState(false);
  const chooseFirst = (): void => {
    const [first] = tiles;
    if (first !== undefined) onChoose(first);
  };
  const chooseLoaded = useEffectEvent(chooseFirst);
  // Those who type fast press Enter before the tiles are there.
  useEffect(() => {
    if (isEntered && isLoaded) chooseLoaded();
  }, [isEntered, isLoaded]);
  return (
    <div className="flex flex-col gap-3">
      <TileSearch
        label={t.search}
        placeholder={t.searchHint}
        value={search}
        onChange={(text) => {
          setSearch(text);
          setIsEntered(false);
        }}
        onEnter={isLoaded ? chooseFirst : () => setIsEntered(true)}
      />
      {(presets === undefined || query.error !== null) && <NotLoaded what={t.what} query={query} isFlush />}
      <ul className="grid gap-2 sm:grid-cols-2 lg:grid-cols-3">
        {tiles.map((tile) => (
          <li key={tile.id}>
            <PresetTile tile={tile} onChoose={onChoose} />
          </li>
        ))}
      </ul>
      <p role="status" className="text-xs text-ink-faint">
        {isLooking ? t.looking : servers === undefined || servers.length === 0 ? t.noServer : t.servers(servers.length)}
      </p>
    </div>
  );
}

function PresetTile({ tile, onChoose }: { tile: Start; onChoose: (tile: Start) => void }) {
  const t = providerSetupMessages().tiles;
  const { name, note, preset, server } = tile;
  return (
    <Tile
      icon={preset === null ? <Server size={18} /> : <Logo name={preset.slug} size={18} />}
      name={name}
      note={note}
      onChoose={() => onChoose(tile)}
    >
      {server !== undefined && (
        <span className="mt-1 flex flex-wrap gap-1">
          <Badge tone="good">{t.found}</Badge>
          <Badge>{t.models(server.models.length)}</Badge>
          {server.set_up_as !== null && <Badge tone="accent">{t.addedAs(server.set_up_as)}</Badge>}
        </span>
      )}
    </Tile>
  );
}

/** What a provider is begun with. */
interface Start {
  readonly id: string;
  readonly name: string;
  readonly note: string;
  /** Null for a server of one's own. */
  readonly preset: ProviderPreset | null;
  /** Where it was found on this machine. */
  readonly server?: LocalServer;
}

function toOwn(): Start {
  const t = providerSetupMessages().tiles;
  return { id: '', name: t.own, note: t.ownNote, preset: null };
}

/** What most people look for stands before the others. */
const COMMON = ['openai', 'anthropic', 'google', 'openrouter'];
const toRank = ({ id }: ProviderPreset): number => (COMMON.includes(id) ? COMMON.indexOf(id) : COMMON.length);

/** The tiles that fit a search: what runs on this machine first, a server of one's own last. */
export function toTiles(presets: readonly ProviderPreset[], servers: readonly LocalServer[], search: string): Start[] {
  const found = servers.flatMap((server): Start[] => {
    const preset = presets.find(({ id }) => id === server.preset);
    if (preset === undefined) return [];
    return [
      { id: `${preset.id} ${server.base_url}`, name: preset.name, note: toHost(server.base_url), preset, server },
    ];
  });
  const others = presets
    .filter(({ id }) => servers.every(({ preset }) => preset !== id))
    .toSorted((one, other) => toRank(one) - toRank(other))
    .map((preset): Start => ({ id: preset.id, name: preset.name, note: toNote(preset), preset }));
  const wanted = search.trim().toLowerCase();
  return [...found, ...others, toOwn()].filter(({ name, note, preset }) =>
    [name, note, preset?.id ?? ''].some((text) => text.toLowerCase().includes(wanted)),
  );
}

function toNote({ base_url: address, needs_key: needsKey, is_gateway: isGateway }: ProviderPreset): string {
  const t = providerSetupMessages().tiles;
  const kind = isGateway ? t.gateway : address === null ? t.ownAddress : toHost(address);
  return needsKey || address === null ? kind : t.noKey(kind);
}

const toHost = (address: string): string => address.replace(/^https?:\/\//, '').split('/')[0] ?? address;
