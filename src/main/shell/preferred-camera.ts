/**
 * Gives a signing page that asks for video the camera that the office chose. Electron answers a page's request with yes
 * or no and Chromium then takes the first camera, so the choice is put into the page's own request. The page learns
 * nothing extra: we know a camera by its name, which Chromium tells a page only for cameras it was granted.
 */

/** The page's argument to `getUserMedia`, copied. */
interface MediaRequest {
  video?: unknown
}
type AnyRecord = Record<string, unknown>

/**
 * Self-contained: its source runs in the page's documents, before their own scripts. If these replace the browser's
 * functions later, we don't call the replacements; strict mode hides ours from code that inspects its callers.
 * @param label the camera's name, as Chromium reports it.
 * @param otherCameraToken logged to the page's console if it got another camera; the page can't know it.
 */
export function preferCamera(label: string, otherCameraToken: string): void {
  const { MediaDevices, MediaDeviceInfo, MediaStream, MediaStreamTrack, DOMException, structuredClone } = globalThis
  // Documents that aren't secure have no cameras.
  if (typeof MediaDevices !== 'function') return
  // biome-ignore lint/suspicious/noConsole: it is the page's, and what is said on it is heard by us alone.
  const logToConsole = console.debug.bind(console)
  const { apply, getOwnPropertyDescriptor, defineProperty } = Reflect
  const { isArray } = Array
  const method = <Answer>(owner: object, name: string) => {
    const { value, get } = getOwnPropertyDescriptor(owner, name) ?? {}
    const native = value ?? get
    return (self: unknown, ...args: unknown[]): Answer => apply(native, self, args)
  }
  const media = MediaDevices.prototype
  const requestStream = method<Promise<MediaStream>>(media, 'getUserMedia')
  const listDevices = method<Promise<MediaDeviceInfo[]>>(media, 'enumerateDevices')
  const kindOf = method<string>(MediaDeviceInfo.prototype, 'kind')
  const nameOf = method<string>(MediaDeviceInfo.prototype, 'label')
  const idOf = method<string>(MediaDeviceInfo.prototype, 'deviceId')
  const tracksOf = method<MediaStreamTrack[]>(MediaStream.prototype, 'getTracks')
  const trackKind = method<string>(MediaStreamTrack.prototype, 'kind')
  const trackName = method<string>(MediaStreamTrack.prototype, 'label')
  const stop = method<void>(MediaStreamTrack.prototype, 'stop')
  const constrain = method<Promise<void>>(MediaStreamTrack.prototype, 'applyConstraints')
  const errorName = method<string>(DOMException.prototype, 'name')

  const isRecord = (value: unknown): value is AnyRecord => typeof value === 'object' && value !== null
  /** Whether the page names a device, or asks in the old syntax, in which it could. */
  function choosesDevice(video: AnyRecord): boolean {
    for (const name of ['deviceId', 'groupId', 'mandatory', 'optional']) if (name in video) return true
    const { advanced } = video
    if (!isArray(advanced)) return false
    for (let at = 0; at < advanced.length; at++) {
      const constraints: unknown = advanced[at]
      if (isRecord(constraints) && ('deviceId' in constraints || 'groupId' in constraints)) return true
    }
    return false
  }

  /** A copy that the page can't change any more; undefined if the choice isn't ours to make. */
  function copyOf(constraints: unknown): (MediaRequest & { video: AnyRecord }) | undefined {
    try {
      const copy: unknown = structuredClone(constraints)
      if (!isRecord(copy) || !copy.video) return undefined
      const video = isRecord(copy.video) ? copy.video : {}
      return choosesDevice(video) ? undefined : { ...copy, video }
    } catch {
      return undefined
    }
  }

  /** The chosen camera's id for this page; undefined if it isn't there, or the page may not know about it. */
  async function chosenId(self: unknown): Promise<string | undefined> {
    try {
      const devices = await listDevices(self)
      for (let at = 0; at < devices.length; at++) {
        const device = devices[at]
        if (kindOf(device) === 'videoinput' && nameOf(device) === label) return idOf(device)
      }
    } catch {
      // The browser gives the reason once it's asked for the stream.
    }
    return undefined
  }

  function videoTrackOf(stream: MediaStream): MediaStreamTrack | undefined {
    const tracks = tracksOf(stream)
    for (let at = 0; at < tracks.length; at++) if (trackKind(tracks[at]) === 'video') return tracks[at]
    return undefined
  }

  function isRefusal(error: unknown): boolean {
    try {
      return errorName(error) === 'NotAllowedError'
    } catch {
      return false
    }
  }

  async function streamFromChosenCamera(
    self: unknown,
    request: MediaRequest & { video: AnyRecord }
  ): Promise<MediaStream> {
    let id = await chosenId(self)
    if (id === undefined) {
      // Names are revealed once the page has been granted a camera, whichever it was.
      let first: MediaStream | undefined
      let failure: unknown
      try {
        first = await requestStream(self, request)
        if (trackName(videoTrackOf(first)) === label) return first
      } catch (error) {
        failure = error
      }
      id = await chosenId(self)
      if (id === undefined) {
        if (!first) throw failure
        logToConsole(otherCameraToken)
        return first
      }
      const tracks = first ? tracksOf(first) : []
      for (let at = 0; at < tracks.length; at++) stop(tracks[at])
    }
    try {
      const stream = await requestStream(self, { ...request, video: { ...request.video, deviceId: { exact: id } } })
      // The constraints that the page can read back are its own.
      try {
        await constrain(videoTrackOf(stream), request.video)
      } catch {
        // The stream stays as it is.
      }
      return stream
    } catch (error) {
      if (isRefusal(error)) throw error
    }
    // The camera is there but can't be used: another program has it, or it can't do what the page asks.
    const stream = await requestStream(self, request)
    logToConsole(otherCameraToken)
    return stream
  }

  // A proxy has the name, length and behaviour of its target. Its handler inherits nothing that the page could add to.
  const value = new Proxy(media.getUserMedia, {
    // @ts-expect-error: the compiler takes it for a trap.
    __proto__: null,
    apply(native, self, args) {
      const request = copyOf(args[0])
      return request ? streamFromChosenCamera(self, request) : apply(native, self, args)
    }
  })
  defineProperty(media, 'getUserMedia', { ...getOwnPropertyDescriptor(media, 'getUserMedia'), value })
}
