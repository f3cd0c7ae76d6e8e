import { useQuery } from '@tanstack/react-query';

import { modelSetupsQuery } from '../../../features/models/model-setup-queries.ts';

/** Models that were set up and are not served, which the list below does not have. */
export function UnservedModels({ onOpen }: { onOpen: (id: string) => void }) {
  const { data: setups } = useQuery(modelSetupsQuery);
  const unserved = setups?.data.filter(({ status }) => status === 'idle' || status === 'failed') ?? [];
  if (unserved.length === 0) return null;
  return (
    <p className="text-sm text-ink-soft">
      Set up and not served at the moment:{' '}
      {unserved.map(({ id, problem }) => (
        <button
          key={id}
          type="button"
          title={problem ?? undefined}
          className="mr-2 font-mono text-xs text-accent underline"
          onClick={() => onOpen(id)}
        >
          {id}
        </button>
      ))}
    </p>
  );
}
