import { Link } from '@tanstack/react-router';

import { toModelParams } from './model-facts.ts';

/** Models by their ids, each with its page. */
export function ModelNames({ ids }: { ids: readonly string[] }) {
  return (
    <ul className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5">
      {ids.map((id) => (
        <li key={id}>
          <Link
            to="/models/$author/$"
            params={toModelParams(id)}
            className="font-mono text-xs text-accent hover:underline"
          >
            {id}
          </Link>
        </li>
      ))}
    </ul>
  );
}
