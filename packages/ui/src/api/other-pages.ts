const channel = new BroadcastChannel('model-gateway');

/** Tells the other pages of this browser that something has been changed. */
export const tellOtherPages = (): void => channel.postMessage('changed');

/** Calls back when another page of this browser has changed something. */
export function onOtherPagesChange(listener: () => void): void {
  channel.addEventListener('message', listener);
}
