/** The address for tools that add `/v1` themselves, as those of Anthropic's API do. */
export const toAnthropicUrl = (baseUrl: string): string => baseUrl.replace(/\/v1\/?$/, '');

/** The address for tools that add `/v1beta` to that of the mount, as those of Google's API do. */
export const toGoogleUrl = (baseUrl: string): string => baseUrl.replace(/\/api\/v1\/?$/, '');

/** Who can reach an address: this machine, its networks, or the whole internet. */
export type Reach = 'machine' | 'network' | 'public';

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;
const PRIVATE =
  /^(10(\.\d+){3}|192\.168(\.\d+){2}|172\.(1[6-9]|2\d|3[01])(\.\d+){2}|169\.254(\.\d+){2}|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])(\.\d+){2}|\[f[cd][\da-f]{2}:.*\]|\[fe[89ab][\da-f]:.*\])$/;
/** Names that no public directory has. */
const LOCAL_NAME = /(^[^.]+|\.(local|lan|internal|home|home\.arpa|localhost|test|corp|intranet))$/;

/** As far as the address itself shows; a public name may still lead to a private network. */
export function reachOf(baseUrl: string): Reach {
  const { hostname } = new URL(baseUrl);
  if (LOOPBACK.test(hostname)) return 'machine';
  const isNumeric = /^[\d.]+$|^\[/.test(hostname);
  return PRIVATE.test(hostname) || (!isNumeric && LOCAL_NAME.test(hostname)) ? 'network' : 'public';
}

/** The name by which containers of Docker reach the machine they run on. */
const DOCKER_HOST = 'host.docker.internal';

/** The address by which a container on the gateway's machine reaches it. */
export function toContainerUrl(baseUrl: string): string {
  if (reachOf(baseUrl) !== 'machine') return baseUrl;
  const url = new URL(baseUrl);
  url.hostname = DOCKER_HOST;
  return url.href;
}

/** Why a tool may not reach the gateway at its address, and what to do; undefined where nothing is in the way. */
export function findObstacle(callsFrom: 'cloud' | 'container' | undefined, baseUrl: string): string | undefined {
  const reach = reachOf(baseUrl);
  if (callsFrom === 'cloud') return toCloudObstacle(reach, baseUrl);
  if (callsFrom !== 'container' || reach !== 'machine') return undefined;
  return (
    `In a container, localhost means the container itself, so the address below uses ${DOCKER_HOST} for your machine. ` +
    'While the gateway listens only on this machine, it refuses unknown host names: ' +
    'start it with --host 0.0.0.0 (in the desktop app: Settings, share on the network). ' +
    'On Linux, start the container with --add-host=host.docker.internal:host-gateway. ' +
    'Without a container, use localhost instead.'
  );
}

function toCloudObstacle(reach: Reach, baseUrl: string): string | undefined {
  if (reach === 'public' && baseUrl.startsWith('https:')) return undefined;
  const why =
    reach === 'machine'
      ? 'They cannot reach this address, because it is local to this machine'
      : reach === 'network'
        ? 'They cannot reach this address, because it is on a private network'
        : 'This address is not encrypted, so the key would be sent over the internet in plain text';
  return (
    `It calls from its maker’s servers, not from your machine. ${why}. ` +
    'Put the gateway behind a public https address (a reverse proxy or a tunnel), ' +
    'set that address as server.publicUrl in the configuration, and enter it here.'
  );
}
