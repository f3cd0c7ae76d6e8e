import { Link, useRouterState } from '@tanstack/react-router';

import { EmptyState } from '../parts/messages/states.tsx';
import { showControls } from '../parts/text/show-controls.ts';
import { shellMessages } from './messages.ts';

/** In place of a screen where the address is of none: which address that is, since a link from elsewhere shows only here. */
export function NotFound() {
  const address = useRouterState({ select: ({ location }) => location.pathname });
  const t = shellMessages();
  return (
    <EmptyState title={t.notFound}>
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
    </EmptyState>
  );
}
