import { Link, useRouterState } from '@tanstack/react-router';

import { showControls } from '../../parts/text/show-controls.ts';
import { shellMessages } from '../messages.ts';
import { isForRole, PLACES, toScreenName } from '../navigation.ts';
import { findMeant } from './find-meant.ts';
import { notFoundMessages } from './messages.ts';

/**
 * In place of a screen where the address is of none: which address that is, since a link from elsewhere shows only here,
 * and the screen that it was probably meant for.
 */
export function NotFound() {
  const address = useRouterState({ select: ({ location }) => location.pathname });
  const t = notFoundMessages();
  const places = PLACES.filter(isForRole);
  const path = findMeant(
    address,
    places.map((place) => place.path),
  );
  const meant = places.find((place) => place.path === path);
  return (
    <div className="flex flex-col items-center gap-3 px-6 py-14 text-center text-sm text-ink-faint">
      <h1 className="text-base font-medium text-ink">{shellMessages().notFound}</h1>
      <p>
        {t.address}{' '}
        <code className="rounded bg-raised px-1 py-0.5 font-mono text-xs break-all text-ink-soft">
          {showControls(address)}
        </code>
      </p>
      {meant !== undefined && (
        <p className="text-ink">
          {t.meant}{' '}
          <Link to={meant.path} className="font-medium text-accent underline">
            {toScreenName(meant.name)}
          </Link>
          ?
        </p>
      )}
      <p>{t.advice}</p>
      <Link to="/" className="text-accent underline">
        {t.toOverview}
      </Link>
    </div>
  );
}
