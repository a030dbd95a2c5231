// Electron's `nativeTheme`: the application's choice of theme really reaches `prefers-color-scheme` in its pages; a
// test sets the machine's own theme.
import type * as Electron from 'electron'
import { host } from './host.ts'
import { Emulated } from './strict.ts'
import { WebContents } from './web-contents.ts'

type Source = Electron.NativeTheme['themeSource']
type Offered = Pick<
  Electron.NativeTheme,
  | 'themeSource'
  | 'shouldUseDarkColors'
  | 'shouldUseHighContrastColors'
  | 'shouldUseInvertedColorScheme'
  | 'inForcedColorsMode'
  | 'prefersReducedTransparency'
>

class NativeTheme extends Emulated implements Offered {
  readonly shouldUseInvertedColorScheme = false
  readonly inForcedColorsMode = false
  readonly prefersReducedTransparency = false
  #source: Source = 'system'
  #machineIsDark = false

  constructor() {
    super('nativeTheme', { emits: ['updated'] })
  }

  get themeSource(): Source {
    return this.#source
  }

  set themeSource(source: Source) {
    if (!['system', 'light', 'dark'].includes(source))
      throw new TypeError('Error processing argument, conversion failure')
    this.#source = source
    this.#apply()
  }

  get shouldUseDarkColors(): boolean {
    return this.#source === 'system' ? this.#machineIsDark : this.#source === 'dark'
  }

  get shouldUseDarkColorsForSystemIntegratedUI(): boolean {
    return this.#machineIsDark
  }

  get shouldUseHighContrastColors(): boolean {
    return host.machineState.highContrast
  }

  /** @internal changes the machine's own theme, for a test */
  setMachine(theme: { dark?: boolean; highContrast?: boolean }): void {
    this.#machineIsDark = theme.dark ?? this.#machineIsDark
    const contrast = theme.highContrast ?? host.machineState.highContrast
    const changed = contrast !== host.machineState.highContrast
    host.machineState.highContrast = contrast
    this.#apply()
    if (changed) this.#notify()
  }

  #apply(): void {
    if (host.machineState.dark === this.shouldUseDarkColors) return
    host.machineState.dark = this.shouldUseDarkColors
    this.#notify()
  }

  #notify(): void {
    for (const contents of WebContents.all()) void contents.applyMachineState()
    this.emit('updated')
  }
}

export const nativeTheme = new NativeTheme()
