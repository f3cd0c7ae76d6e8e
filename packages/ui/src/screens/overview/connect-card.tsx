import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';

import { modelsQuery } from '../../api/queries.ts';
import { SNIPPETS } from '../../app/base-url.ts';
import { CopyButton } from '../../parts/controls/copy-button.tsx';

export function ConnectCard() {
  const { data: models } = useQuery(modelsQuery);
  const [label, setLabel] = useState('curl');
  const model =
    models?.find(({ architecture }) => architecture.output_modalities.includes('text'))?.id ?? 'author/model';
  const snippet = SNIPPETS.find((candidate) => candidate.label === label);
  const text = snippet?.toText(model) ?? '';
  return (
    <section className="card min-w-0 p-4">
      <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
        <h2 className="text-base font-semibold">Connect a tool</h2>
        <div className="flex min-w-0 gap-2">
          <select
            aria-label="Tool"
            className="field w-auto max-w-full min-w-0"
            value={label}
            onChange={(event) => setLabel(event.target.value)}
          >
            {SNIPPETS.map((candidate) => (
              <option key={candidate.label}>{candidate.label}</option>
            ))}
          </select>
          <CopyButton text={text} label="Copy" />
        </div>
      </div>
      <pre
        tabIndex={0}
        aria-label={`Snippet for ${label}`}
        className="scroll-thin max-h-72 overflow-auto rounded-lg bg-raised p-3 font-mono text-xs"
      >
        {text}
      </pre>
      <p className="mt-2 text-xs text-ink-faint">
        Set GATEWAY_API_KEY to a key made under Keys; these snippets hold none.{' '}
        <Link to="/connect" search={{}} className="text-accent underline">
          Connect a tool
        </Link>{' '}
        makes a key for yours and shows its finished settings.
      </p>
    </section>
  );
}
