/** One attack as it happens: the application, the servers, and the turns that the attack needs. */
import { RETURN_ADDRESS } from '../../../src/shared/composition/request.ts'
import { type Attack, type Ground, on } from './attack.ts'
import type { AttackedApp } from './attacked-app.ts'
import type { Command, Facts } from './control.ts'
import type { Servers } from './servers.ts'

/** Host names that resolve in every row; others can't be resolved. */
const LOOKUPS = { 'rebind.example': ['192.168.1.1'], 'cdn.example': ['93.184.215.14'] }

export class Scene {
  readonly app: AttackedApp
  readonly servers: Servers
  readonly ground: Ground
  readonly #attack: Attack

  constructor(app: AttackedApp, servers: Servers, attack: Attack, isEncrypted = false) {
    this.app = app
    this.servers = servers
    this.ground = isEncrypted ? servers.encrypted : servers
    this.#attack = attack
    this.#showPage(attack)
  }

  #showPage({ page = '', headers = {}, hints }: Pick<Attack, 'page' | 'headers' | 'hints'>): void {
    const named = (text: string) => on(this.ground, text)
    this.servers.show({
      body: `<!doctype html><title>sign</title>${named(page)}`,
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, named(value)])),
      hints: hints?.map(named)
    })
  }

  /** Begins a turn without waiting for its page. */
  async begin(address: string, timeoutMs = 10_000): Promise<void> {
    const {
      media = 'never',
      camera = '',
      files = false,
      returnAddresses = [RETURN_ADDRESS],
      lookups = {},
      linkOrigin
    } = this.#attack.turn ?? {}
    const { here } = this.ground
    // Only a practice service is unencrypted.
    const isPlain = here.startsWith('http:')
    await this.app.say({
      do: 'open',
      turn: {
        url: on(this.ground, address),
        allowedOrigins: [...(linkOrigin ? [linkOrigin] : []), ...(isPlain ? [] : [here])],
        returnAddresses,
        languages: 'en',
        ...(isPlain && { practiceOrigin: here }),
        ...(linkOrigin && { linkOrigin })
      },
      media,
      camera,
      files,
      timeoutMs,
      lookups: { ...LOOKUPS, ...lookups }
    })
  }

  /** Begins a turn, and waits until its page is shown. */
  async open(path = '/attack'): Promise<void> {
    await this.begin(`{here}${path}`)
    await this.app.until(() => this.kinds().includes('open'), 'the page to open')
  }

  /** Loads the attack's page in the current turn, whose page is the empty one from `leave`. */
  async arrive(): Promise<void> {
    const { page, headers, hints } = this.#attack
    if (page !== undefined || headers || hints) await this.#goOn()
  }

  /**
   * Leaves the attack's document for an empty one of the service's, so that nothing of it runs any longer. Fails if the
   * page no longer navigates as it should.
   */
  async leave(): Promise<void> {
    this.#showPage({})
    await this.#goOn()
  }

  /**
   * Navigates to the service's page again. A navigation of the attack's own may end meanwhile, so the document itself
   * tells whether it is a new one.
   */
  async #goOn(): Promise<void> {
    await this.run('window.isLeft = true; location.replace("{here}/attack")')
    const isAnother = 'return window.isLeft === undefined && document.readyState !== "loading"'
    for (let attempt = 0; (await this.run(isAnother)) !== true; attempt++) {
      if (attempt > 500) throw new Error('Waited in vain for the page to go on.')
      await this.pause(20)
    }
    const isOpen = () => this.kinds().lastIndexOf('open') > this.kinds().lastIndexOf('loading')
    await this.until(isOpen, 'the page to go on')
  }

  /** Ends the turn and begins the next signer's. */
  async next(path?: string): Promise<void> {
    await this.say({ do: 'end' })
    await this.app.forget()
    await this.open(path)
  }

  /** Runs a script in the signing page as if the person had just clicked. What it returns is the answer. */
  run(script: string): Promise<unknown> {
    return this.say({ do: 'run-in-signing-page', script: `(async () => { ${on(this.ground, script)} })()` })
  }

  runInOwnPage(script: string): Promise<unknown> {
    return this.say({ do: 'run-in-own-page', script: `(async () => { ${on(this.ground, script)} })()` })
  }

  say(command: Command): Promise<unknown> {
    return this.app.say(command)
  }

  facts(): Promise<Facts> {
    return this.app.facts()
  }

  kinds(): string[] {
    return this.app.kinds()
  }

  /** Returns what staff was told that the page tried. */
  refusals(): string[] {
    return this.app.reports.flatMap((report) => (report.kind === 'refused' ? [report.text] : []))
  }

  /** Returns the paths that the service was asked for. */
  paths(): string[] {
    return this.servers.requests.map(({ path }) => path)
  }

  until(holds: () => boolean, what: string): Promise<void> {
    return this.app.until(holds, what)
  }

  untilOpened(times: number, what?: string): Promise<void> {
    return this.app.untilOpened(times, what)
  }

  untilTold(words: string): Promise<void> {
    return this.until(() => this.refusals().some((text) => text.includes(words)), `staff to be told “${words}”`)
  }

  pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, milliseconds))
  }
}
