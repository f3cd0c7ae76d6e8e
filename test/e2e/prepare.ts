import { installPackages } from '../support/install-packages.ts';
import { findChromium } from './find-chromium.ts';

/** Installs a browser where there is none. Where that cannot be done, the tests say so and are skipped. */
export function setup(): void {
  installPackages(() => (findChromium() === undefined ? ['chromium'] : []));
}
