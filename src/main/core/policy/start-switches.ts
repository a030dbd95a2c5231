/**
 * What a packaged application isn't started with. Chromium takes switches from anyone who starts it, and some of them let that
 * someone watch what goes over the network, lead it elsewhere, or take a guard away. Electron's fuses say nothing of them.
 */

/** By Chromium's own names (content, net and network switches); a name that ends with `*` stands for all that begin so. */
const REFUSED = [
  'no-sandbox',
  'disable-gpu-sandbox',
  'disable-seccomp-filter-sandbox',
  'disable-setuid-sandbox',
  'disable-namespace-sandbox',
  'single-process',
  'remote-debugging-*',
  'remote-allow-origins',
  'enable-automation',
  'auto-open-devtools-for-tabs',
  'ignore-certificate-errors',
  'ignore-certificate-errors-*',
  'allow-insecure-localhost',
  'unsafely-treat-insecure-origin-as-secure',
  'host-resolver-rules',
  'host-rules',
  'proxy-server',
  'proxy-pac-url',
  'proxy-bypass-list',
  'log-net-log',
  'ssl-key-log-file',
  'disable-web-security',
  'allow-running-insecure-content',
  'disable-site-isolation-trials',
  'load-extension',
  'disable-features',
  'enable-features',
  'enable-blink-features',
  'disable-blink-features',
  'use-fake-ui-for-media-stream',
  'use-fake-device-for-media-stream',
  'use-file-for-fake-*',
  'force-webrtc-ip-handling-policy',
  'renderer-cmd-prefix',
  'utility-cmd-prefix',
  'gpu-launcher',
  'renderer-startup-dialog',
  'js-flags',
  'password-store'
]

/** Chromium writes the keys of every connection into the file that it names. */
const REFUSED_VARIABLES = ['SSLKEYLOGFILE']

interface Start {
  platform: NodeJS.Platform
  /** As Electron gives it: the program first. */
  argv: readonly string[]
  env: Readonly<Record<string, string | undefined>>
}

/**
 * The first switch or variable that the application isn't started with, as it was written without its value; undefined if there
 * is none.
 */
export function refusedAtStart({ platform, argv, env }: Start): string | undefined {
  for (const argument of argv.slice(1)) {
    // What follows names files, whatever it begins with.
    if (argument === '--') break
    const name = switchIn(argument, platform)
    if (name !== undefined && REFUSED.some((refused) => fits(name, refused))) return argument.replace(/=.*$/s, '')
  }
  return REFUSED_VARIABLES.find((name) => env[name])
}

/** Chromium takes one dash as well as two and, on Windows, a slash and capitals. */
function switchIn(argument: string, platform: NodeJS.Platform): string | undefined {
  const isWindows = platform === 'win32'
  const name = (isWindows ? /^(?:--|-|\/)([^=]+)/ : /^--?([^=]+)/).exec(argument.trim())?.[1]
  return isWindows ? name?.toLowerCase() : name
}

function fits(name: string, refused: string): boolean {
  return refused.endsWith('*') ? name.startsWith(refused.slice(0, -1)) : name === refused
}
