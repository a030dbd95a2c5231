/**
 * Plays rows of the attack tables against the real boundary, and fails if one of them gains anything. A row that
 * changes nothing shares a turn with others of its kind, each in its own document; every other row has a turn to
 * itself.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'playwright/test'
import type { Plugin } from 'vite'
import { type Area, type Attack, type Ground, on, sharesTurn } from './attack.ts'
import { AttackedApp, type BuiltApp, buildAttackedApp } from './attacked-app.ts'
import type { Command, Facts } from './control.ts'
import { Scene } from './scene.ts'
import { type Servers, startServers } from './servers.ts'

const OWN_ADDRESS = 'app://countersign/index.html'
/** Long enough for an attempt already under way to arrive, if it were let through. */
const AFTERMATH_MS = 300
/** The same once staff has been told that it was refused. */
const AFTER_TOLD_MS = 60
/** Where `app.ts` puts the page. */
const PLACE = { x: 0, y: 40, width: 800, height: 500 }
/** A turn reports at most a hundred different things, and no row tries more than three. */
const ROWS_A_TURN = 30

export class RowPlayer {
  readonly servers: Servers
  readonly #built: BuiltApp
  readonly #timeoutMs: number | undefined
  /** The folder of files that staff chose. */
  readonly #folder = mkdtempSync(join(tmpdir(), 'countersign-chosen-'))
  app: AttackedApp
  #before: Facts
  /** How many rows the current turn has had; 0 if there is none. */
  #rowsInTurn = 0
  /** Whether that turn is with the encrypted service. */
  #isTurnEncrypted = false

  private constructor(
    servers: Servers,
    built: BuiltApp,
    timeoutMs: number | undefined,
    app: AttackedApp,
    before: Facts
  ) {
    this.servers = servers
    this.#built = built
    this.#timeoutMs = timeoutMs
    this.app = app
    this.#before = before
  }

  /**
   * Builds and starts the application, and starts the servers.
   * @param plugins changes to the application's sources
   * @param timeoutMs how long a row may wait for anything
   */
  static async start(plugins: Plugin[] = [], timeoutMs?: number): Promise<RowPlayer> {
    const built = await buildAttackedApp(plugins)
    const servers = await startServers()
    const app = await AttackedApp.start(built, timeoutMs)
    return new RowPlayer(servers, built, timeoutMs, app, await shown(app))
  }

  async stop(): Promise<void> {
    await this.app.stop()
    await this.servers.close()
    this.#built.remove()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** Prepares for the next row. Fails if elsewhere got a request late, which is then due to the row before. */
  async forget(): Promise<void> {
    const late = this.servers.visits()
    await this.app.forget()
    this.servers.forget()
    expect(late, 'requests to elsewhere since the row before').toEqual([])
  }

  /** Starts a new application, whatever happened to the old one. */
  async startAgain(): Promise<void> {
    this.#rowsInTurn = 0
    await this.app.stop()
    this.app = await AttackedApp.start(this.#built, this.#timeoutMs)
    this.#before = await shown(this.app)
    await this.app.forget()
    this.servers.forget()
  }

  /**
   * Recovers from a failed row: keeps the application if nothing of the row is left in it, or else starts a new one.
   */
  async recover(): Promise<void> {
    try {
      await this.#endTurn()
      await this.forget()
      await this.#expectUntouched({ name: 'none' }, 1)
    } catch {
      await this.startAgain()
    }
  }

  /**
   * Plays a row. Chromium itself has been seen to end under a page that asks for the camera, twice in some forty runs.
   * So a row during which the application ends is played again in a new one, with a warning: what a page is able to do,
   * it does twice.
   */
  async play(area: Area, attack: Attack): Promise<void> {
    try {
      await this.playOnce(area, attack)
    } catch (error) {
      if (this.app.isRunning) throw error
      console.warn('The application ended, and is attacked again:', error)
      await this.startAgain()
      await this.playOnce(area, attack)
    }
  }

  async playOnce(area: Area, attack: Attack): Promise<void> {
    const isEncrypted = area.isEncrypted === true
    const shares = sharesTurn(area, attack)
    const goesOn = shares && this.#isTurnEncrypted === isEncrypted && this.#rowsInTurn < ROWS_A_TURN
    if (this.#rowsInTurn > 0 && !goesOn) await this.#endTurn()
    this.#isTurnEncrypted = isEncrypted
    const scene = new Scene(this.app, this.servers, attack, isEncrypted)
    if (shares) return this.#inSharedTurn(scene, attack)
    const alone = {
      'signing page': () => this.#inOwnTurn(scene, attack),
      'own page': () => this.#fromOwnPage(scene, attack),
      link: () => this.#fromLink(scene, attack),
      'text of others': () => this.#fromPaper(scene, attack, (text) => ({ do: 'draw-receipt', text })),
      file: () =>
        this.#fromPaper(scene, attack, (text) => ({
          do: 'read-appointments',
          path: this.#written(text),
          meanwhile: attack.meanwhile
        })),
      argument: () => this.#fromArgument(scene, attack),
      network: () => Promise.reject(new Error('Its rows need no browser.'))
    }
    let failed: unknown
    await alone[area.by]().catch((error: unknown) => (failed = error))
    // The first error says more than those that follow from it.
    await this.app.say({ do: 'end' }).catch((error: unknown) => (failed ??= error))
    if (failed) throw failed
  }

  /**
   * Ends the turn that rows share. After a failed row Playwright starts a new worker, and so a new application; other
   * callers use `recover`.
   */
  async #endTurn(): Promise<void> {
    this.#rowsInTurn = 0
    await this.app.say({ do: 'end' })
  }

  /** Checks that nothing forbidden was reached, opened, saved or requested, and that our window is as it was. */
  async #expectUntouched(attack: Attack, pages: number, { here }: Ground = this.servers): Promise<Facts> {
    const facts = await this.app.facts()
    const { servers } = this
    expect(servers.visits(), 'requests to elsewhere').toEqual([])
    expect(facts.ownUrl, 'where our page is').toBe(OWN_ADDRESS)
    // A page that may end itself may be gone.
    expect(attack.mayEndItself ? [1, pages] : [pages], 'pages altogether').toContain(facts.pages)
    expect(facts.files, 'files saved').toEqual([])
    expect(facts.handled, 'requests that reached a handler').toEqual([])
    expect(new Set(facts.calls), 'how pages may call others').toEqual(new Set(['disable_non_proxied_udp']))
    expect(facts.window, 'our window').toEqual(this.#before.window)
    expect(servers.requests.filter(({ host }) => host !== new URL(here).host)).toEqual([])
    if (attack.neverAsked) expect(servers.requests.map(({ path }) => path)).not.toContain(attack.neverAsked)
    if (attack.denied) expect(facts.denied).toContain(attack.denied)
    return facts
  }

  /** Plays a row in the current turn, or in a new one if there is none or it has had enough rows. */
  async #inSharedTurn(scene: Scene, attack: Attack): Promise<void> {
    if (this.#rowsInTurn++ === 0) await scene.open()
    else await scene.arrive()
    await this.#fromPage(scene, attack)
    // The page still works, and nothing of the row follows.
    await scene.leave()
    await this.#expectUntouched(attack, 2, scene.ground)
    expect(scene.kinds().includes('returned') || scene.kinds().includes('failed'), 'the turn is over').toBe(false)
  }

  async #inOwnTurn(scene: Scene, attack: Attack): Promise<void> {
    await scene.open()
    await this.#fromPage(scene, attack)
  }

  async #fromPage(scene: Scene, attack: Attack): Promise<void> {
    const answer = attack.script === undefined ? undefined : await scene.run(attack.script)
    await attack.play?.(scene)
    if (attack.message) await scene.untilTold(attack.message)
    await scene.pause(attack.message ? AFTER_TOLD_MS : AFTERMATH_MS)
    if ('answers' in attack) expect(answer).toEqual(attack.answers)
    const { signingUrl, view } = await this.#expectUntouched(attack, attack.turnIs === 'ended' ? 1 : 2, scene.ground)
    expect(scene.kinds().includes('returned'), 'the turn has come back').toBe(attack.turnIs === 'returned')
    const isFailed = scene.kinds().includes('failed')
    if (!attack.mayEndItself) expect(isFailed, 'the turn has failed').toBe(attack.turnIs === 'failed')
    if (attack.turnIs || isFailed) return
    if (!attack.mayEndItself) expect(signingUrl.replace(/#.*$/, '')).toBe(`${scene.ground.here}/attack`)
    expect(view?.place, 'where the page lies').toEqual(PLACE)
  }

  async #fromLink(scene: Scene, attack: Attack): Promise<void> {
    await scene.begin(attack.script ?? '')
    await scene.until(() => scene.kinds().includes('failed'), 'the turn to fail')
    if (attack.message) await scene.untilTold(attack.message)
    await scene.pause(AFTER_TOLD_MS)
    await this.#expectUntouched(attack, 2)
    expect(this.app.reports).toContainEqual(expect.objectContaining({ kind: 'failed', code: 'unsafe-address' }))
    expect(scene.kinds()).not.toContain('open')
  }

  /** Plays a row about a text or a file in the office's papers. */
  async #fromPaper(scene: Scene, attack: Attack, command: (text: string) => Command): Promise<void> {
    const { script } = attack
    const answer = script === undefined ? undefined : await scene.say(command(on(scene.ground, script)))
    await attack.play?.(scene)
    await scene.pause(AFTER_TOLD_MS)
    if ('answers' in attack) expect(answer).toEqual(attack.answers)
    await this.#expectUntouched(attack, 1)
  }

  /** Writes a file with this content and returns its path. */
  #written(text: string): string {
    const path = join(this.#folder, 'chosen')
    writeFileSync(path, text)
    return path
  }

  async #fromArgument(scene: Scene, attack: Attack): Promise<void> {
    const args = on(scene.ground, attack.script ?? '').split('\n')
    const { waiting, imported } = (await this.app.say({ do: 'bring', args })) as {
      waiting: string[]
      imported: string[]
    }
    expect(imported, 'what was kept').toEqual([])
    expect(waiting, 'what waits for a person').toEqual(attack.answers)
    await this.#expectUntouched(attack, 1)
  }

  async #fromOwnPage(scene: Scene, attack: Attack): Promise<void> {
    const answer = await scene.runInOwnPage(attack.script ?? '')
    await attack.play?.(scene)
    await scene.pause(AFTERMATH_MS)
    if ('answers' in attack) expect(answer).toEqual(attack.answers)
    await this.#expectUntouched(attack, 1)
    expect(await scene.runInOwnPage('return document.title')).toBe('Our own page')
  }
}

/** Returns the application's state before any attack. The window is shown before its page has set the title. */
async function shown(app: AttackedApp): Promise<Facts> {
  for (;;) {
    const facts = await app.facts()
    if (facts.window.title === 'Our own page') return facts
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
