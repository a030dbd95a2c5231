// Source text that runs in every document before the page's own scripts. It tells the host what the page is about to
// ask the browser for, waits until the application has decided and Chromium has been told, and then lets the page ask
// Chromium. It decides nothing itself: a page that bypasses it meets Chromium's own denial. Only where Chromium would
// show a list of devices or screens, which nobody could answer here, does it answer in Chromium's place, as Electron
// does: with none.

/**
 * Installs the shim in a document. Self-contained, because its source text is what runs in the page. `token` names the
 * event that brings an answer back.
 */
export function permissionShim(token: string, binding: string): void {
  const page = globalThis as unknown as Record<string, unknown> & Window
  const post = page[binding] as ((text: string) => void) | undefined
  delete page[binding]
  if (!post) return
  const waiting = new Map<number, (allowed: boolean) => void>()
  let last = 0
  addEventListener(
    token,
    (event) => {
      event.stopImmediatePropagation()
      const [id, allowed] = (event as CustomEvent<string>).detail.split(' ')
      waiting.get(Number(id))?.(allowed === 'true')
      waiting.delete(Number(id))
    },
    true
  )
  const ask = (kind: 'request' | 'check', permission: string, details: object = {}): Promise<boolean> =>
    new Promise((resolve) => {
      waiting.set(++last, resolve)
      post(JSON.stringify({ id: last, kind, permission, details }))
    })

  type Method = (this: unknown, ...args: never[]) => unknown
  /** Puts a question before a method that returns a promise. */
  const askBefore = (
    owner: object | undefined,
    name: string,
    question: (args: never[]) => Promise<boolean>,
    substitute?: (allowed: boolean) => unknown
  ): void => {
    const holder = owner as Record<string, Method> | undefined
    const native = holder?.[name]
    if (!holder || typeof native !== 'function') return
    const wrapped = {
      [name](this: unknown, ...args: never[]) {
        return question(args).then((allowed) => (substitute ? substitute(allowed) : Reflect.apply(native, this, args)))
      }
    }[name]
    Object.defineProperty(holder, name, { value: wrapped, writable: true, configurable: true, enumerable: true })
  }
  const proto = (name: string): object | undefined => (page[name] as { prototype?: object } | undefined)?.prototype
  const statics = (name: string): object | undefined => page[name] as object | undefined
  const request = (permission: string, details?: object) => () => ask('request', permission, details)

  const permissionNames: Record<string, string> = {
    camera: 'media',
    microphone: 'media',
    'clipboard-write': 'clipboard-sanitized-write',
    'pointer-lock': 'pointerLock',
    'keyboard-lock': 'keyboardLock'
  }
  askBefore(proto('Permissions'), 'query', ([descriptor]: { name?: string; sysex?: boolean }[]) => {
    const name = String(descriptor?.name)
    if (name === 'midi') return ask('check', descriptor?.sysex ? 'midiSysex' : 'midi')
    const mediaType = name === 'camera' ? 'video' : name === 'microphone' ? 'audio' : undefined
    return ask('check', permissionNames[name] ?? name, mediaType ? { mediaType } : {})
  })
  askBefore(proto('MediaDevices'), 'getUserMedia', ([constraints]: { audio?: unknown; video?: unknown }[]) =>
    ask('request', 'media', {
      mediaTypes: [...(constraints?.video ? ['video'] : []), ...(constraints?.audio ? ['audio'] : [])]
    })
  )
  const notFound = (message: string) => () => Promise.reject(new DOMException(message, 'NotFoundError'))
  askBefore(
    proto('MediaDevices'),
    'getDisplayMedia',
    request('display-capture', { mediaTypes: ['video'] }),
    (allowed: boolean) =>
      Promise.reject(
        allowed
          ? new DOMException('Not supported', 'NotSupportedError')
          : new DOMException('Permission denied', 'NotAllowedError')
      )
  )
  askBefore(proto('MediaDevices'), 'selectAudioOutput', request('speaker-selection'))
  askBefore(proto('Clipboard'), 'read', request('clipboard-read'))
  askBefore(proto('Clipboard'), 'readText', request('clipboard-read'))
  askBefore(proto('Clipboard'), 'write', request('clipboard-sanitized-write'))
  askBefore(proto('Clipboard'), 'writeText', request('clipboard-sanitized-write'))
  askBefore(proto('Navigator'), 'requestMIDIAccess', ([options]: { sysex?: boolean }[]) =>
    ask('request', options?.sysex ? 'midiSysex' : 'midi')
  )
  askBefore(proto('StorageManager'), 'persist', request('persistent-storage'))
  askBefore(proto('Document'), 'requestStorageAccess', request('storage-access'))
  askBefore(proto('Document'), 'requestStorageAccessFor', request('top-level-storage-access'))
  askBefore(proto('Element'), 'requestPointerLock', request('pointerLock'))
  askBefore(proto('Element'), 'requestFullscreen', request('fullscreen'))
  askBefore(proto('Keyboard'), 'lock', request('keyboardLock'))
  askBefore(proto('WakeLock'), 'request', request('screen-wake-lock'))
  askBefore(statics('Notification'), 'requestPermission', request('notifications'))
  askBefore(statics('IdleDetector'), 'requestPermission', request('idle-detection'))
  askBefore(statics('window'), 'getScreenDetails', request('window-management'))
  askBefore(statics('window'), 'queryLocalFonts', request('local-fonts'))
  const check = (permission: string) => () => ask('check', permission)
  askBefore(proto('USB'), 'requestDevice', check('usb'), notFound('No device selected.'))
  askBefore(proto('HID'), 'requestDevice', check('hid'), () => [])
  askBefore(proto('Serial'), 'requestPort', check('serial'), notFound('No port selected by the user.'))
  askBefore(
    proto('Bluetooth'),
    'requestDevice',
    check('unknown'),
    notFound('User cancelled the requestDevice() chooser.')
  )
  askBefore(proto('NDEFReader'), 'scan', request('nfc'))

  // These two answer through callbacks, and one of them also returns a number at once.
  const geolocation = proto('Geolocation') as Geolocation | undefined
  if (geolocation) {
    const { getCurrentPosition, watchPosition, clearWatch } = geolocation
    const watches = new Map<number, number | undefined>()
    let lastWatch = 0
    geolocation.getCurrentPosition = function (this: Geolocation, ...args) {
      ask('request', 'geolocation').then(() => Reflect.apply(getCurrentPosition, this, args))
    }
    geolocation.watchPosition = function (this: Geolocation, ...args) {
      const id = ++lastWatch
      watches.set(id, undefined)
      ask('request', 'geolocation').then(() => {
        if (watches.has(id)) watches.set(id, Reflect.apply(watchPosition, this, args))
      })
      return id
    }
    geolocation.clearWatch = function (this: Geolocation, id) {
      const native = watches.get(id)
      watches.delete(id)
      if (native !== undefined) Reflect.apply(clearWatch, this, [native])
    }
  }
}
