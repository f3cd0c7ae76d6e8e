import { Link, useSearch } from '@tanstack/react-router';

import { ConnectTool } from '../../features/connect/connect-tool.tsx';
import { ScreenHeader } from '../../parts/messages/states.tsx';
import { useNavigateWithin } from '../../parts/use-navigate-within.ts';
import { connectScreenMessages } from './messages.tsx';

/** Connects a tool; which one is part of the address. */
export function ConnectScreen() {
  const t = connectScreenMessages();
  const { tool } = useSearch({ from: '/connect' });
  const navigate = useNavigateWithin('/connect');
  return (
    <div className="mx-auto flex w-full max-w-4xl flex-col gap-4 p-4 md:p-6">
      <ScreenHeader
        title={t.title}
        note={t.note((text) => (
          <Link to="/keys" className="text-accent underline">
            {text}
          </Link>
        ))}
      />
      <div className="card min-w-0 p-4 md:p-5">
        <ConnectTool toolId={tool} onChoose={(id) => void navigate({ search: id === undefined ? {} : { tool: id } })} />
      </div>
    </div>
  );
}
