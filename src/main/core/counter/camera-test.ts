/**
 * Grants our own page the camera while it shows staff a test picture, and at no other time: the office's page only,
 * never the microphone, and no longer than a test takes.
 */
import { fail } from '../lib/failure.ts'
import type { Time } from '../lib/time.ts'
import { isOfficePage, isOwnPage } from '../policy/app-pages.ts'
import { devicesOf, type PermissionQuery } from '../policy/permissions.ts'

/** Milliseconds after which a test that wasn't closed ends. */
export const MAX_TEST_DURATION = 5 * 60_000

export interface CameraTestDeps {
  time: Pick<Time, 'after'>
  devServer: URL | undefined
  /** Whether the system lets this application use the camera; it may ask the person at the computer. */
  systemAllows: () => Promise<boolean>
  platform: NodeJS.Platform
}

/** Answers permission requests of our own pages, as the session policy's `Permits`. */
export class CameraTest {
  readonly #deps: CameraTestDeps
  #end: (() => void) | undefined
  #closings = 0

  constructor(deps: CameraTestDeps) {
    this.#deps = deps
  }

  /**
   * Starts a test. @throws AppFailure `not-allowed` if the system forbids the camera; `cancelled` if the test was
   * closed while the system asked.
   */
  async open(): Promise<void> {
    const closings = this.#closings
    if (!(await this.#deps.systemAllows())) forbidden(this.#deps.platform)
    if (closings !== this.#closings) fail('cancelled', 'The camera test was closed.')
    this.#end?.()
    this.#end = this.#deps.time.after(MAX_TEST_DURATION, () => this.close())
  }

  /** Ends the test: nothing is granted from now on. Calling it again is harmless. The page itself stops its picture. */
  close(): void {
    this.#closings++
    this.#end?.()
    this.#end = undefined
  }

  request(query: PermissionQuery, grant: (granted: boolean) => void): boolean {
    if (!this.isGranted(query)) return false
    grant(true)
    return true
  }

  isGranted({ permission, url, origin = url, mediaTypes }: PermissionQuery): boolean {
    if (!this.#end || permission !== 'media') return false
    const { devServer } = this.#deps
    const isCamera = devicesOf(mediaTypes)?.join() === 'camera'
    return isCamera && isOfficePage(url, devServer) && isOwnPage(origin, devServer)
  }
}

function forbidden(platform: NodeJS.Platform): never {
  const where: Partial<Record<NodeJS.Platform, string>> = {
    darwin: 'Allow it in System Settings, under Privacy & Security, Camera. Then test again.',
    win32: 'Allow desktop apps in Settings, under Privacy & security, Camera. Then test again.'
  }
  const next = where[platform] ?? 'Allow it in the system’s privacy settings, then test again.'
  return fail('not-allowed', 'This computer doesn’t let Countersign use the camera.', { next })
}
