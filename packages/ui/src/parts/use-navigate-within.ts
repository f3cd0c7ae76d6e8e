import { type RegisteredRouter, type UseNavigateResult, useRouter } from '@tanstack/react-router';
import { useCallback } from 'react';

type ScreenPath = keyof RegisteredRouter['routesByPath'];

/**
 * Navigates from the screen of a path. Once the page is on its way to another screen, it does nothing: the screen is
 * still shown then, and what is clicked or ends there would lead back.
 */
export function useNavigateWithin<From extends ScreenPath>(from: From): UseNavigateResult<From> {
  const router = useRouter();
  const navigate = useCallback(
    async (options: Parameters<typeof router.navigate>[0]): Promise<void> => {
      // The history has the new address before the router does.
      const [matched] = router.getMatchedRoutes(router.history.location.pathname);
      if (matched.at(-1)?.fullPath === from) await router.navigate({ ...options, from });
    },
    [router, from],
  );
  return navigate as UseNavigateResult<From>;
}
