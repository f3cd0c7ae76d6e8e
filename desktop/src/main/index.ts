import type { Mode } from '@model-gateway/ui/desktop-bridge';
import { app, dialog, powerMonitor } from 'electron';

import { appPaths } from './app-paths.ts';
import { setChromiumSwitches } from './chromium-switches.ts';
import { createPortAsker } from './gateway/ask-about-port.ts';
import { createGatewayControl } from './gateway/gateway-control.ts';
import { createGatewayFetch } from './gateway/gateway-fetch.ts';
import { createGatewayProcess } from './gateway/gateway-process.ts';
import { lookForUpdates } from './look-for-updates.ts';
import { modeObstacle } from './mode-obstacle.ts';
import { createNotifier } from './notices/notifier.ts';
import { showNotification, type ShownNotification } from './notices/show-notification.ts';
import { openLogs } from './open-logs.ts';
import { createQuitter } from './quit.ts';
import { startsHidden } from './settings/login-item.ts';
import { createProviderKeys } from './settings/provider-keys.ts';
import { createSettingsChanger } from './settings/settings-changer.ts';
import { openSettingsFile } from './settings/settings-file.ts';
import { createShortcut } from './shortcut.ts';
import { speak, texts } from './texts.ts';
import { createTrayHostAsker } from './tray/tray-host.ts';
import { createAppTray } from './tray/tray.ts';
import { declareAppScheme, serveAppScheme } from './window/app-scheme.ts';
import { createAppWindow, restrictPages } from './window/app-window.ts';
import { createBridgeHandlers } from './window/bridge-handlers.ts';
import { serveBridge } from './window/bridge.ts';
import { createPanelWindow } from './window/panel-window.ts';

/** Starts the app: window and tray over the gateway's process. Call it once Electron is ready. */
async function run(): Promise<void> {
  const paths = appPaths();
  const file = openSettingsFile(paths.settings);
  const changeLanguage = (): void => void speak(file.settings.language, app.getPreferredSystemLanguages());
  changeLanguage();
  const keys = createProviderKeys(file);
  const gateway = createGatewayProcess(paths.gatewayEntry);
  const control = createGatewayControl({ gateway, paths, file, keys });
  restrictPages();
  serveAppScheme(paths.ui, createGatewayFetch(gateway));

  const quitter = createQuitter(gateway, control.setPaused);
  const askAboutTray = createTrayHostAsker();
  const window = createAppWindow(paths.preload, file, async () => {
    if (quitter.isQuitting) return;
    if (!file.settings.closeToTray || (await askAboutTray()) === 'quit') await quitter.quit();
  });
  const obstacleTo = (mode: Mode): string | null => modeObstacle(mode, { state: gateway.state, paths });
  const showState = (): void => {
    const { state, figures } = gateway;
    tray.show({ state, figures, settings: file.settings, obstacleTo });
    portAsker.follow(state);
    window.current?.webContents.send('changed');
    panel.tell();
  };
  const openOnClick = (plan: ShownNotification): void => showNotification(plan, (place) => window.show(place));
  const notify = createNotifier({ settings: () => file.settings, now: () => performance.now(), show: openOnClick });
  const lookForUpdatesNow = (): void => void lookForUpdates((version) => notify({ type: 'update', version }));
  const panel = createPanelWindow(paths.preload, () => tray.bounds);
  const shortcut = createShortcut(() => panel.toggle());
  const changeSettings = createSettingsChanger({
    file,
    control,
    shortcut,
    changeLanguage,
    lookForUpdates: lookForUpdatesNow,
    obstacleTo,
    onChanged: showState,
  });
  const setPaused = (isPaused: boolean): void => {
    quitter.stay();
    control.setPaused(isPaused);
  };
  const tray = createAppTray(paths.icons, {
    open: (place) => window.show(place),
    openPanel: () => panel.toggle(),
    clickIcon: () => panel.toggleByClick(),
    setPaused,
    retryPort: (port) => control.listen(port),
    changeSettings: (changes) => void changeSettings(changes),
    openLogs: () => openLogs(paths),
    resetPosition: () => window.resetPosition(),
    quit: () => void quitter.quit(),
  });
  const portAsker = createPortAsker({
    isWindowOpen: () => window.current !== null,
    onChoice(choice) {
      if (choice.type === 'change') window.show('settings?section=desktop');
      else if (choice.type !== 'later') control.listen(choice.type === 'use-once' ? choice.port : undefined);
    },
  });
  gateway.onChange(showState);
  gateway.onNotice(notify);
  serveBridge(
    createBridgeHandlers({ paths, file, keys, gateway, control, window, panel, changeSettings, setPaused, obstacleTo }),
  );
  app.on('second-instance', () => window.show());
  app.on('activate', () => window.show());
  // After a sleep the machine may be in another network, or have lost its socket.
  powerMonitor.on('resume', () => {
    if (gateway.state.phase === 'listening' || gateway.state.phase === 'not-listening') control.listenAgain();
  });
  stopBeforeQuitting(async () => {
    await gateway.stop(quitter);
    tray.destroy();
  });

  const chosenKeys = file.settings.shortcut;
  if (!shortcut.use(chosenKeys)) {
    const { panel: words, obstacles } = texts();
    openOnClick({ title: words.title, body: obstacles.shortcutTaken(chosenKeys), place: 'settings?section=desktop' });
  }
  showState();
  await control.start();
  if (file.settings.lookForUpdates) lookForUpdatesNow();
  if (!startsHidden(file.settings.startHidden)) window.show();
}

/** Delays quitting until everything has been written. */
function stopBeforeQuitting(stop: () => Promise<void>): void {
  let isEnding = false;
  app.on('will-quit', (event) => {
    if (isEnding) return;
    event.preventDefault();
    isEnding = true;
    // A quit within the same tick as `preventDefault` would be lost.
    void stop().finally(() => setImmediate(() => app.quit()));
  });
}

if (app.requestSingleInstanceLock()) {
  setChromiumSwitches();
  declareAppScheme();
  // Windows shows notifications of programs that it knows by the name of their shortcut alone: the `appId` of the builder.
  app.setAppUserModelId('dev.model-gateway.desktop');
  // The app stays in the tray.
  app.on('window-all-closed', () => undefined);
  app
    .whenReady()
    .then(run)
    .catch((error: unknown) => {
      const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
      dialog.showErrorBox(texts().start.failed, reason);
      app.exit(1);
    });
} else {
  app.quit();
}
