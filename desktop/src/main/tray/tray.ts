import { Menu, nativeImage, type Rectangle, Tray } from 'electron';

import type { GatewayState } from '../../shared/gateway-messages.ts';
import type { AppPaths } from '../app-paths.ts';
import { texts } from '../texts.ts';
import { describeState } from './describe-state.ts';
import { toTrayMenu, type TrayActions, type TrayView } from './tray-menu.ts';

export interface AppTray {
  /** Where the icon is on the screen; empty where the system does not say. */
  readonly bounds: Rectangle;
  show(view: TrayView): void;
  destroy(): void;
}

/** Adds the tray icon. On systems that show none, the window offers everything as well. */
export function createAppTray(icons: AppPaths['icons'], actions: TrayActions): AppTray {
  const images = {
    running: nativeImage.createFromPath(icons.running),
    paused: nativeImage.createFromPath(icons.paused),
    trouble: nativeImage.createFromPath(icons.trouble),
  };
  const tray = new Tray(images.running);
  tray.on('click', () => actions.clickIcon());
  tray.on('double-click', () => actions.open());
  return {
    get bounds() {
      return tray.getBounds();
    },
    show(view) {
      tray.setImage(images[iconOf(view.state)]);
      tray.setToolTip(texts().tray.toolTip(describeState(view.state, view.settings.mode)));
      // The menu is set again after every change: Linux receives the menu as a whole and does not report that it opens.
      tray.setContextMenu(Menu.buildFromTemplate(toTrayMenu(view, actions)));
    },
    destroy: () => tray.destroy(),
  };
}

/** The icons differ in shape as well: a square, a circle, a triangle. */
function iconOf({ phase }: GatewayState): keyof AppPaths['icons'] {
  if (phase === 'paused') return 'paused';
  return phase === 'listening' || phase === 'starting' ? 'running' : 'trouble';
}
