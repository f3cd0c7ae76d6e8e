import { Link, useRouterState } from '@tanstack/react-router';

import { showControls } from '../parts/text/show-controls.ts';
import { shellMessages } from './messages.ts';

/** In place of a screen where the address is of none: which address that is, since a link from elsewhere shows only here. */
export function NotFound() {
  const address = useRouterState({ select: ({ location }) => location.pathname });
  const t = shellMessages();
  return (
    <div className="flex flex-col items-center gap-3 px-6 py-14 text-center text-sm text-ink-faint">
      <h1 className="text-base font-medium text-ink">{t.notFound}</h1>
      <p>
        {t.notFoundAddress}{' '}
        <code className="rounded bg-raised px-1 py-0.5 font-mono text-xs break-all text-ink-soft">
          {showControls(address)}
        </code>
      </p>
      <p>{t.notFoundAdvice}</p>
      <Link to="/" className="text-accent underline">
        {t.toOverview}
      </Link>
    </div>
  );
}
