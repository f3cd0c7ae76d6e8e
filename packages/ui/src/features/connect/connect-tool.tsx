import { type Client, CLIENTS, searchClients } from '@model-gateway/clients';
import { Code, MessagesSquare, Package, Search, SquareTerminal } from 'lucide-react';
import { type ReactNode, useState } from 'react';

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

const ICONS: Readonly<Record<Client['kind'], ReactNode>> = {
  coding: <Code size={16} />,
  chat: <MessagesSquare size={16} />,
  library: <Package size={16} />,
  terminal: <SquareTerminal size={16} />,
};

/** The tools that can be connected; Enter in the search takes the first. */
function ToolTiles({ onChoose }: { onChoose: (id: string) => void }) {
  const [search, setSearch] = useState('');
  const clients = searchClients(search);
  return (
    <div className="flex w-full flex-col gap-3">
      <div className="relative">
        <Search size={15} className="absolute top-2.5 left-2.5 text-ink-faint" />
        <input
          type="search"
          aria-label="Search tools"
          placeholder="Search; Enter selects the first"
          className="field pl-8"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          onKeyDown={(event) => {
            const [first] = clients;
            if (event.key === 'Enter' && first !== undefined) onChoose(first.id);
          }}
        />
      </div>
      <ul aria-label="Tools" className="grid grid-cols-1 gap-2 sm:grid-cols-2 lg:grid-cols-3">
        {clients.map((client) => (
          <li key={client.id}>
            <Tile client={client} onChoose={onChoose} />
          </li>
        ))}
      </ul>
      {clients.length === 0 && (
        <p role="status" className="text-sm text-ink-soft">
          No matching tool. Any OpenAI or OpenRouter client works with a base URL and a key: see “curl” for both.
        </p>
      )}
    </div>
  );
}

function Tile({ client, onChoose }: { client: Client; onChoose: (id: string) => void }) {
  const { id, name, about, kind, callsFrom } = client;
  return (
    <button
      type="button"
      onClick={() => onChoose(id)}
      className="flex h-full w-full items-start gap-2.5 rounded-lg border border-line bg-surface p-3 text-left hover:border-accent hover:bg-raised"
    >
      <span className="mt-0.5 text-ink-faint">{ICONS[kind]}</span>
      <span className="min-w-0 flex-1">
        <span className="block text-sm font-medium">{name}</span>
        <span className="block text-xs break-words text-ink-faint">{about}</span>
        {callsFrom === 'cloud' && <span className="block text-xs text-caution">Needs a public address</span>}
      </span>
    </button>
  );
}
