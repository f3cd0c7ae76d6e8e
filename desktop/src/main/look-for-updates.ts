/** Looks once for a release with a good signature, tells the user, and installs it on quit. Loaded on request only. */
export async function lookForUpdates(): Promise<void> {
  const { autoUpdater } = await import('electron-updater');
  autoUpdater.autoDownload = true;
  autoUpdater.autoInstallOnAppQuit = true;
  // Without a place to look, as in a build of one's own, there is nothing to find.
  await autoUpdater.checkForUpdatesAndNotify().catch(() => undefined);
}
