/**
 * Command-line switches that a packaged application refuses. Chromium accepts switches from anyone who starts it, and
 * some allow them to watch or redirect network traffic, or disable a protection. Electron's fuses don't cover these.
 */

/** Chromium's names (content, net and network switches); a trailing `*` matches any suffix. */
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

/** Chromium writes every connection's keys to the file that it names. */
const REFUSED_VARIABLES = ['SSLKEYLOGFILE']

interface Start {
  platform: NodeJS.Platform
  /** As Electron provides it: the program first. */
  argv: readonly string[]
  env: Readonly<Record<string, string | undefined>>
}

/** Returns the first refused switch or variable, as written, without its value; undefined if there is none. */
export function refusedAtStart({ platform, argv, env }: Start): string | undefined {
  for (const argument of argv.slice(1)) {
    // The rest are file names, whatever they begin with.
    if (argument === '--') break
    const name = switchIn(argument, platform)
    if (name !== undefined && REFUSED.some((refused) => matches(name, refused))) return argument.replace(/=.*$/s, '')
  }
  return REFUSED_VARIABLES.find((name) => env[name])
}

/** Chromium accepts one dash or two and, on Windows, a slash and capitals. */
function switchIn(argument: string, platform: NodeJS.Platform): string | undefined {
  const isWindows = platform === 'win32'
  const name = (isWindows ? /^(?:--|-|\/)([^=]+)/ : /^--?([^=]+)/).exec(argument.trim())?.[1]
  return isWindows ? name?.toLowerCase() : name
}

function matches(name: string, refused: string): boolean {
  return refused.endsWith('*') ? name.startsWith(refused.slice(0, -1)) : name === refused
}
