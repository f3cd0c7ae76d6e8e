import { CLIENTS, searchClients } from '@model-gateway/clients';
import { useRef, useState } from 'react';

import { useShortcut } from '../../app/shortcuts.ts';
import { Tile, TileSearch } from '../../parts/controls/tiles.tsx';
import { Logo } from '../../parts/logo.tsx';
import { listMessages } from '../list-screen/messages.ts';
import { connectMessages } from './messages.tsx';
import { inToolWords } from './tool-messages.ts';
import { type Progress, ToolSetup } from './tool-setup.tsx';

interface ConnectToolProps extends Progress {
  readonly toolId: string | undefined;
  readonly onChoose: (id: string | undefined) => void;
}

/** Chooses a tool and connects it. The same on its own screen and among the first steps, in browsers and in the app. */
export function ConnectTool({ toolId, onChoose, ...progress }: ConnectToolProps) {
  const client = CLIENTS.find(({ id }) => id === toolId);
  if (client === undefined) return <ToolTiles onChoose={onChoose} />;
  return <ToolSetup key={client.id} client={client} onBack={() => onChoose(undefined)} {...progress} />;
}

/** The tools that can be connected; Enter in the search takes the first. */
function ToolTiles({ onChoose }: { onChoose: (id: string) => void }) {
  const t = connectMessages().tiles;
  const inWords = inToolWords();
  const [search, setSearch] = useState('');
  const field = useRef<HTMLInputElement>(null);
  useShortcut({ keys: '/', label: t.shortcut, group: listMessages().thisScreen }, () => field.current?.focus());
  const clients = searchClients(search);
  return (
    <div className="flex w-full flex-col gap-3">
      <TileSearch
        ref={field}
        label={t.search}
        placeholder={`${t.search}  ( / )`}
        value={search}
        onChange={setSearch}
        onEnter={() => {
          const [first] = clients;
          if (first !== undefined) onChoose(first.id);
        }}
      />
      <ul aria-label={t.list} className="grid grid-cols-1 gap-2 sm:grid-cols-2 lg:grid-cols-3">
        {clients.map(({ id, name, about, callsFrom }) => (
          <li key={id}>
            <Tile icon={<Logo name={id} size={18} />} name={name} note={inWords(about)} onChoose={() => onChoose(id)}>
              {callsFrom === 'cloud' && <span className="block text-xs text-caution">{t.publicAddress}</span>}
            </Tile>
          </li>
        ))}
      </ul>
      {clients.length === 0 && (
        <p role="status" className="text-sm text-ink-soft">
          {t.noMatch}
        </p>
      )}
    </div>
  );
}
