/**
 * Looks for a newer release once, tells the user when one is ready, and installs it when the app quits. Releases are
 * taken only with a good signature. Loaded when it is asked for: most users never do.
 */
export async function lookForUpdates(): Promise<void> {
  const { autoUpdater } = await import('electron-updater');
  autoUpdater.autoDownload = true;
  autoUpdater.autoInstallOnAppQuit = true;
  // Without a place to look, as in a build of one's own, there is nothing to find.
  await autoUpdater.checkForUpdatesAndNotify().catch(() => undefined);
}
