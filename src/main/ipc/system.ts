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
  /** Of the application. */
  version: string
  /** The two letters of the country that the system is set to; blank where it isn't known. */
  systemCountry: () => string
  /** Makes theme and zoom hold. */
  applySettings: (settings: SettingsView) => void
  changed: () => void
  loginStart: LoginStart | undefined
  keepPlace: (place: string) => void
  status: () => SystemStatus
  showData: () => void
  copy: (text: string, isPersonal: boolean) => Promise<void>
  /** Answers after how many milliseconds it goes from the clipboard by itself. */
  copyBriefly: (text: string) => Promise<number>
  proxies: Pick<ProxySignIns, 'waiting' | 'signIn'>
  /** What waited for a proxy may go on. */
  throughProxy: () => void
  /** The page has answered that the window may close. */
  readyToClose: (kept: boolean) => void
}

export function systemHandlers({ settings, version, ...parts }: SystemParts): HandlersOf<'settings' | 'system'> {
  // At the first start nothing is news.
  if (settings.read().newsSeen === undefined) settings.change({ newsSeen: version })

  function view(): SettingsView {
    const { theme, zoom, documentColumns, countryCode, newsSeen } = settings.read()
    const code = countryCode ?? codeOfCountry(parts.systemCountry())
    return {
      ...{ theme, zoom },
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
      const kept = settings.change({ ...others, ...columns, ...(news === null && { newsSeen: version }) })
      parts.applySettings(view())
      parts.changed()
      if (!kept.saved) fail('storage', 'This works for now but couldn’t be saved for next time.')
      return view()
    },
    'system.proxy': async () => parts.proxies.waiting() ?? null,
    'system.signInToProxy': async (login) => {
      // It holds for now even where it can't be kept.
      await parts.proxies.signIn(login).finally(parts.throughProxy)
    },
    'system.keepPlace': async ({ place }) => parts.keepPlace(place),
    'system.status': async () => parts.status(),
    'system.showData': async () => parts.showData(),
    'system.copy': async ({ text, isPersonal = false }) => parts.copy(text, isPersonal),
    'system.copyBriefly': async ({ text }) => ({ clearsAfter: await parts.copyBriefly(text) }),
    'system.readyToClose': async ({ kept }) => parts.readyToClose(kept)
  }
}
