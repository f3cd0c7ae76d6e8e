import { inject } from 'vitest';

import type { PackagedApp } from './package-app.ts';

/** Environment of the tests: a packaged app, a display and a session bus; or the reason why they cannot run. */
export type DesktopStage =
  | (PackagedApp & {
      readonly env: Readonly<Record<string, string>>;
      /** The folder of the archives and the Debian package, or why they were not made. */
      readonly packages: { readonly dir: string } | { readonly skipped: string };
    })
  | { readonly skipped: string };

declare module 'vitest' {
  interface ProvidedContext {
    /** Resolves once the stage is set. */
    desktopStageUrl: string;
  }
}

/** Waits until the stage is set. Throws when that has failed. */
export async function getStage(): Promise<DesktopStage> {
  const response = await fetch(inject('desktopStageUrl'));
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as DesktopStage;
}
