/** Requests about the application itself. */
import { codeOfCountry } from '../../shared/composition/phone.ts'
import type { SettingsView, SystemStatus } from '../../shared/contract/index.ts'
import { fail } from '../core/lib/failure.ts'
import type { ProxySignIns } from '../core/service/proxy-sign-in.ts'
import type { SettingsStore } from '../core/storage/settings.ts'
import type { LoginStart } from '../core/support/login-start.ts'
import type { HandlersOf } from './registration.ts'

interface SystemParts {
  settings: SettingsStore
  version: string
  /** Two-letter country code of the system's region; blank if unknown. */
  systemCountry: () => string
  /** Applies theme and zoom. */
  applySettings: (settings: SettingsView) => void
  changed: () => void
  loginStart: LoginStart | undefined
  keepPlace: (place: string) => void
  status: () => SystemStatus
  showData: () => void
  copy: (text: string, isPersonal: boolean) => Promise<void>
  /** Copies text; returns after how many milliseconds it is cleared from the clipboard. */
  copyBriefly: (text: string) => Promise<number>
  proxies: Pick<ProxySignIns, 'waiting' | 'signIn'>
  /** Retries what waited for a proxy. */
  retryThroughProxy: () => void
  /** The page's answer to whether everything typed is kept before the window closes. */
  readyToClose: (kept: boolean) => void
}

export function systemHandlers({ settings, version, ...parts }: SystemParts): HandlersOf<'settings' | 'system'> {
  // At the first start, nothing counts as news.
  if (settings.read().newsSeen === undefined) settings.change({ newsSeen: version })

  function view(): SettingsView {
    const { theme, zoom, documentColumns, countryCode, newsSeen } = settings.read()
    const code = countryCode ?? codeOfCountry(parts.systemCountry())
    return {
      theme,
      zoom,
      ...(documentColumns && { documentColumns }),
      ...(code && { countryCode: { code, isGuessed: countryCode === undefined } }),
      ...(parts.loginStart && { startAtLogin: parts.loginStart.isOn() }),
      ...(newsSeen !== version && { news: version })
    }
  }

  function setLoginStart(isOn: boolean): void {
    try {
      parts.loginStart?.set(isOn)
    } catch {
      fail('not-writable', 'This computer didn’t let Countersign change what starts when you sign in.')
    }
  }

  return {
    'settings.get': async () => view(),
    'settings.set': async (change) => {
      const { documentColumns, news, startAtLogin, ...others } = change
      if (startAtLogin !== undefined) setLoginStart(startAtLogin)
      const columns = documentColumns === undefined ? {} : { documentColumns: documentColumns ?? undefined }
      const outcome = settings.change({ ...others, ...columns, ...(news === null && { newsSeen: version }) })
      parts.applySettings(view())
      parts.changed()
      if (!outcome.saved) fail('storage', 'This works for now but couldn’t be saved for next time.')
      return view()
    },
    'system.proxy': async () => parts.proxies.waiting() ?? null,
    'system.signInToProxy': async (login) => {
      // The sign-in applies now even if it can't be stored.
      await parts.proxies.signIn(login).finally(parts.retryThroughProxy)
    },
    'system.keepPlace': async ({ place }) => parts.keepPlace(place),
    'system.status': async () => parts.status(),
    'system.showData': async () => parts.showData(),
    'system.copy': async ({ text, isPersonal = false }) => parts.copy(text, isPersonal),
    'system.copyBriefly': async ({ text }) => ({ clearsAfter: await parts.copyBriefly(text) }),
    'system.readyToClose': async ({ kept }) => parts.readyToClose(kept)
  }
}
