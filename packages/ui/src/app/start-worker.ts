/** The part of Trusted Types (W3C) that is used here: not every browser has them, nor do TypeScript's own types. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { readonly createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): string };
}

const trustedTypes = (globalThis as { readonly trustedTypes?: TrustedTypes }).trustedTypes;
// The content security policy lets no text become a script's address but through a policy; this one takes the bundle's.
const policy = trustedTypes?.createPolicy('bundle-worker', {
  createScriptURL(url) {
    const { origin, protocol, host } = new URL(url, document.baseURI);
    const own = new URL(document.baseURI);
    if (protocol !== own.protocol || host !== own.host) throw new TypeError(`A worker of ${origin} is none of ours`);
    return url;
  },
});

/** Starts a worker of the bundle, whose address comes from an import with `?worker&url`. */
export function startWorker(url: string): Worker {
  return new Worker(policy?.createScriptURL(url) ?? url, { type: 'module' });
}
