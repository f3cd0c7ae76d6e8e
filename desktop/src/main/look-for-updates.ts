/**
 * Looks for a newer release once, tells the user when one is ready, and installs it when the app quits. Accepts only
 * releases with a valid signature. Loaded on demand, because most users never use it.
 */
export async function lookForUpdates(): Promise<void> {
  const { autoUpdater } = await import('electron-updater');
  autoUpdater.autoDownload = true;
  autoUpdater.autoInstallOnAppQuit = true;
  // A build without an update address finds nothing.
  await autoUpdater.checkForUpdatesAndNotify().catch(() => undefined);
}
