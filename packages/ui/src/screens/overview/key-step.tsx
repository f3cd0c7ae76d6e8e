import { useQueryClient } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';

import { keysQuery } from '../../api/queries.ts';
import { Button } from '../../parts/controls/button.tsx';
import { KeyForm } from '../keys/key-form.tsx';
import { NewKeyDialog } from '../keys/new-key-dialog.tsx';
import { ConnectCard } from './connect-card.tsx';

/** Makes a key for a tool, and shows what to put where. */
export function KeyStep({ hasKey }: { hasKey: boolean }) {
  const client = useQueryClient();
  const [isMaking, setIsMaking] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <div className="flex flex-col items-start gap-4">
      <h2 className="font-semibold">{hasKey ? 'There is a key for a tool' : 'Give your tool a key of its own'}</h2>
      <p className="text-sm">Then its calls can be told from others, limited, and stopped.</p>
      <Button
        look={hasKey ? 'plain' : 'primary'}
        icon={<KeyRound size={15} aria-hidden />}
        onClick={() => setIsMaking(true)}
      >
        {hasKey ? 'Make another key' : 'Make a key'}
      </Button>
      <div className="w-full">
        <ConnectCard />
      </div>
      {isMaking && (
        <KeyForm
          onClose={() => setIsMaking(false)}
          onSaved={async (made) => {
            setIsMaking(false);
            setSecret(made);
            await client.invalidateQueries({ queryKey: keysQuery.queryKey });
          }}
        />
      )}
      {secret !== null && <NewKeyDialog secret={secret} onClose={() => setSecret(null)} />}
    </div>
  );
}
